import { IllegalStateException } from '../errors/auth.exception.js';
import { kindOf } from '../errors/describe.js';
import type { Contribution } from './contribution.js';
import type { MethodRule, Port } from './port.js';

/** @throws IllegalStateException for a value that does not implement the port */
export function usable<T extends object>(
  { name, instance, isStatic }: Contribution,
  contract: string,
  methods: readonly (keyof T & string)[],
): T {
  if (typeof instance !== 'object' || instance === null || !isStatic) {
    throw new IllegalStateException(
      `${name} does not implement ${contract}: it must be an object in the default scope.`,
    );
  }
  const missing = methods.filter((method) => typeof Reflect.get(instance, method) !== 'function');
  if (missing.length > 0) {
    throw new IllegalStateException(
      `${name} does not implement ${contract}: it lacks ${missing.join(', ')}.`,
    );
  }
  return instance as T;
}

/** @throws IllegalStateException also for a misspelled method, which would never be called */
export function implementing<T extends object>(
  { contract, methods, needsMethod = false }: Port<T>,
  contribution: Contribution,
): T {
  const { name } = contribution;
  const rules = Object.entries<MethodRule>(methods);
  const required = rules.filter(([, { isRequired }]) => isRequired).map(([method]) => method);
  const instance = usable<T>(contribution, contract, required as (keyof T & string)[]);
  const isMethod = (method: string) => typeof Reflect.get(instance, method) === 'function';
  const [present, absent] = [
    rules.filter(([method]) => isMethod(method)),
    rules.filter(([method]) => !isMethod(method)),
  ];
  for (const [method] of absent) {
    const value: unknown = Reflect.get(instance, method);
    if (value !== undefined) {
      throw new IllegalStateException(
        `${name} does not implement ${contract}: ${method} is ${kindOf(value)}, not a method.`,
      );
    }
    const misspelled = methodsOf(instance).find((own) => !(own in methods) && isNear(own, method));
    if (misspelled !== undefined) {
      throw new IllegalStateException(
        `${name} has the method ${misspelled}, which ${contract} does not have. If it is meant to be ${method}, correct its ` +
          'name. Otherwise give it a name that differs more.',
      );
    }
  }
  if (needsMethod && present.length === 0) {
    throw new IllegalStateException(
      `${name} does not implement ${contract}: it has none of the methods ${absent.map(([method]) => method).join(', ')}.`,
    );
  }
  return instance;
}

/** The names of the methods of an object and of its base classes. */
function methodsOf(instance: object): string[] {
  const names: string[] = [];
  for (
    let owner: object | null = instance;
    owner !== null && owner !== Object.prototype;
    owner = Reflect.getPrototypeOf(owner)
  ) {
    const descriptors = Object.entries(Object.getOwnPropertyDescriptors(owner));
    names.push(...descriptors.filter(([, { value }]) => typeof value === 'function').map(([name]) => name));
  }
  return names.filter((name) => name !== 'constructor');
}

/** Whether a name is probably a misspelling of another one. */
function isNear(name: string, wanted: string): boolean {
  const most = Math.min(2, wanted.length / 5);
  return (
    Math.abs(name.length - wanted.length) <= most &&
    editDistance(name.toLowerCase(), wanted.toLowerCase()) <= most
  );
}

/** The number of characters to insert, delete, replace or swap with a neighbor (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const [left, above, corner] = [next[j], row[j + 1], row[j]] as [number, number, number];
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwapped ? (before[j - 1] as number) + 1 : Infinity;
      next.push(Math.min(left + 1, above + 1, corner + (a[i] === b[j] ? 0 : 1), swapped));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) as number;
}
