import { describe, expect, it } from '@jest/globals';
import { NewPasswords } from 'kit-auth/login';
import { EVERYWHERE, freezeDate, PASSWORD } from 'test-support';
import { AdminApp } from './app.js';
import { describeRoles } from './roles.suite.js';
import { describeTexts } from './texts.suite.js';
import { describeAdministration } from './admin.suite.js';

EVERYWHERE.forEach((where) => describeAdministration({ database: 'sqlite', ...where }));
// Neither the platform nor the implementation matters to what is stored. `admin.servers.spec.ts` has the other ones.
describeRoles({ database: 'sqlite', platform: 'express', provider: 'session' });
describeTexts({ database: 'sqlite', platform: 'fastify', provider: 'jwt' });

describe('the audit log', () => {
  it('rolls back a change that it cannot record, but not a login', async () => {
    const app = await new AdminApp({ provider: 'session' }).start();
    const admin = await app.adminToken();
    const user = await app.user();
    await app.audit.query('DROP TABLE auth_audit');
    const answer = await app.call(admin, 'PATCH', `users/${user.id}`, { nickname: 'Lost' });
    expect([answer.status, answer.json.code]).toEqual([503, 50300]);
    expect((await app.users.findOneByOrFail({ id: user.id })).nickname).toBe(user.username);
    expect((await app.login(user.username)).status).toBe(200);
  });
});

describe('a locked account', () => {
  it('is shown as locked, and can be unlocked by an administrator', async () => {
    freezeDate(); // the lock lasts a second
    const options = { login: { throttle: { addressFailures: 100 } } };
    const app = await new AdminApp({ options }).start();
    const admin = await app.adminToken();
    const user = await app.user();
    const lockedUntil = async () => (await app.call(admin, 'GET', `users/${user.id}`)).json.lockedUntil;
    expect(await lockedUntil()).toBeNull();
    for (let i = 0; i < 5; i++) {
      expect((await app.login(user.username, 'wrong')).json.code).toBe(40110);
    }
    expect((await app.login(user.username)).json.code).toBe(42900);
    expect(Date.parse(await lockedUntil())).toBeGreaterThan(Date.now() - 1000);
    const list = await app.call(admin, 'GET', `users?q=${user.username}`);
    expect(list.json.items[0].lockedUntil).not.toBeNull();
    await app.audit.query('ALTER TABLE auth_audit RENAME TO away');
    expect((await app.call(admin, 'POST', `users/${user.id}/unlock`)).json.code).toBe(50300);
    expect(await lockedUntil()).not.toBeNull();
    await app.audit.query('ALTER TABLE away RENAME TO auth_audit');
    expect((await app.call(admin, 'POST', `users/${user.id}/unlock`)).status).toBe(204);
    expect(await lockedUntil()).toBeNull();
    expect((await app.login(user.username)).status).toBe(200);
    expect((await app.call(admin, 'GET', 'audit?type=user-unlocked')).json.total).toBe(1);
  });
});

describe('a user that is cached', () => {
  it('is read again after an administrator changes the user or one of its roles', async () => {
    const app = await new AdminApp({ session: { userCacheSeconds: 3600, store: 'memory' } }).start();
    const admin = await app.adminToken();
    const role = await app.role({ permissions: ['note:read'] });
    const user = await app.user({ roles: [role] });
    const token = await app.tokenOf(user);
    const notes = () => app.codeOf(token, '/v1/notes');
    expect(await notes()).toBe(200);
    await app.roles.update(role.id, { permissions: [] });
    expect(await notes()).toBe(200);
    await app.call(admin, 'PATCH', `roles/${role.code}`, { permissions: ['note:write'] });
    expect(await notes()).toBe(40300);
    await app.call(admin, 'PATCH', `roles/${role.code}`, { permissions: ['note:*'] });
    expect(await notes()).toBe(200);
    await app.call(admin, 'PUT', `users/${user.id}/roles`, { roles: [] });
    expect(await notes()).toBe(40300);
  });
});

it('passwords that administrators choose are refused where a module offers something better', async () => {
  const app = await new AdminApp({}).start();
  const [admin, user] = [await app.adminToken(), await app.user()];
  app.get(NewPasswords).disableAdminResets('Send a link');
  for (const id of [user.id, 4711]) {
    const body = { newPassword: 'another right one 4712' };
    const { status, json } = await app.call(admin, 'POST', `users/${id}/password`, body);
    expect([status, json.code, json.message]).toEqual([403, 40300, 'Send a link']);
  }
  expect((await app.login(user.username)).status).toBe(200);
  const own = { currentPassword: 'admin', newPassword: PASSWORD };
  expect((await app.call(admin, 'POST', 'password', own)).status).toBe(204);
});
