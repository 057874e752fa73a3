import { describe, expect, it } from '@jest/globals';
import { SUPER_ADMIN } from 'kit-auth/typeorm';
import { PASSWORD, SERVERS, sharedTestApp } from 'test-support';
import { AdminApp } from '../admin/app.js';
import { describeAudit } from './audit.suite.js';

for (const database of SERVERS) {
  describeAudit({ database, platform: 'express', provider: 'jwt' });
  describeAudit({ database, platform: 'fastify', provider: 'session' });

  describe(`administrative changes on ${database} while somebody else has the lock`, () => {
    const app = sharedTestApp(new AdminApp({ database }));

    it('answer 503 while the pool has no free connection', async () => {
      const admin = await app.adminToken();
      const user = await app.user();
      const rename = () => app.call(admin, 'PATCH', `users/${user.id}`, { nickname: 'After' });
      const { dataSource } = app.users.manager;
      const held = Array.from({ length: 10 }, () => dataSource.createQueryRunner());
      await Promise.all(held.map((runner) => runner.connect()));
      const answers = await Promise.all([rename(), rename(), rename()]);
      expect(answers.map(({ json }) => json.code)).toEqual([50300, 50300, 50300]);
      await Promise.all(held.map((runner) => runner.release()));
      expect((await app.users.findOneByOrFail({ id: user.id })).nickname).toBe(user.username);
      expect((await rename()).status).toBe(200);
    });

    it('answer 503, while users can still change their own passwords', async () => {
      const admin = await app.adminToken();
      const user = await app.user();
      const token = await app.tokenOf(user);
      const { id: lockId } = await app.roles.findOneByOrFail({ code: SUPER_ADMIN });
      const rename = (nickname: string) => app.call(admin, 'PATCH', `users/${user.id}`, { nickname });
      expect((await rename('Before')).status).toBe(200);
      const other = app.users.manager.dataSource.createQueryRunner();
      await other.startTransaction();
      await other.query(`UPDATE auth_role SET name = 'Held' WHERE id = ${lockId}`);
      const changes = Array.from({ length: 24 }, (_, i) => rename(`After ${i}`));
      const body = { currentPassword: PASSWORD, newPassword: 'another right one 4712' };
      expect((await app.call(token, 'POST', 'password', body)).status).toBe(204);
      const answers = await Promise.all(changes);
      expect(new Set(answers.map(({ status, json }) => `${status} ${json.code}`))).toEqual(
        new Set(['503 50300']),
      );
      expect(answers.every(({ headers }) => Number(headers['retry-after']) > 0)).toBe(true);
      await other.rollbackTransaction();
      await other.release();
      const nickname = async () => (await app.users.findOneByOrFail({ id: user.id })).nickname;
      expect(await nickname()).toBe('Before');
      // More of them than the pool has connections: none was left behind, nor its wait for locks.
      for (let i = 0; i < 12; i++) {
        expect((await rename(`Again ${i}`)).status).toBe(200);
      }
      expect(await nickname()).toBe('Again 11');
      if (database === 'mariadb') {
        const waits = Array.from({ length: 20 }, () =>
          app.users.query(
            'SELECT @@SESSION.innodb_lock_wait_timeout = @@GLOBAL.innodb_lock_wait_timeout AS same',
          ),
        );
        expect((await Promise.all(waits)).flat().filter(({ same }) => Number(same) !== 1)).toEqual([]);
      }
    });
  });
}
