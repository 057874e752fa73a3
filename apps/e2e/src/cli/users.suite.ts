import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuthUserStatus, LoginUserLoader } from 'kit-auth/typeorm';
import { AuthAudit } from 'kit-auth-admin/typeorm';
import { moduleOf, PASSWORD, sharedDatabase, sharedTestApp, type Where } from 'test-support';
import { AppOfSharedDatabase, type Cli, cliOf } from './app.js';

const NEXT = 'another right one 4712';

/** What commands do is in effect in an application that is running, and in its audit log. */
export function describeUserCommands(where: Where): void {
  describe(`kit-auth user and sessions on ${where.database} with ${where.provider}`, () => {
    const hasSessions = where.provider === 'session';
    const database = sharedDatabase(where.database);
    const options = { ...where, database, admin: true };
    const app = sharedTestApp(new AppOfSharedDatabase(options));
    let run: Cli;
    beforeAll(async () => {
      run = cliOf(await moduleOf(options));
      await app.role({ code: 'editor', permissions: ['note:write'] });
      await app.role({ code: 'reader', permissions: ['note:read'] });
    });
    const eventsOf = async (subject: string) => {
      const rows = await app.rowsOf(AuthAudit).find({ where: { subject }, order: { id: 'ASC' } });
      return rows
        .filter(({ type }) => !/^log/.test(type))
        .map(({ type, detail, actor, actorId, address, success }) => ({
          event: `${type}: ${detail}`,
          by: actor ?? actorId ?? address,
          success,
        }));
    };
    const event = (text: string) => ({ event: text, by: null, success: true });

    it('creates a user who can log in', async () => {
      const { code, stdout, stderr } = await run(
        'user create eve --role=reader --role editor',
        ['--display-name=Eve E.'],
        PASSWORD,
      );
      const { json } = await app.login('eve');
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: `Created eve (id ${json.user.userId}), roles: reader, editor.\n`,
        stderr: '',
      });
      expect(await app.get(LoginUserLoader).load(json.user.userId)).toMatchObject({
        nickname: 'Eve E.',
        roles: expect.arrayContaining(['editor', 'reader']),
      });
      expect(await eventsOf('eve')).toEqual([event('user-created: roles: reader, editor')]);
    });

    // What is accepted does not depend on the tokens.
    if (hasSessions) {
      it.each(['Zo\u00eb', '\u7ba1\u7406\u8005', "o'brien;--", '\ud83d\ude80 ada', '-dash', 'x'.repeat(255)])(
        'creates a user of the name %s',
        async (username) => {
          const created = await run('user create --json', ['--', username], PASSWORD);
          expect(created).toMatchObject({ code: 0, stderr: '' });
          expect(JSON.parse(created.stdout)).toEqual({
            id: expect.any(Number),
            username,
            nickname: username,
            roles: [],
          });
          expect((await app.login(username)).status).toBe(200);
        },
      );

      it.each([
        ['a name that is taken', ['admin'], PASSWORD, 1, 'There is a user "admin" already.'],
        [
          'an unknown role',
          ['ed', '--role=editor', '--role=Reader'],
          PASSWORD,
          1,
          'There is no role "Reader". Roles are named by their codes, case included. `kit-auth role list` lists them.',
        ],
        ['a short password', ['ed'], 'short', 1, 'The password needs at least 8 characters'],
        ['a common password', ['ed'], 'password123', 1, 'The password is too common'],
        ['the name as the password', ['edward elric'], 'Edward Elric', 1, 'must not contain the username'],
        ['spaces around the name', [' ed'], PASSWORD, 2, 'The username must have 1 to 255 characters'],
        ['control characters', ['e\u001bd'], PASSWORD, 2, 'The username must have 1 to 255 characters'],
        ['no display name', ['ed', '--display-name='], PASSWORD, 2, 'The display name must have'],
        ['no name', [], PASSWORD, 2, 'Name a user: kit-auth user create <username>'],
      ])('creates nobody with %s', async (_what, args, password, code, message) => {
        const before = await app.users.count();
        const refused = await run('user create', args, password);
        expect(refused).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) });
        expect(refused.stderr).not.toMatch(/^ +at |\u001b/m);
        expect(await app.users.count()).toBe(before);
      });
    }

    it('sets a password, which ends the sessions of the user', async () => {
      const { username } = await app.user();
      const token = await app.tokenOf(username);
      const { code, stdout, stderr } = await run(`user password ${username}`, [], NEXT);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: `Set a new password for ${username}.${hasSessions ? ' All their sessions have ended.' : ''}\n`,
      });
      expect(stderr).toMatch(hasSessions ? /^$/ : /^Note: .* Tokens that were issued before stay valid/);
      expect(await app.stateOf(token)).toBe(hasSessions ? '40101 password-changed' : 'live');
      expect((await app.login(username)).json.code).toBe(40110);
      expect((await app.login(username, NEXT)).status).toBe(200);
      expect(await eventsOf(username)).toEqual([event('password-reset: null')]);
    });

    it.each([
      ['', true],
      ['--must-change', true],
      ['--permanent', false],
    ])('sets a password that the user must change, unless it is permanent: %s', async (flag, mustChange) => {
      const { id, username } = await app.user();
      const { stdout } = await run('user password --json', [username, ...(flag ? [flag] : [])], NEXT);
      expect(JSON.parse(stdout)).toEqual({ id, username, mustChange });
      const code = await app.codeOf(await app.tokenOf(username, NEXT), '/v1/api/auth/sessions');
      expect(code === 40301).toBe(mustChange);
    });

    it('does not take a password for both', async () => {
      const { stderr, code } = await run('user password admin --permanent --must-change', [], NEXT);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: 'kit-auth: Give either --must-change or --permanent.\n',
      });
    });

    it('tells of a user who is disabled', async () => {
      const { username } = await app.user({ status: AuthUserStatus.DISABLED });
      const { code, stderr } = await run(`user password ${username}`, [], NEXT);
      expect(code).toBe(0);
      expect(stderr).toContain(`Note: ${username} is disabled, and cannot log in.`);
    });

    it('refuses a weak password, and suggests a name', async () => {
      const weak = await run('user password admin', [], 'short');
      expect(weak).toMatchObject({ code: 1, stderr: 'kit-auth: The password needs at least 8 characters\n' });
      const unknown = await run('user password Admon', [], NEXT);
      expect(unknown).toMatchObject({
        code: 1,
        stderr: 'kit-auth: There is no user "Admon". Did you mean "admin"?\n',
      });
    });

    it('disables a user, whose sessions end, and enables the user again', async () => {
      const { id, username } = await app.user();
      const token = await app.tokenOf(username);
      const [disabled, again] = [
        await run('user disable', [username]),
        await run('user disable', [username, '--json']),
      ];
      const ended = hasSessions ? ' All their sessions have ended.' : '';
      expect(disabled).toMatchObject({ code: 0, stdout: `${username} is disabled now.${ended}\n` });
      expect(JSON.parse(again.stdout)).toEqual({ id, username, enabled: false, changed: false });
      expect(await app.stateOf(token)).toBe(hasSessions ? '40101 disabled' : 'live');
      expect((await app.login(username)).json.code).toBe(40111);
      const enabled = await run('user disable --enable', [username]);
      expect(enabled).toEqual({ code: 0, stdout: `${username} is enabled now.\n`, stderr: '' });
      expect(await app.stateOf(token)).toBe(hasSessions ? '40101 disabled' : 'live');
      expect((await app.login(username)).status).toBe(200);
      expect(await eventsOf(username)).toEqual([
        event('user-status-changed: DISABLED'),
        event('user-status-changed: ENABLED'),
      ]);
    });

    it('keeps the last administrator', async () => {
      const refused = await run('user disable', ['admin']);
      expect(refused).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('The last enabled'),
      });
      const other = await app.administrator();
      expect(await run('user disable', [other.username])).toMatchObject({ code: 0 });
      expect(await eventsOf('admin')).toEqual([]);
    });

    it('lists and ends sessions', async () => {
      const { username } = await app.user();
      const tokens = [await app.tokenOf(username), await app.tokenOf(username), await app.tokenOf(username)];
      if (!hasSessions) {
        for (const command of ['sessions list', 'sessions end --all']) {
          expect(await run(command, [username])).toEqual({
            code: 1,
            stdout: '',
            stderr: expect.stringContaining('The implementation jwt-stateless has no sessions'),
          });
        }
        return;
      }
      const states = () => Promise.all(tokens.map((token) => app.stateOf(token)));
      const { stdout } = await run('sessions list --json', [username]);
      const listed = JSON.parse(stdout) as { id: string; expiresAt: string }[];
      expect(listed.map((session) => Object.keys(session))).toEqual(
        tokens.map(() => ['id', 'createdAt', 'lastSeenAt', 'expiresAt', 'address', 'userAgent']),
      );
      expect((await run('sessions list', [username])).stdout).toContain(`${listed[2]?.id}  20`);
      const [first = ''] = listed.map((session) => session.id);
      expect(await run('sessions end', [username, first])).toMatchObject({
        code: 0,
        stdout: `Ended one session of ${username}.\n`,
      });
      expect(await states()).toEqual(['40101 kicked', 'live', 'live']);
      for (const unknown of [first, 'no-such-session']) {
        expect(await run('sessions end', [username, unknown])).toMatchObject({
          code: 1,
          stderr: expect.stringContaining(`${username} has no such live session.`),
        });
      }
      expect(await run('sessions end --all', [username])).toEqual({
        code: 0,
        stdout: `Ended all sessions of ${username} (2).\n`,
        stderr: '',
      });
      expect(await states()).toEqual(tokens.map(() => '40101 kicked'));
      expect(await run('sessions list', [username])).toMatchObject({ code: 0, stdout: '' });
      expect(await eventsOf(username)).toEqual([
        event(`sessions-ended: ${first}`),
        event('sessions-ended: all'),
      ]);
    });

    it('lists all users', async () => {
      await app.user({ username: 'lister', nickname: 'Lis\u001bter', roles: ['reader', 'editor'] });
      await app.login('lister');
      const { code, stdout } = await run('user list');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ID +USERNAME +NAME +STATUS +ROLES +LAST LOGIN$/m);
      expect(stdout).toMatch(/^\d+ +lister +Lis\?ter +enabled +editor, reader +20\d\d-\d\d-\d\dT[\d:.]+Z$/m);
      const listed = JSON.parse((await run('user list --json')).stdout);
      expect(listed.length).toBe(await app.users.count());
      expect(listed[0]).toEqual({
        id: expect.any(Number),
        username: 'admin',
        nickname: 'admin',
        enabled: true,
        roles: ['SUPER_ADMIN'],
        lastLoginAt: null,
      });
    });
  });
}
