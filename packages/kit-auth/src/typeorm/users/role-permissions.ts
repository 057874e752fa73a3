import type { ValueTransformer } from 'typeorm';

/** The result of `readPermissions()` for a value that is not a list of strings. Grants nothing. */
const UNREADABLE: string[] = [];
Object.freeze(UNREADABLE);

/** Whether `readPermissions()` could not read a value. */
export function isUnreadable(permissions: string[]): boolean {
  return permissions === UNREADABLE;
}

/** @param stored the JSON text of the column, or the value that a driver made of it */
export function readPermissions(stored: unknown): string[] {
  const value = typeof stored === 'string' ? parse(stored) : stored;
  if (value === null) {
    return [];
  }
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : UNREADABLE;
}

/**
 * Stores a list as JSON text. Does not throw for invalid text, so that TypeORM can still load the role and its users.
 */
export const permissionList: ValueTransformer = {
  // Null and not `[]`: TypeORM writes only differences, and an empty list has to replace an invalid value.
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
