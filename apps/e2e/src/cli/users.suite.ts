import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { AuthAudit } from 'kit-auth-admin/typeorm';
import { moduleOf, PASSWORD, sharedDatabase, sharedTestApp, type Where } from 'test-support';
import { AppOfSharedDatabase, type Cli, cliOf } from './app.js';

const NEXT = 'another right one 4712';

/** What commands do is in effect in an application that is running, and in its audit log. */
export function describeUserCommands(where: Where): void {
  describe(`kit-auth user, role and sessions on ${where.database} with ${where.provider}`, () => {
    const hasSessions = where.provider === 'session';
    const options = { ...where, database: sharedDatabase(where.database), admin: true };
    const app = sharedTestApp(new AppOfSharedDatabase(options));
    let run: Cli;
    beforeAll(async () => {
      const database = { ...options.database.options, synchronize: false };
      run = cliOf(await moduleOf({ ...options, database }));
      await app.role({ code: 'editor', permissions: ['note:write'] });
      await app.role({ code: 'reader', permissions: ['note:read'] });
    });
    const done = (stdout: string) => ({ code: 0, stdout, stderr: '' });
    const refused = (code: number, message: string) => ({
      code,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
    const jsonOf = async (...command: Parameters<Cli>) => JSON.parse((await run(...command)).stdout);
    /** Without those of logins. The command line has no actor and no address. */
    const eventsOf = async (subject: string) => {
      const rows = await app.rowsOf(AuthAudit).find({ where: { subject }, order: { id: 'ASC' } });
      const own = rows.filter(({ type }) => !/^log/.test(type));
      expect(own.filter(({ actor, actorId, address }) => actor ?? actorId ?? address)).toEqual([]);
      return own.map(({ type, detail }) => `${type}: ${detail}`);
    };

    it('creates a user who can log in', async () => {
      const args = ['--display-name=Eve E.', '--role=reader', '--role', 'editor', 'eve'];
      const created = await run('user create', args, PASSWORD);
      const { user, token } = (await app.login('eve')).json;
      expect(created).toEqual(done(`Created eve (id ${user.userId}), roles: reader, editor.\n`));
      expect(user.nickname).toBe('Eve E.');
      expect(await app.codeOf(token)).toBe(200);
      expect(await eventsOf('eve')).toEqual(['user-created: roles: reader, editor']);
      const username = '-dash \u7ba1\u7406';
      expect(await jsonOf('user create --json', ['--', username], PASSWORD)).toEqual({
        id: expect.any(Number),
        username,
        nickname: username,
        roles: [],
      });
      expect((await app.login(username)).status).toBe(200);
    });

    it('sets a password, which ends the sessions of the user', async () => {
      const { id, username } = await app.user();
      const token = await app.tokenOf(username);
      const { code, stdout, stderr } = await run(`user password ${username}`, [], NEXT);
      const ended = hasSessions ? ' All their sessions have ended.' : '';
      expect({ code, stdout }).toEqual({ code: 0, stdout: `Set a new password for ${username}.${ended}\n` });
      expect(stderr).toMatch(hasSessions ? /^$/ : /^Note: .* Tokens that were issued before stay valid/);
      expect(await app.stateOf(token)).toBe(hasSessions ? '40101 password-changed' : 'live');
      expect((await app.login(username)).json.code).toBe(40110);
      const codeOf = async () => app.codeOf(await app.tokenOf(username, NEXT), '/v1/api/auth/users');
      expect(await codeOf()).toBe(40301);
      const permanent = await jsonOf('user password --json --permanent', [username], NEXT);
      expect([permanent, await codeOf()]).toEqual([{ id, username, mustChange: false }, 40300]);
      await app.users.update({ id }, { status: AuthUserStatus.DISABLED });
      const disabled = await run(`user password ${username} --must-change`, [], NEXT);
      expect(disabled.stderr).toContain(`Note: ${username} is disabled, and cannot log in.`);
      expect(await eventsOf(username)).toEqual(Array(3).fill('password-reset: null'));
    });

    it('disables a user, whose sessions end, and enables the user again', async () => {
      const { id, username } = await app.user();
      const token = await app.tokenOf(username);
      const disabled = await run('user disable', [username]);
      const ended = hasSessions ? ' All their sessions have ended.' : '';
      expect(disabled).toMatchObject({ code: 0, stdout: `${username} is disabled now.${ended}\n` });
      const again = await jsonOf('user disable --json', [username]);
      expect(again).toEqual({ id, username, enabled: false, changed: false });
      expect((await app.login(username)).json.code).toBe(40111);
      expect(await run('user disable --enable', [username])).toEqual(done(`${username} is enabled now.\n`));
      expect(await app.stateOf(token)).toBe(hasSessions ? '40101 disabled' : 'live');
      expect((await app.login(username)).status).toBe(200);
      expect(await eventsOf(username)).toEqual([
        'user-status-changed: DISABLED',
        'user-status-changed: ENABLED',
      ]);
    });

    it('creates a role, as the endpoint does', async () => {
      const args = ['--name=Éditrice', '--permission=note:*', '--permission=page:read', '--include=reader'];
      const detail = 'permissions: note:*, page:read; includes: reader';
      expect(await run('role create writer', args)).toEqual(done(`Created the role writer, ${detail}.\n`));
      const permissions = ['note:*', 'page:read'];
      const role = { code: 'writer', name: 'Éditrice', permissions, includes: ['reader'] };
      expect(await jsonOf('role list --json')).toContainEqual(role);
      expect((await run('role list')).stdout).toMatch(/^writer +Éditrice +note:\*, page:read +reader$/m);
      expect(await eventsOf('writer')).toEqual([`role-created: ${detail}`]);
      const plain = { code: 'plain', name: 'plain', permissions: [], includes: [] };
      expect(await jsonOf('role create plain --json')).toEqual(plain);
    });

    it('grants and revokes roles, which is in effect as with the endpoint', async () => {
      const { id, username } = await app.user();
      const granted = await run(`role grant ${username} reader editor reader`);
      expect(granted).toMatchObject({
        code: 0,
        stdout: `Granted the roles reader, editor to ${username}, who has now: editor, reader.\n`,
        stderr: hasSessions ? '' : expect.stringMatching(/^Note: tokens that were issued before contain/),
      });
      for (const [command, said] of [
        [`user roles ${username}`, `${username} has the roles: editor, reader.`],
        [`role grant ${username} editor`, `${username} has the role editor already.`],
        [`role revoke ${username} editor`, `Revoked the role editor from ${username}, who has now: reader.`],
        [`role revoke ${username} editor`, `${username} does not have the role editor.`],
      ] as const) {
        expect((await run(command)).stdout).toBe(`${said}\n`);
      }
      const revoked = await jsonOf(`role revoke --json ${username} reader`);
      expect(revoked).toEqual({ id, username, roles: [], revoked: ['reader'] });
      expect(await eventsOf(username)).toEqual([
        'user-roles-changed: roles: editor, reader',
        'user-roles-changed: roles: reader',
        'user-roles-changed: roles: none',
      ]);
    });

    it('keeps the last administrator', async () => {
      const last = refused(1, 'The last enabled super administrator');
      expect(await run('user disable', ['admin'])).toEqual(last);
      expect(await run('role revoke admin SUPER_ADMIN')).toEqual(last);
      const other = await app.administrator();
      expect(await run('user disable', [other.username])).toMatchObject({ code: 0 });
      expect(await eventsOf('admin')).toEqual([]);
    });

    it('lists and ends sessions', async () => {
      const { username } = await app.user();
      const tokens = [await app.tokenOf(username), await app.tokenOf(username)];
      if (!hasSessions) {
        const none = refused(1, 'The implementation jwt-stateless has no sessions');
        expect(await run('sessions list', [username])).toEqual(none);
        expect(await run('sessions end --all', [username])).toEqual(none);
        return;
      }
      const states = () => Promise.all(tokens.map((token) => app.stateOf(token)));
      const listed = (await jsonOf('sessions list --json', [username])) as { id: string }[];
      const members = ['id', 'createdAt', 'lastSeenAt', 'expiresAt', 'address', 'userAgent'];
      expect(listed.map((session) => Object.keys(session))).toEqual([members, members]);
      expect((await run('sessions list', [username])).stdout).toContain(`${listed[1]!.id}  20`);
      const first = listed[0]!.id;
      const one = await run('sessions end', [username, first]);
      expect(one).toEqual(done(`Ended one session of ${username}.\n`));
      expect(await states()).toEqual(['40101 kicked', 'live']);
      const unknown = refused(1, `${username} has no such live session.`);
      expect(await run('sessions end', [username, first])).toEqual(unknown);
      const all = await run('sessions end --all', [username]);
      expect(all).toEqual(done(`Ended all sessions of ${username} (1).\n`));
      expect(await states()).toEqual(['40101 kicked', '40101 kicked']);
      expect(await eventsOf(username)).toEqual([`sessions-ended: ${first}`, 'sessions-ended: all']);
    });

    it('lists all users', async () => {
      await app.user({ username: 'lister', nickname: 'Lis\u001bter', roles: ['reader', 'editor'] });
      await app.login('lister');
      const { stdout } = await run('user list');
      expect(stdout).toMatch(/^ID +USERNAME +NAME +STATUS +ROLES +LAST LOGIN$/m);
      expect(stdout).toMatch(/^\d+ +lister +Lis\?ter +enabled +editor, reader +20\d\d-\d\d-\d\dT[\d:.]+Z$/m);
      const listed = await jsonOf('user list --json');
      expect(listed.length).toBe(await app.users.count());
      const names = { username: 'admin', nickname: 'admin', roles: ['SUPER_ADMIN'] };
      expect(listed[0]).toEqual({ id: expect.any(Number), enabled: true, lastLoginAt: null, ...names });
    });

    // What is refused depends neither on the tokens nor on the database.
    if (hasSessions) {
      it.each<[command: string, args: string[], password: string | undefined, number, string]>([
        ['user create', ['admin'], PASSWORD, 1, 'There is a user "admin" already.'],
        ['user create', ['ed', '--role=Reader'], PASSWORD, 1, 'There is no role "Reader".'],
        ['user create', ['ed'], 'short', 1, 'The password needs at least 8 characters'],
        ['user create', ['edward elric'], 'Edward Elric', 1, 'must not contain the username'],
        ['user create', ['e\u001bd'], PASSWORD, 2, 'The username must have 1 to 255 characters'],
        ['user create', ['ed', '--display-name='], PASSWORD, 2, 'The display name must have'],
        ['user create', [], PASSWORD, 2, 'Name a user: kit-auth user create <username>'],
        ['user password', ['admin', '--permanent', '--must-change'], NEXT, 2, 'either --must-change or'],
        ['user password', ['admin'], 'short', 1, 'The password needs at least 8 characters'],
        ['user password', ['Admon'], NEXT, 1, 'There is no user "Admon". Did you mean "admin"?'],
        ['role create', ['reader'], undefined, 1, 'The code is taken'],
        ['role create', ['chief editor'], undefined, 2, 'The code of a role must have 1 to 64 letters'],
        ['role create', ['x', '--permission=a b'], undefined, 2, '"a b" is not a permission.'],
        ['role create', ['x', '--include=nobody'], undefined, 1, 'a role that does not exist'],
        ['role create', ['x', '--include=x'], undefined, 1, 'in a cycle'],
        ['role create', ['x', '--name='], undefined, 2, 'The name must have 1 to 255 characters'],
        ['role create', [], undefined, 2, 'Name a role: kit-auth role create <code>'],
        ['role grant', ['admin', 'raeder'], undefined, 1, 'no role "raeder". Did you mean "reader"?'],
        ['role revoke', ['admni', 'reader'], undefined, 1, 'no user "admni". Did you mean "admin"?'],
        ['role grant', ['admin'], undefined, 2, 'Name a user and a role: kit-auth role grant'],
        ['sessions end', ['admin'], undefined, 2, 'Name a session, or pass --all'],
        ['sessions end', ['admin', 'x', '--all'], undefined, 2, 'Name a session, or pass --all'],
      ])('refuses %s %j', async (command, args, password, code, message) => {
        const count = async () => [await app.users.count(), await app.roles.count()];
        const before = await count();
        const answer = await run(command, args, password);
        expect(answer).toEqual(refused(code, message));
        expect(answer.stderr).not.toMatch(/^ +at |\u001b/m);
        expect(await count()).toEqual(before);
      });
    }
  });
}
