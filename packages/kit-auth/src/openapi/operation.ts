import type { AuthErrorCode } from '../errors/auth-error-code.js';

/**
 * Injection token of descriptions of endpoints under `/v1/api/auth/`, for `documentKitAuth()`: an `AuthOperations`. Any
 * module may contribute one. A generator of OpenAPI documents does not know the bodies and answers of these endpoints.
 *
 * @example
 * ```ts
 * const keyOperations: AuthOperations = () => ({
 *   operations: {
 *     'GET keys': { operationId: 'listKeys', summary: 'Lists API keys', answer: listOf(objectOf({ id: TEXT })) },
 *     'DELETE keys/{id}': { operationId: 'endKey', summary: 'Ends an API key' },
 *   },
 * });
 *
 * @Module({ controllers: [KeyController], providers: [{ provide: AUTH_OPERATIONS, useValue: keyOperations }] })
 * export class KeyModule {}
 * ```
 */
export const AUTH_OPERATIONS = Symbol.for('kit-auth.operations');

/** Called when the application makes an OpenAPI document, so that other applications do not build the tables. */
export type AuthOperations = (application: DescribedApplication) => OperationTables;

/** What descriptions depend on. */
export interface DescribedApplication {
  /** The schema of the ids of the user store. */
  userId: Schema;
  /** The schema of the user in answers. */
  user: Schema;
  /** Whether tokens of browsers travel in cookies, and a login may be remembered. */
  cookies: boolean;
}

export interface OperationTables {
  /** The package, in lists of endpoints. */
  tag?: string;
  /** By method and path below `/v1/api/auth/`, such as `POST login`. */
  operations: Readonly<Record<string, Operation>>;
  /** What the package adds to endpoints of other packages. */
  additions?: Readonly<Record<string, Addition>>;
  /** The members that the package adds to the answers of logins. */
  login?: Schema;
}

/** One endpoint. Its decorators tell who may call it, and which status it answers with. */
export interface Operation {
  /** Unique in the document. */
  operationId: string;
  /** The required permissions are added. */
  summary: string;
  body?: Schema;
  query?: Readonly<Record<string, Schema>>;
  answer?: Schema;
  /** Whether it may also answer 202 without a body. */
  accepts?: boolean;
  /** Whether it answers as `POST login` does. The members of `answer` are added. */
  login?: boolean;
  /**
   * Codes that the rules of the route do not imply. Implied are 50300, 40000 for a body or a query, 40400 for
   * parameters in the path, and those of requests that the guard refuses.
   */
  errors?: readonly AuthErrorCode[];
}

/** What a package adds to an endpoint of another package. */
export interface Addition {
  /** Another body that the endpoint accepts. */
  body?: Schema;
  /** The answer, if the endpoint has none of its own. */
  answer?: Schema;
  /** Whether the endpoint may also answer 202 without a body. */
  accepts?: boolean;
  errors?: readonly AuthErrorCode[];
}

/** A JSON schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** The schema of an object. @param optional the properties that may be absent; the others are required */
export function objectOf(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** The schema of a list. */
export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** A schema that admits null as well. */
export function orNull(schema: Schema): Schema {
  return { ...schema, nullable: true };
}

export const TEXT: Schema = { type: 'string' };
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
