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
    const change = async (code: string, body: object) =>
      (await app.call(admin, 'PATCH', `roles/${code}`, body)).json;
    const notes = async (user: AuthUser) => app.codeOf(await app.tokenOf(user), '/v1/notes');

    it.each(['', '{"0": "note:read"}'])(
      'grant nothing when their permissions are %j, and keep nothing from working',
      async (stored) => {
        const [broken, sound] = [
          await app.role({ permissions: ['note:read'] }),
          await app.role({ permissions: ['note:read'] }),
        ];
        const holder = await app.user({ roles: [broken] });
        const both = await app.user({ roles: [broken, sound] });
        const { code, id } = broken;
        await app.roles.query(`UPDATE auth_role SET permissions = '${stored}' WHERE id = ${id}`);
        expect([await notes(holder), await notes(both)]).toEqual([40300, 200]);
        const roles = await app.call(admin, 'GET', 'roles');
        expect(roles.json).toContainEqual({ code, name: code, permissions: [], includes: [] });
        expect((await app.call(admin, 'GET', `users/${holder.id}`)).json.roles).toEqual([code]);
        const lines = app.logs.ours().filter((line) => line.includes(`the role ${code} grants no`));
        expect(lines).toHaveLength(1);
        expect(await change(code, { name: 'Renamed' })).toMatchObject({ name: 'Renamed', permissions: [] });
        expect((await change(code, { permissions: ['note:read'] })).permissions).toEqual(['note:read']);
        expect(await notes(holder)).toBe(200);
      },
    );

    it('that are a thousand, each with twenty others, are resolved, listed and changed', async () => {
      const rows = Array.from({ length: 990 }, (_, i) => `('many-${i}', 'Many', '["many:${i}"]')`);
      await app.roles.query(`INSERT INTO auth_role (code, name, permissions) VALUES ${rows.join()}`);
      const { id: first } = await app.roles.findOneByOrFail({ code: 'many-0' });
      const pairs = rows.flatMap((_, i) =>
        rows.slice(i + 1, i + 21).map((_, j) => `(${first + i}, ${first + i + j + 1})`),
      );
      const { driver } = app.users.manager.dataSource;
      const columns = ['roleId', 'includedId'].map((column) => driver.escape(column)).join();
      for (let i = 0; i < pairs.length; i += 1000) {
        const values = pairs.slice(i, i + 1000).join();
        await app.roles.query(`INSERT INTO auth_role_include (${columns}) VALUES ${values}`);
      }
      const user = await app.user({ roles: [await app.roles.findOneByOrFail({ id: first })] });
      await app.roles.update({ code: 'many-989' }, { permissions: ['note:read'] });
      expect(await notes(user)).toBe(200);
      const list = (await app.call(admin, 'GET', 'roles')).json as AuthRole[];
      expect(list.find(({ code }) => code === 'many-0')!.includes).toHaveLength(20);
      expect((await change('many-989', { includes: ['many-0'] })).code).toBe(40900); // a cycle
      expect((await change('many-989', { name: 'Last' })).name).toBe('Last');
      expect((await app.call(admin, 'DELETE', 'roles/many-989')).json.code).toBe(40900);
      const roles = Array.from({ length: 100 }, (_, i) => `many-${i}`);
      const assigned = await app.call(admin, 'PUT', `users/${user.id}/roles`, { roles });
      expect(assigned.json.roles).toHaveLength(100);
      for (const i of [1, 2]) {
        const permissions = Array.from({ length: 100 }, (_, j) => `auth:x${i}:${j}`);
        await app.roles.update({ code: `many-${i}` }, { permissions });
      }
      expect(await change('many-3', { permissions: ['auth:y'] })).toMatchObject({
        code: 40900,
        message: expect.stringContaining('at most 200 administrative permissions'),
      });
    });
  });
}
