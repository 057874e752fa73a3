import { AuthErrorCode } from '../errors/auth-error-code.js';

/** The part of an OpenAPI document that is used here, so that the module depends on no package that makes one. */
export interface OpenApiDocument {
  paths: Record<string, object>;
}

/** A JSON schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** What one endpoint of the module takes and gives. */
export interface Operation {
  summary: string;
  body?: Schema;
  query?: Readonly<Record<string, Schema>>;
  /** Of success. */
  status: number;
  answer?: Schema;
  /** Beyond those that every endpoint has. */
  errors?: readonly AuthErrorCode[];
  /** Whether it takes no token. */
  open?: boolean;
}

export interface DescribeOptions {
  /** The name of the security scheme of the tokens in the document. Default `bearer`, as of `addBearerAuth()`. */
  security?: string | undefined;
}

const OURS = /^.*\/v1\/api\/auth\/(.+)$/;
const WITH_TOKEN = [AuthErrorCode.TOKEN_MISSING, AuthErrorCode.TOKEN_INVALID];

/**
 * Fills in what a generator cannot know of the module's own endpoints, wherever they are in the document.
 *
 * @param operations by method and path under `/v1/api/auth/`, for example `GET users/{id}`
 */
export function describeOperations<T extends OpenApiDocument>(
  document: T,
  operations: Readonly<Record<string, Operation>>,
  { security = 'bearer' }: DescribeOptions = {},
): T {
  for (const [path, item] of Object.entries(document.paths)) {
    const [, ours] = OURS.exec(path) ?? [];
    for (const [method, generated] of Object.entries(item) as [string, object][]) {
      const operation = operations[`${method.toUpperCase()} ${ours ?? ''}`];
      if (operation !== undefined) {
        Object.assign(generated, describe(operation, path, security));
      }
    }
  }
  return document;
}

function describe(operation: Operation, path: string, security: string): object {
  const { summary, body, query = {}, status, answer, open = false } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return {
    tags: ['auth'],
    summary,
    parameters: [
      ...inPath.map((name) => ({ name, in: 'path', required: true, schema: TEXT })),
      ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema })),
    ],
    ...(body && { requestBody: { required: true, content: json(body) } }),
    ...(open ? {} : { security: [{ [security]: [] }] }),
    responses: {
      [status]: { description: summary, ...(answer && { content: json(answer) }) },
      ...errorsOf(operation),
    },
  };
}

function errorsOf({ errors = [], open = false }: Operation): Record<string, object> {
  const codes = [...(open ? [] : WITH_TOKEN), ...errors, AuthErrorCode.AUTH_UNAVAILABLE];
  const responses: Record<string, { description: string }> = {};
  for (const code of codes) {
    const status = Math.trunc(code / 100);
    const before = responses[status] ? `${responses[status].description}, ` : '';
    responses[status] = {
      description: `${before}${code} ${AuthErrorCode[code]}`,
      ...{ content: json(ERROR) },
    };
  }
  return responses;
}

function json(schema: Schema) {
  return { 'application/json': { schema } };
}

const ERROR: Schema = {
  type: 'object',
  properties: {
    statusCode: { type: 'integer' },
    code: { type: 'integer', description: 'The status times 100 plus a number' },
    error: { type: 'string' },
    message: { type: 'string' },
    reason: { type: 'string' },
    missing: { type: 'array', items: { type: 'string' } },
  },
  required: ['statusCode', 'code', 'error', 'message'],
};

/** An object all of whose properties are there, but for those that are named. */
export function objectOf(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

export const TEXT: Schema = { type: 'string' };
export const PASSWORD: Schema = { type: 'string', format: 'password' };
export const INTEGER: Schema = { type: 'integer' };
export const BOOLEAN: Schema = { type: 'boolean' };
export const TIME: Schema = { type: 'string', format: 'date-time' };
export const SESSION: Schema = objectOf(
  {
    id: TEXT,
    ...{ createdAt: TIME, lastSeenAt: TIME, expiresAt: TIME },
    ...{ address: TEXT, userAgent: TEXT, current: BOOLEAN },
  },
  ['address', 'userAgent'],
);
