import type { INestApplicationContext } from '@nestjs/common';
import { ApplicationConfig, DiscoveryService } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AUTH_OPERATIONS, type PackageEndpoints } from '../endpoints/operations.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { contributionsTo } from '../ports/contribution.js';
import { Ports } from '../ports/ports.js';
import { type DecidedRoute, OPEN_UNDECLARED, type RouteAccess } from '../route-report/route-access.js';
import { RouteAccessReport } from '../route-report/route-access.report.js';
import { withLeadingSlash } from '../routes/paths.js';
import { describedOperation, type Responses, withError } from './described-operation.js';
import { joinedTables } from './joined-tables.js';
import { type DocumentOptions, SecuritySchemes } from './security-schemes.js';

const OUR_PATH = /^.*\/v1\/api\/auth\//;

/** The part of an OpenAPI document that is used here. No package that generates documents is needed. */
export interface OpenApiDocument {
  paths: Record<string, object>;
  components?: { securitySchemes?: object };
}

type Application = Pick<INestApplicationContext, 'get'>;

interface DocumentedOperation {
  security?: readonly object[];
  responses?: Responses;
}

type DocumentedRoute = DecidedRoute & { access: RouteAccess };

/**
 * Describes kit-auth in an OpenAPI document:
 *
 * - bodies, answers and error codes of the endpoints of all packages that the application imports;
 * - the security requirement of each operation, as the guard decides: required where a route needs a token, none where
 *   it is open, optional for `@OptionalUser()` and where the path of the request decides. Cookies and credentials, for
 *   example API keys, are alternatives on routes that accept them. A credential that reads requests in its own way is one
 *   if the document describes it: `addSecurity('mtls', { type: 'mutualTLS' })`, with the `scheme` of the credential;
 * - the security schemes that these requirements name, unless the document has them;
 * - the answer 40120 of routes that require a fresh login.
 *
 * A route that is open without a decorator or pattern may have a guard of the application. If its operation has a
 * security requirement already, as `@ApiBearerAuth()` adds one, it stays.
 *
 * @example
 * ```ts
 * const document = documentKitAuth(SwaggerModule.createDocument(app, config), app);
 * ```
 *
 * @returns the same document
 */
export function documentKitAuth<T extends OpenApiDocument>(
  document: T,
  app: Application,
  options: DocumentOptions = {},
): T {
  const { idType, transport, credentials, canRequireEnrolment } = app.get(Ports).filled();
  const cookies = transport?.cookie !== undefined;
  const refusals = { crossOrigin: cookies, enrolment: canRequireEnrolment };
  const operationOf = joinedTables(endpointsIn(app), idType, cookies);
  const routeOf = routesOf(app);
  const settings = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS);
  const schemes = new SecuritySchemes(settings, transport?.cookie, options, document, credentials);
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item) as [string, DocumentedOperation][]) {
      const route = routeOf(method, path);
      if (route === undefined) {
        continue;
      }
      const { ours, access } = route;
      const described = ours ? operationOf(path.replace(OUR_PATH, `${method.toUpperCase()} `)) : undefined;
      if (described !== undefined) {
        Object.assign(operation, describedOperation(described, route, refusals));
      } else if (access.requires?.some(({ kind }) => kind === 'fresh') === true) {
        operation.responses = withError(operation.responses ?? {}, AuthErrorCode.FRESH_LOGIN_REQUIRED);
      }
      if (!(OPEN_UNDECLARED.has(access.decision) && operation.security?.length)) {
        operation.security = schemes.requirementOf(access);
      }
    }
  }
  schemes.addToDocument();
  return document;
}

function endpointsIn(app: Application): PackageEndpoints[] {
  const contributions = contributionsTo(app.get(DiscoveryService), AUTH_OPERATIONS);
  return contributions.map(({ instance }) => instance as PackageEndpoints);
}

/** Finds the route of an operation, also in a document without the global prefix. */
function routesOf(app: Application): (method: string, path: string) => DocumentedRoute | undefined {
  const report = app.get(RouteAccessReport);
  const routes = report.decided();
  const byOperation = new Map(
    report.accessesOf(routes).map((access, i): [string, DocumentedRoute] => {
      const { method, path, ...route } = routes[i] as DecidedRoute;
      const key = `${method} ${path.replace(/:(\w+)/g, '{$1}')}`.toLowerCase();
      return [key, { ...route, method, path, access }];
    }),
  );
  const prefix = withLeadingSlash(app.get(ApplicationConfig).getGlobalPrefix());
  return (method, path) =>
    [method, 'all']
      .flatMap((name) => [`${name} ${path}`, `${name} ${prefix}${path}`])
      .map((key) => byOperation.get(key.toLowerCase()))
      .find((route) => route !== undefined);
}
