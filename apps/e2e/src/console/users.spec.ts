import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { sharedTestApp } from 'test-support';
import { ConsoleApp } from './app.js';

describe('GET console/users/{id}', () => {
  const app = sharedTestApp(new ConsoleApp({ extras: ['keys'] }));
  let helper: string;
  const reachOf = async (id: number | string, token = helper) => {
    const { status, headers, json } = await app.call(token, 'GET', `console/users/${id}`);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    return json;
  };
  beforeAll(async () => {
    await app.role({ code: 'helper', permissions: ['auth:user:*', 'auth:session:read'] });
    await app.role({ code: 'plain', permissions: ['note:*'] });
    await app.role({ code: 'auditor', permissions: ['auth:audit:read'] });
    helper = await app.tokenOf(await app.user({ roles: ['helper'] }));
  });

  it.each([
    ['has nothing', [], true],
    ['has rights in the application', ['plain'], true],
    ['has the same rights', ['helper'], true],
    ['has a right that the administrator lacks', ['auditor'], false],
    ['has all rights', ['SUPER_ADMIN'], false],
  ])('says what can be changed of a user who %s', async (_what, roles, expected) => {
    const { id } = await app.user({ roles });
    expect(await reachOf(id)).toEqual({ account: expected, belongings: expected });
    const off = await app.user({ roles, status: AuthUserStatus.DISABLED });
    expect(await reachOf(off.id)).toEqual({ account: expected, belongings: false });
    const admin = await app.adminToken();
    expect(await reachOf(id, admin)).toEqual({ account: true, belongings: true });
    expect(await reachOf(off.id, admin)).toEqual({ account: true, belongings: true });
  });

  it('says what the endpoints then do', async () => {
    for (const status of [AuthUserStatus.ENABLED, AuthUserStatus.DISABLED]) {
      for (const role of ['plain', 'auditor']) {
        const { id } = await app.user({ roles: [role], status });
        const { account, belongings } = await reachOf(id);
        const change = await app.call(helper, 'PATCH', `users/${id}`, { nickname: 'New' });
        const keys = await app.call(helper, 'GET', `users/${id}/keys`);
        expect([change.status === 200, keys.status === 200]).toEqual([account, belongings]);
      }
    }
  });

  it.each(['4711', 'x', '0', '..%2f', '%00'])('knows no user %s', async (id) => {
    expect(await reachOf(id)).toEqual({ account: false, belongings: false });
  });

  it('is for those who may do something with users', async () => {
    await app.role({ code: 'roles', permissions: ['auth:role:*', 'auth:audit:read'] });
    const token = await app.tokenOf(await app.user({ roles: ['roles'] }));
    expect((await app.call(token, 'GET', 'console/users/1')).json.code).toBe(40300);
  });
});
