import type { ValueTransformer } from 'typeorm';

/** What `readPermissions()` returns for a value that is no list of strings. It grants nothing. */
const UNREADABLE: string[] = [];
Object.freeze(UNREADABLE);

/** Whether `readPermissions()` could not read a value. */
export function isUnreadable(permissions: string[]): boolean {
  return permissions === UNREADABLE;
}

/** @param stored the JSON text in the column, or what a driver has made of it */
export function readPermissions(stored: unknown): string[] {
  const value = typeof stored === 'string' ? parse(stored) : stored;
  if (value === null) {
    return [];
  }
  return Array.isArray(value) && value.every((it) => typeof it === 'string') ? value : UNREADABLE;
}

/** Keeps a list as JSON text. A broken list must not keep TypeORM from loading the role, its users or the other roles. */
export const permissionList: ValueTransformer = {
  // Not as an empty list is: TypeORM writes what differs, and an empty list has to replace a broken one.
  to: (value: unknown) =>
    value === null || value === undefined || value === UNREADABLE ? null : JSON.stringify(value),
  from: (stored: unknown) => (stored === null ? null : readPermissions(stored)),
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
