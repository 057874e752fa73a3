import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { IllegalStateException } from 'kit-auth';
import { KitAuthSessionModule } from 'kit-auth-session';
import { AdminApp, AdminClient } from './admin-app.js';
import { describeAdministration } from './admin.suite.js';
import { sqliteInMemory } from './databases.js';
import { EVERYWHERE } from './implementations.js';
import { bearer } from './login.js';
import { start } from './platforms.js';
import { request } from './raw-http.js';
import './remember-hashes.js';
import { ALL_BUT_DATE } from './session-app.js';

EVERYWHERE.forEach((setting) => describeAdministration({ name: 'SQLite', db: sqliteInMemory, ...setting }));

describe('the audit log', () => {
  let client: AdminClient;
  const boot = async (options: Parameters<typeof AdminApp.with>[0]) => {
    client = new AdminClient(await start(AdminApp.with(options)));
  };
  afterEach(async () => {
    jest.restoreAllMocks();
    jest.useRealTimers();
    await client.running.app.close();
  });

  it('keeps events as long as it is told', async () => {
    await boot({ implementation: 'session', admin: { auditRetentionDays: 30 } });
    await client.adminToken();
    await client.call(await client.adminToken(), 'GET', 'me');
    expect(await client.audit.count()).toBe(2);
    const { AuditCleaner } = await import('../../../packages/kit-auth-admin/src/audit/audit.cleaner.js');
    const cleaner = client.running.app.get(AuditCleaner, { strict: false });
    jest.useFakeTimers({ doNotFake: ALL_BUT_DATE, now: Date.now() + 30 * 24 * 60 * 60_000 - 60_000 });
    await cleaner.clean();
    expect(await client.audit.count()).toBe(2);
    jest.setSystemTime(Date.now() + 120_000);
    await cleaner.clean();
    expect(await client.audit.count()).toBe(0);
  });

  it('is cleaned within a minute of start-up, and about every hour from then on', async () => {
    const doNotFake = ALL_BUT_DATE.filter((it) => it !== 'setTimeout' && it !== 'clearTimeout');
    jest.useFakeTimers({ doNotFake });
    const { AuditCleaner } = await import('../../../packages/kit-auth-admin/src/audit/audit.cleaner.js');
    const clean = jest.spyOn(AuditCleaner.prototype, 'clean');
    await boot({ implementation: 'session' });
    expect(clean).not.toHaveBeenCalled();
    jest.advanceTimersByTime(60_000);
    expect(clean).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(44 * 60_000);
    expect(clean).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(32 * 60_000);
    expect(clean).toHaveBeenCalledTimes(2);
    jest.advanceTimersByTime(75 * 60 * 60_000);
    // 45 to 75 minutes apart.
    expect(clean.mock.calls.length).toBeGreaterThanOrEqual(60);
    expect(clean.mock.calls.length).toBeLessThanOrEqual(102);
    await client.running.app.close();
    clean.mockClear();
    jest.advanceTimersByTime(180 * 60_000);
    expect(clean).not.toHaveBeenCalled();
    await boot({ implementation: 'session' });
  });

  it.each([0, 1.5, -1, 3651, '30', null])('is not kept for %j days', async (auditRetentionDays) => {
    const options = {
      implementation: 'jwt',
      admin: { auditRetentionDays: auditRetentionDays as number },
    } as const;
    await expect(start(AdminApp.with(options))).rejects.toThrow(IllegalStateException);
  });

  it('undoes a change that it cannot keep, and no login', async () => {
    await boot({ implementation: 'session' });
    const admin = await client.adminToken();
    const user = await client.newUser();
    await client.audit.query('DROP TABLE auth_audit');
    const answer = await client.call(admin, 'PATCH', `users/${user.id}`, { nickname: 'Lost' });
    expect([answer.status, answer.json.code]).toEqual([503, 50300]);
    expect((await client.users.findOneByOrFail({ id: user.id })).nickname).toBe(user.username);
    expect((await client.login(user.username)).status).toBe(200);
  });

  it('is not there, like the rest, while kit.auth.enabled is false', async () => {
    await boot({ implementation: 'jwt', auth: { enabled: false } });
    for (const path of ['users', 'users/1', 'roles', 'audit', 'users/1/sessions']) {
      expect((await client.call(undefined, 'GET', path)).status).toBe(404);
    }
  });
});

describe.each(EVERYWHERE)(
  'a locked account on $platform with $implementation',
  ({ platform, implementation }) => {
    it('is shown as such, and unlocked by an administrator', async () => {
      jest.useFakeTimers({ doNotFake: ALL_BUT_DATE }); // the lock lasts a second
      const client = new AdminClient(
        await start(
          AdminApp.with({ implementation, auth: { login: { throttle: { addressFailures: 100 } } } }),
          {
            platform,
          },
        ),
      );
      const admin = await client.adminToken();
      const user = await client.newUser();
      const lockedUntil = async () => (await client.call(admin, 'GET', `users/${user.id}`)).json.lockedUntil;
      expect(await lockedUntil()).toBeNull();
      for (let i = 0; i < 5; i++) {
        expect((await client.login(user.username, 'wrong')).json.code).toBe(40110);
      }
      expect((await client.login(user.username)).json.code).toBe(42900);
      expect(Date.parse(await lockedUntil())).toBeGreaterThan(Date.now() - 1000);
      const list = await client.call(admin, 'GET', `users?q=${user.username}`);
      expect(list.json.items[0].lockedUntil).not.toBeNull();
      await client.audit.query('ALTER TABLE auth_audit RENAME TO away');
      expect((await client.call(admin, 'POST', `users/${user.id}/unlock`)).json.code).toBe(50300);
      expect(await lockedUntil()).not.toBeNull();
      await client.audit.query('ALTER TABLE away RENAME TO auth_audit');
      expect((await client.call(admin, 'POST', `users/${user.id}/unlock`)).status).toBe(204);
      expect(await lockedUntil()).toBeNull();
      expect((await client.login(user.username)).status).toBe(200);
      expect((await client.call(admin, 'GET', 'audit?type=user-unlocked')).json.total).toBe(1);
      await client.running.app.close();
    });
  },
);

describe('a user that is cached', () => {
  it('is read again when an administrator changed it, or one of its roles', async () => {
    const sessions = KitAuthSessionModule.forRoot({ userCacheSeconds: 3600, store: 'memory' });
    const client = new AdminClient(await start(AdminApp.with({ implementation: sessions })));
    const admin = await client.adminToken();
    const role = await client.newRole(['note:read']);
    const user = await client.newUser([role]);
    const token = await client.tokenOf(user);
    const notes = async () =>
      (await request(client.running.port, '/v1/notes', { headers: [bearer(token)] })).status;
    expect(await notes()).toBe(200);
    await client.roles.update(role.id, { permissions: [] });
    expect(await notes()).toBe(200);
    await client.call(admin, 'PATCH', `roles/${role.code}`, { permissions: ['note:write'] });
    expect(await notes()).toBe(403);
    await client.call(admin, 'PATCH', `roles/${role.code}`, { permissions: ['note:*'] });
    expect(await notes()).toBe(200);
    await client.call(admin, 'PUT', `users/${user.id}/roles`, { roles: [] });
    expect(await notes()).toBe(403);
    await client.running.app.close();
  });
});
