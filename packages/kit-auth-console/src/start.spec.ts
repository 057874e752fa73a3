import { describe, expect, it } from '@jest/globals';
import type { HttpAdapterHost } from '@nestjs/core';
import type { KitAuthSettings, RouteAccessReport } from 'kit-auth';
import type { DecidedRoute } from 'kit-auth/tools';
import type { Ports } from 'kit-auth/feature';
import type { ConsoleApplication } from './access/application.js';
import type { ResolvedConsoleOptions } from './config/console.options.js';
import { KitAuthConsolePageController } from './page/page.controller.js';
import type { ConsolePage } from './page/page.js';
import { ConsoleStart } from './start.js';

const CONTROLLERS = { own: KitAuthConsolePageController, other: class {} };

interface Parts {
  readonly transport?: object | undefined;
  readonly features?: readonly string[];
  readonly requireSecondFactor?: boolean;
  /** Each with its controller: `own` or `other`. */
  readonly routes?: readonly string[];
}

/** @returns the path that the page was prepared for */
function start({
  features = ['GET users'],
  requireSecondFactor = false,
  routes = [],
  ...parts
}: Parts): string {
  let prepared = '';
  const own = routes.every((route) => route.startsWith('other '))
    ? ['own /auth-console', 'own /auth-console/assets/:hash/:file']
    : [];
  const decided = [...own, ...routes].map((route) => {
    const [name, path] = route.split(' ') as [keyof typeof CONTROLLERS, string];
    return { controller: CONTROLLERS[name], path, method: 'GET' };
  });
  new ConsoleStart(
    { settings: { path: '/auth-console', requireSecondFactor } } as ResolvedConsoleOptions,
    { filled: () => ({ transport: {}, ...parts }) } as unknown as Ports,
    { decided: () => decided as unknown as DecidedRoute[] } as unknown as RouteAccessReport,
    {
      features,
      has: (it: string) => features.includes(it),
      sectionsOf: () => ({ users: features.includes('GET users') ? ['read'] : ['write'] }),
    } as unknown as ConsoleApplication,
    { prepare: (path: string) => void (prepared = path) } as unknown as ConsolePage,
    { httpAdapter: {} } as HttpAdapterHost,
    { enabled: true } as KitAuthSettings,
  ).onApplicationBootstrap();
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
      { features: ['GET keys', 'POST users', 'POST login/factor'] },
      'KitAuthConsoleModule found no administrative endpoints',
    ],
    [
      'with a second factor that nobody can have',
      { requireSecondFactor: true },
      'kit.auth.console.requireSecondFactor is true, but users cannot have a second factor',
    ],
    [
      'with a route at the path',
      { routes: ['other /auth-console'] },
      'kit.auth.console.path is /auth-console, where the application has the route GET /auth-console. Choose another',
    ],
    [
      'with a route below the path, in other letters',
      { routes: ['other /Auth-Console/help/:topic'] },
      'where the application has the route GET /Auth-Console/help/:topic',
    ],
    [
      'with a route at the path behind the prefix',
      {
        routes: [
          'own /api/auth-console',
          'own /api/auth-console/assets/:hash/:file',
          'other /api/auth-console',
        ],
      },
      'where the application has the route GET /api/auth-console',
    ],
    [
      'with a prefix for half of the page',
      { routes: ['own /auth-console', 'own /api/auth-console/assets/:hash/:file'] },
      'The page of KitAuthConsoleModule is at /auth-console, but its files are at /api/auth-console/assets/:hash/:file. Exclude both ' +
        "from the global prefix: 'auth-console' and what is below it.",
    ],
  ])('fails %s', (_, parts, message) => {
    expect(() => start(parts)).toThrow(message);
  });

  it.each<[Parts, string]>([
    [{ routes: ['other /auth-console-help', 'other /:page', 'other /x/auth-console'] }, '/auth-console'],
    [{ requireSecondFactor: true, features: ['GET users', 'POST login/factor'] }, '/auth-console'],
    [{ requireSecondFactor: true, features: ['GET users', 'POST login/passkey'] }, '/auth-console'],
    [{ routes: ['own /api/admin/assets/:hash/:file', 'own /api/admin', 'other /admin'] }, '/api/admin'],
  ])('prepares the page: %j', (parts, path) => {
    expect(start(parts)).toBe(path);
  });
});
