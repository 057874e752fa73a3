import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { KitAuthUserListModule } from 'kit-auth-admin';
import { SERVERS, sharedTestApp } from 'test-support';
import { describeUserList } from './user-list.suite.js';

describeUserList({ platform: 'fastify', database: 'postgres' });

describe.each(SERVERS)('the list of users with numbers as ids on %s', (database) => {
  const app = sharedTestApp({ database, provider: 'session', imports: [KitAuthUserListModule] });
  let token: string;
  let off: number;
  beforeAll(async () => {
    const role = await app.role({ code: 'reader' });
    await app.user({ username: 'ada', nickname: 'Ada', roles: [role] });
    ({ id: off } = await app.user({ username: 'bob', roles: [role], status: AuthUserStatus.DISABLED }));
    await app.user({ username: 'eve' });
    token = await app.adminToken();
  });

  it('has the roles and last logins of the store', async () => {
    const { items, total } = (await app.call(token, 'GET', 'users')).json;
    expect(total).toBe(4);
    expect(items).toEqual([
      expect.objectContaining({ username: 'admin', superAdmin: null, lastLoginAt: expect.any(String) }),
      expect.objectContaining({ username: 'ada', nickname: 'Ada', roles: ['reader'], lastLoginAt: null }),
      expect.objectContaining({ username: 'bob', status: 'DISABLED' }),
      expect.objectContaining({ username: 'eve' }),
    ]);
  });

  it('enables and disables in a transaction of the store', async () => {
    const patch = (status: string) => app.call(token, 'PATCH', `users/${off}`, { status });
    expect((await patch('ENABLED')).json).toMatchObject({ status: 'ENABLED', superAdmin: false });
    const bob = await app.tokenOf('bob');
    expect((await patch('DISABLED')).json).toMatchObject({ status: 'DISABLED', superAdmin: null });
    expect(await app.stateOf(bob)).toBe('40101 disabled');
  });
});
