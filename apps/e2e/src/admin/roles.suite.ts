import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AuthRole, AuthUser } from 'kit-auth/typeorm';
import { sharedTestApp, type Where } from 'test-support';
import { AdminApp } from './app.js';

/** Roles that were written past the endpoints: broken ones, and very many. */
export function describeRoles({ database, platform, provider }: Where): void {
  describe(`roles on ${database}, ${platform}, with ${provider}`, () => {
    const app = sharedTestApp(new AdminApp({ database, platform, provider }));
    let admin: string;
    beforeAll(async () => {
      admin = await app.adminToken();
    });

    const breakList = ({ id }: AuthRole, stored: string) =>
      app.roles.query(`UPDATE auth_role SET permissions = '${stored}' WHERE id = ${id}`);
    const storedOf = async ({ id }: AuthRole) =>
      (await app.roles.query(`SELECT permissions FROM auth_role WHERE id = ${id}`))[0].permissions;
    const notes = async (user: AuthUser) => app.codeOf(await app.tokenOf(user), '/v1/notes');

    it.each(['', 'note:read', '{"0": "note:read"}'])(
      'grant nothing when their permissions are %j, and keep nothing from working',
      async (stored) => {
        const [broken, sound] = [
          await app.role({ permissions: ['note:read'] }),
          await app.role({ permissions: ['note:read'] }),
        ];
        const [holder, both] = [
          await app.user({ roles: [broken] }),
          await app.user({ roles: [broken, sound] }),
        ];
        await breakList(broken, stored);
        expect([await notes(holder), await notes(both)]).toEqual([40300, 200]);
        const roles = await app.call(admin, 'GET', 'roles');
        const { code } = broken;
        expect([roles.status, roles.json.find((role: AuthRole) => role.code === code)]).toEqual([
          200,
          { code, name: code, permissions: [], includes: [] },
        ]);
        expect((await app.call(admin, 'GET', `users/${holder.id}`)).json.roles).toEqual([code]);
        const assigned = await app.call(admin, 'PUT', `users/${both.id}/roles`, { roles: [code] });
        expect(assigned.json.roles).toEqual([code]);
        const lines = app.logs.ours().filter((line) => line.includes(`the role ${code} grants no`));
        expect(lines).toHaveLength(1);

        const change = (body: object) => app.call(admin, 'PATCH', `roles/${code}`, body);
        expect((await change({ name: 'Renamed' })).json).toMatchObject({ name: 'Renamed', permissions: [] });
        expect((await change({ permissions: [] })).status).toBe(200);
        expect(await storedOf(broken)).toBe('[]');
        await breakList(broken, stored);
        expect((await change({ permissions: ['note:read'] })).json.permissions).toEqual(['note:read']);
        expect([await storedOf(broken), await notes(holder)]).toEqual(['["note:read"]', 200]);
      },
    );

    describe('a thousand of them', () => {
      let chain: AuthRole[];
      beforeAll(async () => {
        const rows = Array.from({ length: 990 }, (_, i) => `('many-${i}', 'Many', '["many:${i}"]')`);
        await app.roles.query(`INSERT INTO auth_role (code, name, permissions) VALUES ${rows.join()}`);
        const [first] = await app.roles.findBy({ code: 'many-0' });
        chain = Array.from({ length: 990 }, (_, i) => ({ id: first!.id + i, code: `many-${i}` }) as AuthRole);
      });
      /** Each includes so many that follow. */
      const include = async (count: number) => {
        await app.roles.query(`DELETE FROM auth_role_include`);
        const pairs = chain.flatMap(({ id }, i) =>
          chain.slice(i + 1, i + 1 + count).map((included) => `(${id}, ${included.id})`),
        );
        const [a, b] = ['roleId', 'includedId'].map((column) =>
          app.users.manager.dataSource.driver.escape(column),
        );
        for (let i = 0; i < pairs.length; i += 1000) {
          const values = pairs.slice(i, i + 1000).join();
          await app.roles.query(`INSERT INTO auth_role_include (${a}, ${b}) VALUES ${values}`);
        }
      };

      it.each([
        ['in a chain', 1],
        ['in a dense graph', 20],
      ])('%s are resolved, listed and changed', async (_how, count) => {
        await include(count);
        const user = await app.user({ roles: [chain[0]!] });
        await app.roles.update({ code: 'many-989' }, { permissions: ['note:read'] });
        // A token that holds all of them would be too long for a header.
        if (provider === 'session') {
          expect(await notes(user)).toBe(200);
        }
        const list = await app.call(admin, 'GET', 'roles');
        const first = list.json.find(({ code }: AuthRole) => code === 'many-0');
        expect(first.includes).toHaveLength(count);
        const last = chain.at(-1)!.code;
        expect((await app.call(admin, 'PATCH', `roles/${last}`, { includes: ['many-0'] })).json.code).toBe(
          40900,
        );
        expect((await app.call(admin, 'PATCH', `roles/${last}`, { name: 'Last' })).status).toBe(200);
        expect((await app.call(admin, 'DELETE', `roles/${last}`)).json.code).toBe(40900);
        const roles = chain.slice(0, 100).map(({ code }) => code);
        const assigned = await app.call(admin, 'PUT', `users/${user.id}/roles`, { roles });
        expect(assigned.json.roles).toHaveLength(100);
      });

      it('cannot be more than 2000', async () => {
        const free = 1998 - (await app.roles.count());
        const rows = Array.from({ length: free }, (_, i) => `('free-${i}', 'Free', '[]')`);
        await app.roles.query(`INSERT INTO auth_role (code, name, permissions) VALUES ${rows.join()}`);
        for (const code of ['last-but-one', 'last']) {
          expect((await app.call(admin, 'POST', 'roles', { code, name: 'Last' })).status).toBe(201);
        }
        const { json } = await app.call(admin, 'POST', 'roles', { code: 'beyond', name: 'Beyond' });
        expect(json).toMatchObject({ code: 40900, message: expect.stringContaining('at most 2000 roles') });
      });

      it('cannot include more than the limit', async () => {
        await include(21);
        const includes = chain.slice(500, 600).map(({ code }) => code);
        const tooMany = await app.call(admin, 'PATCH', 'roles/many-1', { includes });
        expect(tooMany.json).toMatchObject({ code: 40900, message: expect.stringContaining('inclusions') });
        // What is over the limit already may shrink.
        const fewer = await app.call(admin, 'PATCH', 'roles/many-1', { includes: ['many-2'] });
        expect(fewer.json.includes).toEqual(['many-2']);
        for (const permissions of [
          Array.from({ length: 101 }, (_, i) => `a:${i}`),
          Array.from({ length: 100 }, (_, i) => `a:${i}`.repeat(100)),
        ]) {
          const { json } = await app.call(admin, 'PATCH', 'roles/many-1', { permissions });
          expect(json.code).toBe(40000);
        }
      });

      it('grant a bounded number of permissions', async () => {
        const statuses: number[] = [];
        for (let i = 0; i < 3; i++) {
          const permissions = Array.from({ length: 100 }, (_, j) => `auth:x${i}:${j}:*`);
          statuses.push((await app.call(admin, 'PATCH', `roles/many-${i}`, { permissions })).status);
        }
        expect(statuses).toEqual([200, 200, 409]);
        const hundred = JSON.stringify(Array.from({ length: 100 }, (_, i) => `app:${i}`));
        await app.roles.query(
          `UPDATE auth_role SET permissions = '${hundred}' WHERE id <= ${chain[199]!.id}`,
        );
        const { json } = await app.call(admin, 'PATCH', 'roles/many-300', {
          permissions: JSON.parse(hundred),
        });
        expect(json).toMatchObject({ code: 40900, message: expect.stringContaining('20000 permissions') });
      });
    });
  });
}
