import { AuthErrorCode } from '../errors/auth-error-code.js';

/** The part of an OpenAPI document that is used here. No package that generates documents is needed. */
export interface OpenApiDocument {
  paths: Record<string, object>;
  components?: { securitySchemes?: object };
}

/** A JSON schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** One endpoint. */
export interface Operation {
  /** Unique in the document. Default: the name that the generator made of the controller and the method. */
  operationId?: string;
  summary: string;
  body?: Schema;
  query?: Readonly<Record<string, Schema>>;
  /** The status of success. */
  status: number;
  answer?: Schema;
  /** Codes besides 40100, 40101 and 50300, which are added. */
  errors?: readonly AuthErrorCode[];
  /** Whether it needs no token. */
  open?: boolean;
}

export interface DescribeOptions {
  /**
   * The name of the security scheme in the document. Default `bearer`, the name that `addBearerAuth()` gives. If the
   * document has no such scheme, `Authorization: Bearer` is added. For another `tokenHeader`, add one of your own, for
   * example with `addApiKey()`.
   */
  security?: string | undefined;
  /**
   * The name of the security scheme for cookies, in applications with `kit-auth-browser`. `addCookieAuth()` calls it
   * `cookie`. If the document has no such scheme, the cookie `__Host-kit-auth` is added. Default none.
   */
  cookie?: string | undefined;
}

/** What a request with a token needs: the token header, or the cookie. */
export function securityOf({ security = 'bearer', cookie }: DescribeOptions): object[] {
  return [security, cookie].filter((name) => name !== undefined).map((name) => ({ [name]: [] }));
}

/** Adds the security schemes of `securityOf()` that a document lacks, because it is not valid without them. */
export function addSchemes(
  document: OpenApiDocument,
  { security = 'bearer', cookie }: DescribeOptions,
): void {
  const { components } = document;
  const securitySchemes = {
    [security]: { type: 'http', scheme: 'bearer' },
    ...(cookie !== undefined && { [cookie]: { type: 'apiKey', in: 'cookie', name: '__Host-kit-auth' } }),
    ...components?.securitySchemes,
  };
  Object.assign(document, { components: { ...components, securitySchemes } });
}

const OUR_PATH = /^.*\/v1\/api\/auth\/(.+)$/;
const WITH_TOKEN = [AuthErrorCode.TOKEN_MISSING, AuthErrorCode.TOKEN_INVALID];

/**
 * Describes operations in an OpenAPI document. For packages with endpoints under `/v1/api/auth/`, whose bodies and
 * answers a generator does not know.
 *
 * @param operations by method and path below `/v1/api/auth/`. Those that the document does not have are ignored.
 *
 * @example
 * ```ts
 * describeOperations(document, {
 *   'GET keys': { summary: 'Lists API keys', status: 200, answer: listOf(objectOf({ id: TEXT })) },
 *   'DELETE keys/{id}': { summary: 'Deletes an API key', status: 204, errors: [AuthErrorCode.NOT_FOUND] },
 * });
 * ```
 *
 * @returns the same document
 */
export function describeOperations<T extends OpenApiDocument>(
  document: T,
  operations: Readonly<Record<string, Operation>>,
  options: DescribeOptions = {},
): T {
  for (const { key, path, method, generated } of operationsIn(document)) {
    const operation = operations[key];
    if (operation !== undefined) {
      Object.assign(generated, describe(checkingOrigins(operation, method, options), path, options));
      if (operation.open !== true) {
        addSchemes(document, options);
      }
    }
  }
  return document;
}

/** All operations of a document. Those below `/v1/api/auth/` have a key such as `POST login`. */
export function* operationsIn({ paths }: OpenApiDocument): Generator<{
  key: string;
  path: string;
  method: string;
  generated: object;
}> {
  for (const [path, item] of Object.entries(paths)) {
    const [, ours = ''] = OUR_PATH.exec(path) ?? [];
    for (const [method, generated] of Object.entries(item) as [string, object][]) {
      yield { key: `${method.toUpperCase()} ${ours}`, path, method, generated };
    }
  }
}

/** With cookies, methods that change something answer pages of other origins with 40302. */
function checkingOrigins(operation: Operation, method: string, { cookie }: DescribeOptions): Operation {
  const { errors = [] } = operation;
  return cookie === undefined || method === 'get'
    ? operation
    : { ...operation, errors: [...errors, AuthErrorCode.CROSS_ORIGIN] };
}

function describe(operation: Operation, path: string, options: DescribeOptions): object {
  const { operationId, summary, body, query = {}, status, answer, open = false } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return {
    tags: ['auth'],
    ...(operationId !== undefined && { operationId }),
    summary,
    parameters: [
      ...inPath.map((name) => ({ name, in: 'path', required: true, schema: TEXT })),
      ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema })),
    ],
    ...(body && { requestBody: { required: true, content: json(body) } }),
    ...(open ? {} : { security: securityOf(options) }),
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
    responses[status] = errorResponse(code, responses[status]?.description);
  }
  return responses;
}

/** The answer with an error. @param before the description of another answer with the same status */
export function errorResponse(code: AuthErrorCode, before = ''): { description: string; content: object } {
  return {
    description: `${before === '' ? '' : `${before}, `}${code} ${AuthErrorCode[code]}`,
    content: json(ERROR),
  };
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
    maxAge: { type: 'integer', description: 'Of 40120, in seconds' },
    challenge: { type: 'string', description: 'Of 40112' },
    factors: { type: 'array', items: { type: 'string' }, description: 'Of 40112' },
    expiresAt: { type: 'integer', description: 'Of 40112, in seconds since 1970' },
  },
  required: ['statusCode', 'code', 'error', 'message'],
};

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

export const TEXT: Schema = { type: 'string' };
export const PASSWORD: Schema = { type: 'string', format: 'password' };
export const INTEGER: Schema = { type: 'integer' };
export const BOOLEAN: Schema = { type: 'boolean' };
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
