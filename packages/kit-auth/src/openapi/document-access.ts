import type { DescribeOptions, OpenApiDocument } from './describe-operations.js';

/** What `RouteAccessReport.routes()` says of a route, as far as it is used here. */
interface DocumentedRoute {
  method: string;
  path: string;
  decision: string;
}

/**
 * Sets the locks of all operations in an OpenAPI document to what the guard decides: required where a route needs a
 * token, none where it is open, optional where only the path of a request tells.
 *
 * @example
 * const document = SwaggerModule.createDocument(app, config);
 * documentAccess(document, app.get(RouteAccessReport).routes());
 *
 * @returns the same document
 */
export function documentAccess<T extends OpenApiDocument>(
  document: T,
  routes: readonly DocumentedRoute[],
  { security = 'bearer' }: DescribeOptions = {},
): T {
  const decisions = new Map(
    routes.map(({ method, path, decision }) => [
      `${method} ${path.replace(/:(\w+)/g, '{$1}')}`.toLowerCase(),
      decision,
    ]),
  );
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item) as [string, object][]) {
      const decision =
        decisions.get(`${method} ${path}`.toLowerCase()) ?? decisions.get(`all ${path}`.toLowerCase());
      if (decision !== undefined) {
        Object.assign(operation, { security: locksOf(decision, security) });
      }
    }
  }
  return document;
}

function locksOf(decision: string, security: string): object[] {
  if (decision.startsWith('open')) {
    return [];
  }
  return decision === 'token' ? [{ [security]: [] }] : [{ [security]: [] }, {}];
}
