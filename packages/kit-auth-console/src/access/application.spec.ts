import { describe, expect, it } from '@jest/globals';
import type { RouteAccessReport } from 'kit-auth';
import type { ActiveLogins, DecidedRoute, NewPasswords } from 'kit-auth/extend';
import { ConsoleApplication } from './application.js';
import { ADMINISTRATIVE, OF_LIVE_LOGINS, OWN } from './endpoints.js';

const ALL = [...Object.values(ADMINISTRATIVE).map(({ path }) => path), ...Object.values(OWN), 'GET console'];
const FEATURES = [...Object.keys(ADMINISTRATIVE), ...Object.keys(OWN)];

interface Parts {
  readonly endpoints?: readonly string[];
  readonly prefix?: string;
  readonly requirements?: object[];
  readonly ours?: boolean;
  readonly areKnown?: boolean;
  readonly allowAdminResets?: boolean;
}

function applicationWith({
  areKnown = true,
  allowAdminResets = true,
  ...parts
}: Parts = {}): ConsoleApplication {
  const { endpoints = ALL, prefix = '/', requirements = [], ours = true } = parts;
  const routes = endpoints.map((endpoint) => {
    const [method, path] = endpoint.split(' ') as [string, string];
    return {
      ...{ method, ours, path: `${prefix}v1/api/auth/${path.replaceAll('{}', ':id')}` },
      rule: { requirements },
    } as unknown as DecidedRoute;
  });
  return new ConsoleApplication(
    { decided: () => routes } as unknown as RouteAccessReport,
    { areKnown: () => areKnown } as ActiveLogins,
    { allowAdminResets: () => allowAdminResets } as NewPasswords,
  );
}

describe('what the console finds in an application', () => {
  it('is each feature whose endpoint exists, in a fixed order', () => {
    expect(applicationWith().features).toEqual(FEATURES);
    expect(applicationWith({ endpoints: ['GET email', 'DELETE users/{}', 'GET users'] }).features).toEqual([
      ...['users', 'user-delete', 'email'],
    ]);
    expect(applicationWith({ endpoints: ['POST users/{}', 'GET user', 'GET users/{}/x'] }).features).toEqual(
      [],
    );
  });

  it('is not what the application itself has at these paths', () => {
    expect(applicationWith({ ours: false }).features).toEqual([]);
  });

  it.each(['/', '/api/', '/a/b/'])('is found behind the prefix %s', (prefix) => {
    const application = applicationWith({ prefix });
    expect([application.root, application.features]).toEqual([prefix, FEATURES]);
  });

  it('has no sessions where the implementation does not know them', () => {
    const { features } = applicationWith({ areKnown: false });
    expect(FEATURES.filter((it) => !features.includes(it))).toEqual([...OF_LIVE_LOGINS]);
    expect(applicationWith({ areKnown: false }).has('sessions')).toBe(false);
  });

  it('has no passwords that administrators choose where users get links', () => {
    const { features } = applicationWith({ allowAdminResets: false });
    expect(FEATURES.filter((it) => !features.includes(it))).toEqual(['user-password']);
  });

  it('knows the permissions of endpoints, and whether dangerous ones need a fresh login', () => {
    const permission = { kind: 'permission', names: ['a:b', 'c:d'] };
    const application = applicationWith({ requirements: [permission, { kind: 'fresh' }] });
    expect([application.needsOf('users'), application.freshAdmin]).toEqual([['a:b', 'c:d'], true]);
    expect(applicationWith({ requirements: [permission] }).freshAdmin).toBe(false);
    const without = applicationWith({ endpoints: ['GET keys'], requirements: [{ kind: 'fresh' }] });
    expect([without.freshAdmin, without.needsOf('users'), without.has('users')]).toEqual([false, [], false]);
  });
});
