import { describe, expect, it } from '@jest/globals';
import type { RouteAccessReport } from 'kit-auth';
import type { DecidedRoute, Ports } from 'kit-auth/extend';
import type { ConsoleApplication } from './access/application.js';
import type { ResolvedConsoleOptions } from './config/console.options.js';
import {
  KitAuthConsoleExpressController as Express,
  KitAuthConsoleFastifyController as Fastify,
} from './page/page.controllers.js';
import type { ConsolePages } from './page/pages.js';
import { ConsoleStart } from './start.js';

class Other {}

interface Parts {
  readonly transport?: object | undefined;
  readonly features?: readonly string[];
  readonly requireSecondFactor?: boolean;
  readonly routes?: readonly (readonly [controller: object, path: string])[];
}

/** @returns the path that the page was prepared for */
function start({ features = ['keys'], requireSecondFactor = false, routes = [], ...parts }: Parts): string {
  let prepared = '';
  const own = routes.some(([controller]) => controller !== Other)
    ? []
    : [[Express, '/auth-console'] as const, [Express, '/auth-console/{*path}'] as const];
  const decided = [...own, ...routes].map(([controller, path]) => ({ controller, path, method: 'GET' }));
  new ConsoleStart(
    { settings: { path: '/auth-console', requireSecondFactor } } as ResolvedConsoleOptions,
    { filled: () => ({ transport: {}, ...parts }) } as unknown as Ports,
    { decided: () => decided as unknown as DecidedRoute[] } as unknown as RouteAccessReport,
    { features, has: (it: string) => features.includes(it) } as unknown as ConsoleApplication,
    { prepare: (path: string) => void (prepared = path) } as unknown as ConsolePages,
  ).run();
  return prepared;
}

describe('start-up of an application with a console', () => {
  it.each<[string, Parts, string]>([
    [
      'without cookies',
      { transport: undefined },
      'KitAuthConsoleModule needs KitAuthBrowserModule of kit-auth-browser',
    ],
    [
      'without administrative endpoints',
      { features: ['own-keys', 'user-create', 'login-factor'] },
      'KitAuthConsoleModule found no administrative endpoints',
    ],
    [
      'with a second factor that nobody can have',
      { requireSecondFactor: true },
      'kit.auth.console.requireSecondFactor is true, but users cannot have a second factor',
    ],
    [
      'with a route at the path',
      { routes: [[Other, '/auth-console']] },
      'kit.auth.console.path is /auth-console, where the application has the route GET /auth-console. Choose another',
    ],
    [
      'with a route below the path, in other letters',
      { routes: [[Other, '/Auth-Console/help/:topic']] },
      'where the application has the route GET /Auth-Console/help/:topic',
    ],
    [
      'with a route at the path behind the prefix',
      {
        routes: [
          [Fastify, '/api/auth-console'],
          [Fastify, '/api/auth-console/*'],
          [Other, '/api/auth-console'],
        ],
      },
      'where the application has the route GET /api/auth-console',
    ],
    [
      'with a prefix for half of the page',
      {
        routes: [
          [Express, '/auth-console'],
          [Express, '/api/auth-console/{*path}'],
        ],
      },
      'The page of KitAuthConsoleModule is at /auth-console, but its files are at /api/auth-console/{*path}. Exclude both ' +
        "from the global prefix: 'auth-console' and what is below it.",
    ],
  ])('fails %s', (_, parts, message) => {
    expect(() => start(parts)).toThrow(message);
  });

  it.each<[Parts, string]>([
    [
      {
        routes: [
          [Other, '/auth-console-help'],
          [Other, '/:page'],
          [Other, '/x/auth-console'],
        ],
      },
      '/auth-console',
    ],
    [{ requireSecondFactor: true, features: ['users', 'login-factor'] }, '/auth-console'],
    [{ requireSecondFactor: true, features: ['users', 'login-passkey'] }, '/auth-console'],
    [
      {
        routes: [
          [Fastify, '/api/admin/*'],
          [Fastify, '/api/admin'],
          [Other, '/admin'],
        ],
      },
      '/api/admin',
    ],
  ])('prepares the page: %j', (parts, path) => {
    expect(start(parts)).toBe(path);
  });
});
