import type { UserData } from '../contract/user-id.js';
import { kindOf, plainText } from '../errors/describe.js';
import { isObject } from './port.js';

/** Ends the search in objects that contain themselves. */
const MAX_DEPTH = 16;

/**
 * Names the first value of `LoginUser.data` that JSON cannot carry. Such a value would become another one in a token.
 *
 * @returns undefined for valid or absent data
 */
export function dataProblem(data: unknown): string | undefined {
  try {
    copyOfData(data);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Copies `LoginUser.data`, and freezes the copy. Leaves out members that are undefined, as JSON does.
 *
 * @throws TypeError that names the first value that JSON cannot carry
 */
export function copyOfData(data: unknown): UserData | undefined {
  if (data === undefined || data === null) {
    return undefined;
  }
  if (!isPlainObject(data)) {
    throw new TypeError(`whose data is ${nameOf(data)}, expected a plain object`);
  }
  return frozenCopy(data, 'data', 0) as UserData;
}

/** Freezes plain objects and lists of data that an implementation has returned. */
export function freezeData(value: unknown): void {
  if ((Array.isArray(value) || isPlainObject(value)) && !Object.isFrozen(value)) {
    Object.values(Object.freeze(value)).forEach(freezeData);
  }
}

function frozenCopy(value: unknown, path: string, depth: number): unknown {
  if (value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)) {
    return value;
  }
  if (depth < MAX_DEPTH && Array.isArray(value)) {
    return Object.freeze(value.map((item, i) => frozenCopy(item, `${path}[${i}]`, depth + 1)));
  }
  if (depth < MAX_DEPTH && isPlainObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    // Unlike an assignment, this keeps a member of the name `__proto__` an ordinary one.
    return Object.freeze(
      Object.fromEntries(
        members.map(([name, member]) => [name, frozenCopy(member, `${path}.${name}`, depth + 1)]),
      ),
    );
  }
  const what = depth < MAX_DEPTH ? `${nameOf(value)}, expected a JSON value` : 'nested too deeply';
  throw new TypeError(`whose ${plainText(path)} is ${what}`);
}

/** Works for objects of another realm too, such as in Jest. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: unknown): string {
  if (isObject(value) && !isPlainObject(value)) {
    return `an instance of ${(value as object).constructor.name}`;
  }
  return typeof value === 'number' ? String(value) : kindOf(value);
}
