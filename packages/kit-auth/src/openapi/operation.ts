// Packages whose endpoints are not declared yet use this file. Delete it, and `AuthOperations` in its importers, with the last one.
import type { DescribedApplication, JsonSchema as Schema } from '../endpoints/schema.js';
import { objectOf, type OperationTables, TEXT } from './operations.js';

export { objectOf, TEXT };

/** Called when the application makes an OpenAPI document, so that other applications do not build the tables. */
export type AuthOperations = (application: DescribedApplication) => OperationTables;

/** The schema of a list. */
export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** A schema that admits null as well. */
export function orNull(schema: Schema): Schema {
  return { ...schema, nullable: true };
}

export const PASSWORD: Schema = { type: 'string', format: 'password' };
export const EMAIL: Schema = { type: 'string', format: 'email', maxLength: 254 };
export const INTEGER: Schema = { type: 'integer' };
export const BOOLEAN: Schema = { type: 'boolean' };
/** A name that users give to something of theirs. */
export const NAME: Schema = { type: 'string', minLength: 1, maxLength: 64 };
export const TIME: Schema = { type: 'string', format: 'date-time' };
export const SESSION: Schema = objectOf(
  {
    id: TEXT,
    createdAt: TIME,
    lastSeenAt: TIME,
    expiresAt: TIME,
    address: TEXT,
    userAgent: TEXT,
    current: BOOLEAN,
  },
  ['address', 'userAgent'],
);
