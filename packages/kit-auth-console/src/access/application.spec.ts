import { describe, expect, it } from '@jest/globals';
import type { RouteAccessReport } from 'kit-auth';
import type { ActiveLogins, NewPasswords } from 'kit-auth/login';
import type { DecidedRoute } from 'kit-auth/tools';
import { Endpoint, type EndpointDeclaration } from 'kit-auth/feature';
import { ConsoleApplication } from './application.js';

type Declared = Partial<EndpointDeclaration>;

const ALL: Readonly<Record<string, Declared>> = {
  'GET users': { section: 'users', permission: 'auth:user:read' },
  'POST users': { section: 'users', permission: 'auth:user:write' },
  'POST users/{id}/password': { section: 'users', permission: 'auth:user:write' },
  'DELETE users/{id}': { section: 'users', permission: 'auth:user:write' },
  'GET users/{id}/sessions': { section: 'sessions', permission: 'auth:session:read' },
  'DELETE users/{id}/sessions': { section: 'sessions', permission: 'auth:session:end' },
  'DELETE users/{id}/sessions/{sessionId}': { section: 'sessions', permission: 'auth:session:end' },
  'GET invitations': { section: 'invitations', permission: 'auth:user:write' },
  'GET reports': { section: 'reports', permission: 'auth:report:read' },
  'GET sessions': {},
  'GET console': {},
};
const KEYS = Object.keys(ALL);

/** The route of a handler with this declaration. */
function routeOf(key: string, declared: Declared, prefix: string, requirements: object[]): DecidedRoute {
  class Controller {
    handle(): void {}
  }
  const api = { [key]: { id: key, summary: key, ...declared } };
  const descriptor = Object.getOwnPropertyDescriptor(Controller.prototype, 'handle')!;
  Endpoint(api, key)(Controller.prototype, 'handle', descriptor);
  const path = `${prefix}v1/api/auth/${key.split(' ')[1]!}`;
  const { value: handler } = descriptor as { value: object };
  return { controller: Controller, handler, path, rule: { requirements } } as unknown as DecidedRoute;
}

function applicationWith({
  endpoints = ALL,
  prefix = '/',
  requirements = [] as object[],
  areKnown = true,
  allowAdminResets = true,
} = {}): ConsoleApplication {
  const routes = Object.entries(endpoints).map(([key, declared]) =>
    routeOf(key, declared, prefix, requirements),
  );
  const plain = { controller: class {}, handler: () => undefined, path: '/v1/api/auth/users', rule: {} };
  return new ConsoleApplication(
    { decided: () => [...routes, plain as unknown as DecidedRoute] } as unknown as RouteAccessReport,
    { areKnown: () => areKnown } as ActiveLogins,
    { allowAdminResets: () => allowAdminResets } as NewPasswords,
  );
}

describe('what the console finds in an application', () => {
  it.each(['/', '/api/', '/a/b/'])('is each declared endpoint, behind the prefix %s', (prefix) => {
    const application = applicationWith({ prefix });
    expect([application.root, application.features]).toEqual([prefix, KEYS]);
  });

  it('has no sessions where the implementation does not know them', () => {
    const application = applicationWith({ areKnown: false });
    expect(application.features).toEqual(KEYS.filter((key) => !/sessions/.test(key)));
    expect(application.has('GET sessions')).toBe(false);
  });

  it('has no passwords that administrators choose where users get links', () => {
    const { features } = applicationWith({ allowAdminResets: false });
    expect(KEYS.filter((key) => !features.includes(key))).toEqual(['POST users/{id}/password']);
  });

  it('is allowed with the permission of its declaration, or without any', () => {
    const grants = { superAdmin: false, permissions: ['auth:session:*'] };
    expect(applicationWith().allowedFor(grants)).toEqual([
      ...KEYS.filter((key) => /users\/.*sessions/.test(key)),
      ...['GET sessions', 'GET console'],
    ]);
  });

  it('is in the section of its declaration, with the verb of its permission, or to be read', () => {
    const application = applicationWith();
    expect(application.sectionsOf(application.features)).toEqual({
      users: ['read', 'write'],
      roles: [],
      sessions: ['read', 'end'],
      keys: [],
      audit: [],
      invitations: ['read'],
    });
  });

  it('tells whether dangerous changes need a fresh login', () => {
    const requirements = [{ kind: 'permission' }, { kind: 'fresh' }];
    expect(applicationWith({ requirements }).freshAdmin).toBe(true);
    expect(applicationWith().freshAdmin).toBe(false);
    const endpoints = { 'GET keys': {}, 'GET console': {} };
    const without = applicationWith({ endpoints, requirements });
    expect([without.freshAdmin, without.has('GET users')]).toEqual([false, false]);
  });
});
