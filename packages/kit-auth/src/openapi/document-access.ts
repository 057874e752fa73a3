import { OPEN_WITHOUT_A_WORD } from '../routes/route-rule.js';
import { type DescribeOptions, type OpenApiDocument, securityOf } from './describe-operations.js';

/** The part of a `RouteAccess` that is used here. */
interface DocumentedRoute {
  method: string;
  path: string;
  decision: string;
}

interface DocumentedOperation {
  security?: readonly object[];
}

/**
 * Sets the security requirement of each operation in an OpenAPI document to what the guard decides: required where a
 * route needs a token, none where it is open, optional where the guard decides by the path of the request.
 *
 * A route that is open without a word (not by `@Public()`, for example) may have a guard of the application. If its
 * operation has a security requirement already, as `@ApiBearerAuth()` adds one, it stays.
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
  const decisions = new Map(
    routes.map(({ method, path, decision }) => [
      `${method} ${path.replace(/:(\w+)/g, '{$1}')}`.toLowerCase(),
      decision,
    ]),
  );
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item) as [string, DocumentedOperation][]) {
      const decision =
        decisions.get(`${method} ${path}`.toLowerCase()) ?? decisions.get(`all ${path}`.toLowerCase());
      if (decision !== undefined && !(OPEN_WITHOUT_A_WORD.has(decision) && operation.security?.length)) {
        Object.assign(operation, { security: securityFor(decision, options) });
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
