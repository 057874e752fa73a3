import { HTTP_CODE_METADATA } from '@nestjs/common/constants.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import type { DecidedRoute } from '../route-report/route-access.js';
import { decoratedMethodOf } from '../routes/decorated-method.js';
import { isOpen } from '../routes/route-rules.js';
import type { JsonSchema } from '../endpoints/schema.js';
import type { JoinedOperation } from './joined-tables.js';
import { objectOf, type Operation, TEXT } from './operations.js';

/** The answers of an operation by status. */
export type Responses = Record<string, { description?: string; content?: object }>;

/** Traits of the application that the codes of endpoints depend on. */
export interface Refusals {
  /** Pages of other origins are refused. */
  crossOrigin: boolean;
  /** Users can be asked to set up a second factor. */
  enrolment: boolean;
}

/** The operation of an OpenAPI document that describes an endpoint of our packages. */
export function describedOperation(
  operation: JoinedOperation,
  route: DecidedRoute,
  refusals: Refusals,
): object {
  const { tag, operationId, body, query = {}, answer, accepts } = operation;
  const summary = withPermissions(operation.summary, route);
  return {
    tags: [tag],
    operationId,
    summary,
    parameters: [
      ...parametersOf(route).map((name) => ({ name, in: 'path', required: true, schema: TEXT })),
      ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema })),
    ],
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: codesOf(operation, route, refusals).reduce<Responses>(withError, {
      ...((answer !== undefined || !accepts) && {
        [statusOf(route)]: { description: summary, ...(answer && { content: json(answer) }) },
      }),
      ...(accepts && { 202: { description: summary } }),
    }),
  };
}

/** Adds a code to the answers of an operation. Other answers with its status stay. */
export function withError(responses: Responses, code: AuthErrorCode): Responses {
  const status = Math.trunc(code / 100);
  const { description = '', ...given } = responses[status] ?? {};
  if (description.includes(String(code))) {
    return responses;
  }
  const added = `${description === '' ? '' : `${description}, `}${code} ${AuthErrorCode[code]}`;
  return { ...responses, [status]: { content: json(ERROR), ...given, description: added } };
}

/** The codes of an operation, and those that follow from its route. */
function codesOf({ body, query, errors = [] }: Operation, route: DecidedRoute, refusals: Refusals) {
  const { beforePasswordChange, beforeEnrolment, requirements } = route.rule;
  const needsToken = !isOpen(route.rule);
  const kinds = requirements.flatMap((requirement) =>
    'names' in requirement && requirement.names.length === 0 ? [] : [requirement.kind],
  );
  const implied: [AuthErrorCode, boolean][] = [
    [AuthErrorCode.BAD_REQUEST, body !== undefined || query !== undefined],
    [AuthErrorCode.TOKEN_MISSING, needsToken],
    [AuthErrorCode.TOKEN_INVALID, needsToken],
    [AuthErrorCode.FRESH_LOGIN_REQUIRED, kinds.includes('fresh')],
    [AuthErrorCode.FORBIDDEN, kinds.some((kind) => kind !== 'fresh')],
    [AuthErrorCode.PASSWORD_CHANGE_REQUIRED, needsToken && beforePasswordChange !== true],
    [AuthErrorCode.CROSS_ORIGIN, refusals.crossOrigin && route.method !== 'GET'],
    [AuthErrorCode.FACTOR_ENROLMENT_REQUIRED, refusals.enrolment && needsToken && beforeEnrolment !== true],
    [AuthErrorCode.NOT_FOUND, parametersOf(route).length > 0],
    [AuthErrorCode.AUTH_UNAVAILABLE, true],
  ];
  const codes = implied.filter(([, applies]) => applies).map(([code]) => code);
  return [...new Set([...codes, ...errors])].sort((a, b) => a - b);
}

function parametersOf({ path }: DecidedRoute): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

function statusOf({ controller, handler, method }: DecidedRoute): number {
  const status: unknown = Reflect.getMetadata(HTTP_CODE_METADATA, decoratedMethodOf(controller, handler));
  return typeof status === 'number' ? status : method === 'POST' ? 201 : 200;
}

/** Adds the permissions that a route requires, after the first sentence. */
function withPermissions(summary: string, { rule }: DecidedRoute): string {
  const names = rule.requirements.flatMap((requirement) =>
    requirement.kind === 'permission' ? requirement.names : [],
  );
  return names.length === 0 ? summary : summary.replace(/(?=\. )|$/, ` (${names.join(', ')})`);
}

function json(schema: JsonSchema) {
  return { 'application/json': { schema } };
}

const NUMBER: JsonSchema = { type: 'integer' };
const NAMES: JsonSchema = { type: 'array', items: TEXT };
const ERROR = objectOf(
  {
    statusCode: NUMBER,
    code: { ...NUMBER, description: 'The status times 100 plus a number' },
    error: TEXT,
    message: TEXT,
    reason: TEXT,
    missing: NAMES,
    maxAge: { ...NUMBER, description: 'Of 40120, in seconds' },
    challenge: { ...TEXT, description: 'Of 40112' },
    factors: { ...NAMES, description: 'Of 40112' },
    expiresAt: { ...NUMBER, description: 'Of 40112, in seconds since 1970' },
  },
  ['reason', 'missing', 'maxAge', 'challenge', 'factors', 'expiresAt'],
);
