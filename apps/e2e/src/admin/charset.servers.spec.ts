import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuthEvents } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { PASSWORD, type Platform, SERVERS, sharedDatabase, sharedTestApp } from 'test-support';
import { AdminApp } from './app.js';

/** Not in Latin-1, and beyond the three bytes of MySQL's utf8mb3. */
const ODD = '\u{1f600}\u0416';
const PLATFORMS = { postgres: 'fastify', mariadb: 'express' } as const satisfies Record<string, Platform>;

for (const name of SERVERS) {
  describe(`a database of ${name} that holds Latin-1 alone`, () => {
    const database = sharedDatabase(name, { encoding: 'latin1' });
    beforeAll(() => database.recreate());
    const app = sharedTestApp(new AdminApp({ database, platform: PLATFORMS[name], provider: 'session' }));
    let admin: string;
    beforeAll(async () => {
      admin = await app.adminToken();
    });

    const query = (text: string) => app.users.query(text);
    const refusal = (...fields: string[]) => ({
      status: 400,
      json: { code: 40000, message: expect.stringContaining(`cannot store this ${fields.join(' and ')}.`) },
    });

    it('refuses text outside of Latin-1, names the field, and writes nothing', async () => {
      const user = await app.user();
      await app.roles.save({ code: 'latin', name: 'Latin', permissions: [], includes: [] });
      const call = (method: string, path: string, body: object) => app.call(admin, method, path, body);
      const person = { username: 'person', password: PASSWORD };
      expect(await call('POST', 'users', { ...person, username: ODD })).toMatchObject(refusal('username'));
      expect(await call('POST', 'users', { ...person, nickname: ODD })).toMatchObject(refusal('nickname'));
      const change = { nickname: ODD, status: 'DISABLED' };
      expect(await call('PATCH', `users/${user.id}`, change)).toMatchObject(refusal('nickname'));
      expect(await call('POST', 'roles', { code: 'odd', name: ODD })).toMatchObject(refusal('name'));
      const grants = { name: ODD, permissions: ['a:b'] };
      expect(await call('PATCH', 'roles/latin', grants)).toMatchObject(refusal('name'));

      expect(await app.users.findOneByOrFail({ id: user.id })).toMatchObject({
        nickname: user.nickname,
        status: 'ENABLED',
      });
      expect(await app.users.existsBy({ username: 'person' })).toBe(false);
      expect(await app.roles.findBy({ code: 'odd' })).toEqual([]);
      expect(await app.roles.findOneByOrFail({ code: 'latin' })).toMatchObject({
        name: 'Latin',
        permissions: [],
      });
      const { json } = await app.call(admin, 'GET', 'audit?size=100');
      expect(json.items.filter(({ type }: any) => type !== 'login')).toEqual([]);
    });

    it('finds nobody with such a name', async () => {
      expect((await app.login(ODD)).json.code).toBe(40110);
      for (const path of ['users?role=', 'users?status=', 'users?q=', 'audit?actor=', 'audit?subject=']) {
        const { status, json } = await app.call(admin, 'GET', path + encodeURIComponent(ODD));
        expect([path, status, json.total]).toEqual([path, 200, 0]);
      }
    });

    it('stores Latin-1 text and finds it in any case', async () => {
      const input = { username: 'Zoë', password: PASSWORD, nickname: 'Straße' };
      expect((await app.call(admin, 'POST', 'users', input)).json).toMatchObject({ nickname: 'Straße' });
      for (const q of ['ZOË', 'STRASSE']) {
        const { json } = await app.call(admin, 'GET', `users?q=${encodeURIComponent(q)}`);
        expect([q, json.total]).toEqual([q, 1]);
      }
      expect((await app.login('Zoë')).status).toBe(200);
    });

    it('refuses a text that is longer than its column', async () => {
      const user = await app.user();
      const type =
        name === 'postgres' ? 'ALTER COLUMN nickname TYPE varchar(20)' : 'MODIFY nickname varchar(20)';
      await query(`ALTER TABLE auth_user ${type}`);
      const body = { nickname: 'x'.repeat(21) };
      expect(await app.call(admin, 'PATCH', `users/${user.id}`, body)).toMatchObject(refusal('nickname'));
    });

    it('fails at start-up if the name of the administrator does not fit, and names the option', async () => {
      const options = { defaultAdminUsername: ODD };
      const another = new AdminApp({ database: { ...database.options, synchronize: false }, options });
      await expect(another.start()).rejects.toThrow(/kit\.auth\.defaultAdminUsername/);
    });

    if (name === 'mariadb') {
      it('refuses such text also outside of strict mode, where the database would alter it', async () => {
        const { pool } = app.users.manager.dataSource.driver as unknown as {
          pool: {
            on: (event: string, listener: (connection: { query: (text: string) => void }) => void) => void;
          };
        };
        let mode = '';
        pool.on('acquire', (connection) => connection.query(`SET SESSION sql_mode = '${mode}'`));
        const before = await app.users.count();
        const input = { username: 'loose', password: PASSWORD, nickname: ODD };
        expect(await app.call(admin, 'POST', 'users', input)).toMatchObject(refusal('nickname'));
        const role = { code: 'loose', name: ODD };
        expect(await app.call(admin, 'POST', 'roles', role)).toMatchObject(refusal('name'));
        const store = app.get(ActiveUserStore);
        const creating = store.transaction(app.get(AuthEvents).begin(), (change) => {
          const user = { username: 'loose', nickname: ODD, passwordHash: 'x', roles: [] };
          return store.createUser(user, change);
        });
        await expect(creating).rejects.toMatchObject(refusal('nickname').json);
        expect([await app.users.count(), await app.roles.countBy({ code: 'loose' })]).toEqual([before, 0]);
        mode = 'STRICT_TRANS_TABLES';
      });

      it('keeps the audit record if only the audit log cannot store a name', async () => {
        await query('ALTER TABLE auth_user CONVERT TO CHARACTER SET utf8mb4');
        const made = await app.call(admin, 'POST', 'users', { username: ODD, password: PASSWORD });
        expect(made.status).toBe(201);
        const { json } = await app.call(admin, 'GET', `audit?subject=${made.json.userId}`);
        expect(json.items).toMatchObject([{ type: 'user-created', subject: '??', actor: 'admin' }]);
        expect((await app.login(ODD)).status).toBe(200);
      });
    }

    it('has logged no error', () => {
      expect(app.logs.ours().filter((line) => line.startsWith('error'))).toEqual([]);
    });
  });
}
