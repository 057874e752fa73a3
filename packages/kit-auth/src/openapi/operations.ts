import type { AuthErrorCode } from '../errors/auth-error-code.js';
import type { PackageEndpoints } from '../endpoints/operations.js';
import {
  type DescribedApplication,
  jsonOf,
  type JsonSchema,
  objectJson,
  type Shape,
} from '../endpoints/schema.js';

/** An endpoint in an OpenAPI document. Its decorators tell who may call it, and which status it answers with. */
export interface Operation {
  readonly operationId: string;
  /** The required permissions are added. */
  readonly summary: string;
  readonly body?: JsonSchema;
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly answer?: JsonSchema;
  readonly login?: boolean;
  /**
   * Codes that the rules of the route do not imply. Implied are 50300, 40000 for a body or a query, 40400 for
   * parameters in the path, and those of requests that the guard refuses.
   */
  readonly errors?: readonly AuthErrorCode[];
}

/** An addition of a package to an endpoint of another package. */
export type Addition = Pick<Operation, 'body' | 'answer' | 'errors'> & { readonly accepts?: true };

/** The endpoints of a package in an OpenAPI document. */
export interface OperationTables {
  readonly tag: string;
  /** By method and path below `/v1/api/auth/`, such as `POST login`. */
  readonly operations: Readonly<Record<string, Operation>>;
  readonly additions?: Readonly<Record<string, Addition>>;
  /** The members that the package adds to the answers of logins. */
  readonly login?: JsonSchema;
}

/** The JSON schemas of a package. */
export function tablesOf(
  { name, endpoints, additions = {}, login }: PackageEndpoints,
  application: DescribedApplication,
): OperationTables {
  return {
    tag: name,
    operations: mapped(endpoints, (endpoint) => ({
      operationId: endpoint.id,
      summary: endpoint.summary,
      ...(endpoint.query && { query: propertiesOf(endpoint.query, application) }),
      ...(endpoint.login && { login: endpoint.login }),
      ...additionOf(endpoint, application),
    })),
    additions: mapped(additions, (addition) => additionOf(addition, application)),
    ...(login && { login: objectJson(login, application) }),
  };
}

type Declared = NonNullable<PackageEndpoints['additions']>[string];

function additionOf(
  { body, answer, accepts, errors }: Declared,
  application: DescribedApplication,
): Addition {
  const answered = answer && jsonOf(answer, application);
  return {
    ...(body && { body: objectJson(body, application) }),
    ...(answered && { answer: answered }),
    ...(accepts && { accepts }),
    ...(errors && { errors }),
  };
}

function mapped<T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function propertiesOf(shape: Shape, application: DescribedApplication): NonNullable<Operation['query']> {
  return objectJson(shape, application)['properties'] as NonNullable<Operation['query']>;
}

export const TEXT: JsonSchema = { type: 'string' };

/** The schema of an object. @param optional the properties that may be absent; the others are required */
export function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}
