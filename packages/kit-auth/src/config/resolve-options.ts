import type { KitAuthSettings } from '../contract/settings.js';
import type { KitAuthOptions } from './kit-auth.options.js';
import { OPTION_TABLE } from './option-table.js';

/** Injection token of the outcome. */
export const RESOLVED_OPTIONS = Symbol('kit-auth.resolved-options');

/** Under this key, options carry warnings for start-up. A symbol, so that a copy of the options has them too. */
export const WARNINGS = Symbol('kit-auth.warnings');

export interface ResolvedOptions {
  /** Frozen. Where `problems` is not empty the defaults stand in, and start-up must not go on. */
  readonly settings: KitAuthSettings;
  /** What makes start-up fail, each naming its key in full. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

type Tree = Record<string, unknown>;

const KEYS = new Set(OPTION_TABLE.map(({ key }) => key));
const GROUPS = new Set(
  OPTION_TABLE.filter(({ key }) => key.includes('.')).map(({ key }) => key.slice(0, key.lastIndexOf('.'))),
);

/** Takes whatever the application gave, binds the keys of the table, and says what is wrong with the rest. */
export function resolveOptions(options: KitAuthOptions | undefined): ResolvedOptions {
  const problems: string[] = [];
  const given = flatten(options, problems);
  const warnings = [...warningsIn(options), ...unknownKeys(given)];
  const values: Tree = {};
  for (const { key, name = key, fallback, problem } of OPTION_TABLE) {
    const value = given.get(key);
    const wrong = value === undefined ? undefined : problem(value);
    if (wrong !== undefined) {
      problems.push(`kit.auth.${name} ${wrong}`);
    }
    put(values, key, value === undefined || wrong !== undefined ? fallback : value);
  }
  const settings = values as unknown as KitAuthSettings;
  if (settings.tokenPrefix !== '' && !settings.tokenPrefix.endsWith(' ')) {
    warnings.push('kit.auth.tokenPrefix does not end with a space: prefix and token run together');
  }
  if (settings.whiteList.some((pattern) => /^(?:\/\*\*)+\/?$/.test(pattern))) {
    warnings.push('kit.auth.white-list has "/**": NOTHING IS PROTECTED, every path is open');
  }
  return { settings: deepFreeze(values) as unknown as KitAuthSettings, problems, warnings };
}

function warningsIn(options: unknown): readonly string[] {
  return (options as { [WARNINGS]?: readonly string[] } | null | undefined)?.[WARNINGS] ?? [];
}

/** Options by their dotted key; both spellings of the white-list become one. */
function flatten(options: unknown, problems: string[]): Map<string, unknown> {
  const given = new Map<string, unknown>();
  if (options === undefined) {
    return given;
  }
  if (!isTree(options)) {
    problems.push('kit.auth must be an object');
    return given;
  }
  collect(options, '', given, problems);
  const whiteLists = ['whiteList', 'white-list'].filter((key) => given.has(key)).map((key) => given.get(key));
  given.delete('white-list');
  if (whiteLists.length > 0) {
    given.set('whiteList', whiteLists.every(Array.isArray) ? whiteLists.flat() : null);
  }
  return given;
}

function collect(tree: Tree, prefix: string, given: Map<string, unknown>, problems: string[]): void {
  for (const [name, value] of Object.entries(tree)) {
    const key = prefix + name;
    if (value === undefined) {
      continue;
    }
    if (GROUPS.has(key) && isTree(value)) {
      collect(value, `${key}.`, given, problems);
    } else if (GROUPS.has(key) && !KEYS.has(key)) {
      problems.push(`kit.auth.${key} must be an object`);
    } else {
      given.set(key, value);
    }
  }
}

function unknownKeys(given: Map<string, unknown>): string[] {
  return [...given.keys()]
    .filter((key) => !KEYS.has(key))
    .map((key) => {
      const meant = OPTION_TABLE.find((row) => lastWord(row.key) === lastWord(key));
      const hint = meant ? `; did you mean kit.auth.${meant.key}?` : '';
      return `kit.auth.${key} is not an option and is ignored${hint}`;
    });
}

function lastWord(key: string): string {
  return (key.split('.').at(-1) as string).toLowerCase().replace(/[^a-z]/g, '');
}

/** Puts a value where its dotted key says; not into a group that is switched off, or is something else altogether. */
export function put(tree: Tree, key: string, value: unknown): void {
  const [first, ...rest] = key.split('.') as [string, ...string[]];
  if (rest.length === 0) {
    tree[first] = Array.isArray(value) ? [...(value as unknown[])] : value;
    return;
  }
  const group = tree[first] === undefined || tree[first] === true ? (tree[first] = {}) : tree[first];
  if (isTree(group)) {
    put(group, rest.join('.'), value);
  }
}

function deepFreeze(tree: object): object {
  for (const value of Object.values(tree) as unknown[]) {
    if (typeof value === 'object' && value !== null) {
      deepFreeze(value);
    }
  }
  return Object.freeze(tree);
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
