import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SUPER_ADMIN } from 'kit-auth';
import { AdminApp, AdminClient, PASSWORD } from './admin-app.js';
import { describeAudit } from './audit.suite.js';
import { serverDatabases } from './databases.js';
import { bearer } from './login.js';
import { start } from './platforms.js';
import { postJson } from './raw-http.js';

for (const { name, options, recreate, drop } of serverDatabases('audit')) {
  const setting = { name, db: () => options, before: recreate, after: drop };
  describeAudit({ ...setting, platform: 'express', implementation: 'jwt' });
  describeAudit({ ...setting, platform: 'fastify', implementation: 'session' });

  describe(`administrative changes on ${name} while somebody else has the lock`, () => {
    let client: AdminClient;
    beforeAll(async () => {
      await recreate();
      client = new AdminClient(await start(AdminApp.with({ implementation: 'jwt', db: options })));
    });
    afterAll(async () => {
      await client.running.app.close();
      await drop();
    });

    it('are given up while the pool has no connection for them', async () => {
      const admin = await client.adminToken();
      const user = await client.newUser();
      const rename = () => client.call(admin, 'PATCH', `users/${user.id}`, { nickname: 'After' });
      const { dataSource } = client.users.manager;
      const held = Array.from({ length: 10 }, () => dataSource.createQueryRunner());
      await Promise.all(held.map((runner) => runner.connect()));
      const answers = await Promise.all([rename(), rename(), rename()]);
      expect(answers.map(({ json }) => json.code)).toEqual([50300, 50300, 50300]);
      await Promise.all(held.map((runner) => runner.release()));
      expect((await client.users.findOneByOrFail({ id: user.id })).nickname).toBe(user.username);
      expect((await rename()).status).toBe(200);
    });

    it('are given up, and users change their own passwords meanwhile', async () => {
      const admin = await client.adminToken();
      const user = await client.newUser();
      const token = await client.tokenOf(user);
      const { id: lockId } = await client.roles.findOneByOrFail({ code: SUPER_ADMIN });
      const rename = (nickname: string) => client.call(admin, 'PATCH', `users/${user.id}`, { nickname });
      expect((await rename('Before')).status).toBe(200);
      const other = client.users.manager.dataSource.createQueryRunner();
      await other.startTransaction();
      await other.query(`UPDATE auth_role SET name = 'Held' WHERE id = ${lockId}`);
      const changes = Array.from({ length: 24 }, (_, i) => rename(`After ${i}`));
      const body = { currentPassword: PASSWORD, newPassword: 'another right one 4712' };
      const path = '/v1/api/auth/password';
      expect((await postJson(client.running.port, path, body, [bearer(token)])).status).toBe(204);
      const answers = await Promise.all(changes);
      expect(new Set(answers.map(({ status, json }) => `${status} ${json.code}`))).toEqual(
        new Set(['503 50300']),
      );
      expect(answers.every(({ headers }) => Number(headers['retry-after']) > 0)).toBe(true);
      await other.rollbackTransaction();
      await other.release();
      const nickname = async () => (await client.users.findOneByOrFail({ id: user.id })).nickname;
      expect(await nickname()).toBe('Before');
      // More of them than the pool has connections: none was left behind, nor its wait for locks.
      for (let i = 0; i < 12; i++) {
        expect((await rename(`Again ${i}`)).status).toBe(200);
      }
      expect(await nickname()).toBe('Again 11');
      if (name === 'mariadb') {
        const waits = Array.from({ length: 20 }, () =>
          client.users.query(
            'SELECT @@SESSION.innodb_lock_wait_timeout = @@GLOBAL.innodb_lock_wait_timeout AS same',
          ),
        );
        expect((await Promise.all(waits)).flat().filter(({ same }) => Number(same) !== 1)).toEqual([]);
      }
    });
  });
}
