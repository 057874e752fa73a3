import { AuthErrorCode } from '../errors/auth-error-code.js';
import { OPEN_UNDECLARED } from '../route-report/route-access.js';
import { addSchemes, type DescribeOptions, type OpenApiDocument, securityOf } from './describe-operations.js';
import { addError } from './extend-operations.js';

/** The part of a `RouteAccess` that is used here. */
interface DocumentedRoute {
  method: string;
  path: string;
  decision: string;
  credentials?: readonly string[];
  requires?: readonly { kind: string }[];
}

interface DocumentedOperation {
  security?: readonly object[];
  responses?: Record<string, { description?: string }>;
}

/**
 * Sets the security requirement of each operation in an OpenAPI document to what the guard decides: required where a
 * route needs a token, none where it is open, optional where the guard decides by the path of the request.
 *
 * A route that is open without a word (not by `@Public()`, for example) may have a guard of the application. If its
 * operation has a security requirement already, as `@ApiBearerAuth()` adds one, it stays.
 *
 * Tokens of a credential, such as API keys, have a security requirement of their own where the document has a security
 * scheme with the name of the credential: `addBearerAuth({ type: 'http', description: '...' }, 'api-key')`.
 *
 * Adds the security schemes that these requirements name, in documents with `components`, which all generated ones are.
 * Adds the answer 40120 to operations that require a fresh login.
 *
 * @example
 * ```ts
 * const document = SwaggerModule.createDocument(app, config);
 * documentAccess(document, app.get(RouteAccessReport).routes());
 * ```
 *
 * @returns the same document
 */
export function documentAccess<T extends OpenApiDocument>(
  document: T,
  routes: readonly DocumentedRoute[],
  options: DescribeOptions = {},
): T {
  const byOperation = new Map(
    routes.map((route) => [`${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`.toLowerCase(), route]),
  );
  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item) as [string, DocumentedOperation][]) {
      const route =
        byOperation.get(`${method} ${path}`.toLowerCase()) ?? byOperation.get(`all ${path}`.toLowerCase());
      if (route === undefined) {
        continue;
      }
      const { decision, requires = [], credentials = [] } = route;
      if (!(OPEN_UNDECLARED.has(decision) && operation.security?.length)) {
        const added = credentials.filter((it) => schemes.includes(it)).map((it) => ({ [it]: [] }));
        Object.assign(operation, { security: [...securityFor(decision, options), ...added] });
        if (!decision.startsWith('open') && document.components !== undefined) {
          addSchemes(document, options);
        }
      }
      if (requires.some(({ kind }) => kind === 'fresh')) {
        addError(operation, AuthErrorCode.FRESH_LOGIN_REQUIRED);
      }
    }
  }
  return document;
}

function securityFor(decision: string, options: DescribeOptions): object[] {
  if (decision.startsWith('open')) {
    return [];
  }
  return decision === 'token' ? securityOf(options) : [...securityOf(options), {}];
}
