import type { AuthErrorCode } from '../errors/auth-error-code.js';
import type { Addition, AuthOperations, DescribedApplication, Operation } from '../openapi/operation.js';
import type { Api } from './endpoint.js';
import { jsonOf, objectJson, type Schema, type Shape } from './schema.js';

/** What a package adds to endpoints of other packages, by their keys. */
export type Additions = Readonly<
  Record<
    string,
    {
      /** Another body that the endpoint accepts. */
      readonly body?: Shape;
      /** The answer, if the endpoint has none of its own. */
      readonly answer?: Schema;
      /** Whether the endpoint may also answer 202 without a body. */
      readonly accepts?: true;
      readonly errors?: readonly AuthErrorCode[];
    }
  >
>;

/** The endpoints of a package. */
export interface DescribedEndpoints {
  readonly name: string;
  readonly endpoints: Api;
  readonly additions?: Additions | undefined;
  readonly login?: Shape | undefined;
}

/**
 * Describes the endpoints of a package for OpenAPI documents. `authFeature()` calls it.
 *
 * @example
 * ```ts
 * { provide: AUTH_OPERATIONS, useValue: operationsOf({ name: 'kit-auth-notes', endpoints: notesApi }) }
 * ```
 */
export function operationsOf({ name, endpoints, additions = {}, login }: DescribedEndpoints): AuthOperations {
  return (application) => ({
    tag: name,
    operations: mapped(
      endpoints,
      ({ id, summary, body, query, answer, accepts, login: isLogin, errors }): Operation => ({
        operationId: id,
        summary,
        ...(body && { body: objectJson(body, application) }),
        ...(query && { query: propertiesOf(query, application) }),
        ...(answer && { answer: jsonOf(answer, application) ?? {} }),
        ...(accepts && { accepts }),
        ...(isLogin && { login: isLogin }),
        ...(errors && { errors }),
      }),
    ),
    additions: mapped(additions, ({ body, answer, accepts, errors }): Addition => ({
      ...(body && { body: objectJson(body, application) }),
      ...(answer && { answer: jsonOf(answer, application) ?? {} }),
      ...(accepts && { accepts }),
      ...(errors && { errors }),
    })),
    ...(login && { login: objectJson(login, application) }),
  });
}

function mapped<T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function propertiesOf(shape: Shape, application: DescribedApplication): NonNullable<Operation['query']> {
  return objectJson(shape, application)['properties'] as NonNullable<Operation['query']>;
}
