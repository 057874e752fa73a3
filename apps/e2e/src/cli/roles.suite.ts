import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuthAudit } from 'kit-auth-admin/typeorm';
import { moduleOf, sharedDatabase, sharedTestApp, type Where } from 'test-support';
import { AppOfSharedDatabase, type Cli, cliOf } from './app.js';

/** Roles that commands create and grant are in effect in an application that is running, and in its audit log. */
export function describeRoleCommands(where: Where): void {
  describe(`kit-auth role on ${where.database} with ${where.provider}`, () => {
    const hasSessions = where.provider === 'session';
    const database = sharedDatabase(where.database);
    const options = { ...where, database, admin: true };
    const app = sharedTestApp(new AppOfSharedDatabase(options));
    let run: Cli;
    beforeAll(async () => {
      run = cliOf(await moduleOf(options));
      await app.role({ code: 'reader', permissions: ['note:read'] });
      await app.role({ code: 'writer', permissions: ['note:write'] });
    });
    const eventsOf = async (subject: string) => {
      const rows = await app.rowsOf(AuthAudit).find({ where: { subject }, order: { id: 'ASC' } });
      return rows
        .filter(({ type }) => !/^log/.test(type))
        .map(({ type, detail, actor, actorId, address }) => [
          `${type}: ${detail}`,
          actor ?? actorId ?? address,
        ]);
    };

    it('creates a role, as the endpoint does', async () => {
      const created = await run('role create editor', [
        '--name=Éditrice',
        '--permission=note:*',
        '--permission=page:read',
        '--include=reader',
      ]);
      expect(created).toEqual({
        code: 0,
        stdout: 'Created the role editor, permissions: note:*, page:read; includes: reader.\n',
        stderr: '',
      });
      const role = {
        code: 'editor',
        name: 'Éditrice',
        permissions: ['note:*', 'page:read'],
        includes: ['reader'],
      };
      const json = JSON.parse((await run('role list --json')).stdout) as object[];
      expect(json).toContainEqual(role);
      expect((await run('role list')).stdout).toMatch(/^editor +Éditrice +note:\*, page:read +reader$/m);
      expect(await eventsOf('editor')).toEqual([
        ['role-created: permissions: note:*, page:read; includes: reader', null],
      ]);
      const plain = await run('role create plain --json');
      expect(JSON.parse(plain.stdout)).toEqual({
        code: 'plain',
        name: 'plain',
        permissions: [],
        includes: [],
      });
    });

    // Refusals do not depend on the tokens.
    if (hasSessions) {
      it.each([
        ['a code that is taken', ['reader'], 1, 'The code is taken'],
        ['a code with a space', ['chief editor'], 2, 'The code of a role must have 1 to 64 letters'],
        ['a permission with a space', ['x', '--permission=note read'], 2, '"note read" is not a permission.'],
        [
          'an unknown included role',
          ['x', '--include=nobody'],
          1,
          'includes contains a role that does not exist',
        ],
        ['SUPER_ADMIN included', ['x', '--include=SUPER_ADMIN'], 1, 'or SUPER_ADMIN'],
        ['itself included', ['x', '--include=x'], 1, 'in a cycle'],
        ['an empty name', ['x', '--name='], 2, 'The name must have 1 to 255 characters'],
        ['no code', [], 2, 'Name a role: kit-auth role create <code>'],
      ])('creates no role with %s', async (_what, args, code, message) => {
        const before = await app.roles.count();
        const refused = await run('role create', args);
        expect(refused).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) });
        expect(await app.roles.count()).toBe(before);
      });
    }

    it('grants and revokes roles, which is in effect as with the endpoint', async () => {
      const { id, username } = await app.user();
      const token = await app.tokenOf(username);
      const granted = await run(`role grant ${username} reader writer reader`);
      expect(granted).toMatchObject({
        code: 0,
        stdout: `Granted the roles reader, writer to ${username}, who has now: reader, writer.\n`,
        stderr: hasSessions ? '' : expect.stringMatching(/^Note: tokens that were issued before contain/),
      });
      expect(await app.stateOf(token)).toBe('live');
      expect(await run(`user roles ${username}`)).toEqual({
        code: 0,
        stdout: `${username} has the roles: reader, writer.\n`,
        stderr: '',
      });
      const again = await run(`role grant ${username} writer`);
      expect(again).toEqual({ code: 0, stdout: `${username} has the role writer already.\n`, stderr: '' });
      const revoked = await run(`role revoke --json ${username} reader`);
      expect(JSON.parse(revoked.stdout)).toEqual({ id, username, roles: ['writer'], revoked: ['reader'] });
      const none = await run(`role revoke ${username} reader`);
      expect(none).toEqual({ code: 0, stdout: `${username} does not have the role reader.\n`, stderr: '' });
      const last = await run(`role revoke ${username} writer`);
      expect(last.stdout).toBe(`Revoked the role writer from ${username}, who has now: no roles.\n`);
      expect(await eventsOf(username)).toEqual([
        ['user-roles-changed: roles: reader, writer', null],
        ['user-roles-changed: roles: writer', null],
        ['user-roles-changed: roles: none', null],
      ]);
    });

    it('keeps the last administrator', async () => {
      const refused = await run('role revoke admin SUPER_ADMIN');
      expect(refused).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('The last enabled super administrator'),
      });
      const { username } = await app.user();
      expect(await run(`role grant ${username} SUPER_ADMIN`)).toMatchObject({ code: 0 });
      expect(await run('role revoke admin SUPER_ADMIN')).toMatchObject({ code: 0 });
      expect(await run('role grant admin SUPER_ADMIN')).toMatchObject({ code: 0 });
    });

    if (hasSessions) {
      it('suggests users and roles', async () => {
        for (const [args, code, message] of [
          [['grant', 'admin', 'raeder'], 1, 'There is no role "raeder". Did you mean "reader"?'],
          [['grant', 'admin', 'zzz'], 1, 'There is no role "zzz". Roles are named by their codes'],
          [['revoke', 'admni', 'reader'], 1, 'There is no user "admni". Did you mean "admin"?'],
          [['grant', 'admin'], 2, 'Name a user and a role: kit-auth role grant <username> <role...>'],
          [['revoke'], 2, 'Name a user and a role: kit-auth role revoke <username> <role...>'],
        ] as const) {
          const refused = await run('role', args);
          expect(refused).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) });
        }
      });
    }
  });
}
