import type { INestApplicationContext } from '@nestjs/common';
import { RouteAccessReport } from 'kit-auth';
import { findRoutes } from './find-routes.js';
import { InitialisedApp } from './initialised-app.js';
import { RouteAccessAssertions } from './route-access.assertions.js';

/** The routes of an application, to assert who may call them. */
export interface AccessAssertions {
  /**
   * Selects a route.
   *
   * @param route method and path as they are registered, for example `DELETE /v1/notes/:id`
   * @throws AssertionError for an unknown route, with the most similar ones
   */
  of(route: string): RouteAccessAssertions;
}

/**
 * Asserts who may call a route, with the decisions of the guard and without a request. Every assertion throws an
 * `AssertionError` of `node:assert`.
 *
 * @param app after `await app.init()` or `app.listen()`
 *
 * @example
 * const access = expectAccess(app);
 * access.of('GET /v1/notes').needsToken().allows({ roles: ['editor'] }).denies({ roles: ['reader'] });
 * access.of('GET /v1/notes/published').isPublic();
 */
export function expectAccess(app: INestApplicationContext): AccessAssertions {
  const initialised = new InitialisedApp(app);
  const routes = initialised.get(RouteAccessReport).decided();
  const of = (route: string) => new RouteAccessAssertions(initialised, findRoutes(routes, route, of));
  return { of };
}
