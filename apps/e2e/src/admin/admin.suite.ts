import { beforeAll, describe, expect, it } from '@jest/globals';
import { ValidationPipe } from '@nestjs/common';
import { type AuthUser, AuthUserStatus, SUPER_ADMIN } from 'kit-auth/typeorm';
import { type Answer, PASSWORD, sharedTestApp, type Where } from 'test-support';
import { AdminApp } from './app.js';

const NEXT = 'another right one 4712';
let count = 0;

/** What administrators do, on every database. */
export function describeAdministration({ database, platform, provider }: Where): void {
  describe(`administration on ${database}, ${platform}, with ${provider}`, () => {
    const hasSessions = provider === 'session';
    const app = sharedTestApp(
      new AdminApp({
        database,
        platform,
        provider,
        // As most applications have it; it must not come between.
        configure: (nest) =>
          nest.useGlobalPipes(
            new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }),
          ),
      }),
    );
    let admin: string;
    beforeAll(async () => {
      admin = await app.adminToken();
    });
    const call = (method: string, path: string, body?: unknown, as = admin) =>
      app.call(as, method, path, body);
    /** The code of a refusal, or the status. */
    const codeOf = ({ status, json }: Answer): number => (status < 400 ? status : json.code);
    const outcome = async (...request: Parameters<typeof call>) => codeOf(await call(...request));

    it('creates a user who can log in, and never returns the password', async () => {
      const role = await app.role({ permissions: ['note:read'] });
      // As a rule, what a body has too much is refused by the pipe above.
      const more = { superAdmin: true, userId: 1, mustChangePassword: true };
      const input = { username: 'ada', password: PASSWORD, nickname: 'Ada', roles: [role.code], ...more };
      const made = await call('POST', 'users', input);
      expect(made.status).toBe(201);
      expect(made.headers['location']).toBe(`/v1/api/auth/users/${made.json.userId}`);
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
      const user = {
        userId: expect.any(Number),
        username: 'ada',
        nickname: 'Ada',
        status: 'ENABLED',
        superAdmin: false,
        roles: [role.code],
        mustChangePassword: false,
        lockedUntil: null,
        lastLoginAt: null,
        createdAt: time,
        updatedAt: time,
      };
      expect(made.json).toEqual(user);
      const path = `users/${made.json.userId}`;
      const read = await call('GET', path);
      expect([read.status, read.json, read.headers['cache-control']]).toEqual([200, user, 'no-store']);
      const token = await app.tokenOf('ada');
      expect((await call('GET', path)).json.lastLoginAt).toEqual(time);
      expect(await app.codeOf(token, '/v1/notes')).toBe(200);
      expect(await outcome('POST', 'users', { username: 'ada', password: PASSWORD })).toBe(40900);
      const unknown = { username: 'bob', password: PASSWORD, roles: ['nobody-knows'] };
      expect(await outcome('POST', 'users', unknown)).toBe(40000);
      expect(await outcome('POST', 'users', { username: 'bob', password: 'short' })).toBe(40000);
      expect(await app.users.existsBy({ username: 'bob' })).toBe(false);
    });

    it('lists users', async () => {
      const role = await app.role();
      const users = [await app.user({ roles: [role] }), await app.user({ roles: [role] })];
      const { items, ...page } = (await call('GET', `users?role=${role.code}&size=1&page=2`)).json;
      expect([items.length, items[0].userId, page]).toEqual([
        1,
        users[1]!.id,
        { total: 2, page: 2, size: 1 },
      ]);
      expect(await outcome('GET', 'users?size=101')).toBe(40000);
    });

    it('changes nickname and status, with immediate effect if tokens can be revoked', async () => {
      const user = await app.user();
      const token = await app.tokenOf(user);
      const path = `users/${user.id}`;
      const { json } = await call('PATCH', path, { nickname: 'New', status: 'DISABLED' });
      expect(json).toMatchObject({ nickname: 'New', status: 'DISABLED' });
      expect(await app.codeOf(token)).toBe(hasSessions ? 40101 : 200);
      expect(codeOf(await app.login(user.username))).toBe(40111);
      expect((await call('PATCH', path, { status: 'ENABLED' })).json.status).toBe('ENABLED');
      expect(await app.codeOf(token)).toBe(hasSessions ? 40101 : 200);
      expect(codeOf(await app.login(user.username))).toBe(200);
      expect(await outcome('PATCH', path, { status: 'GONE' })).toBe(40000);
    });

    it('grants and removes roles, with effect on the next request of a session', async () => {
      const [reader, writer] = [
        await app.role({ permissions: ['note:read'] }),
        await app.role({ permissions: ['note:write'] }),
      ];
      const user = await app.user({ roles: [reader] });
      const token = await app.tokenOf(user);
      const put = (roles: string[]) => call('PUT', `users/${user.id}/roles`, { roles });
      expect((await put([writer.code])).json.roles).toEqual([writer.code]);
      expect(await app.codeOf(token, '/v1/notes')).toBe(hasSessions ? 40300 : 200);
      expect(codeOf(await put(['nobody']))).toBe(40000);
      expect((await put([])).json.roles).toEqual([]);
    });

    it('resets a password, which the user must change then', async () => {
      const user = await app.user();
      const token = await app.tokenOf(user);
      const path = `users/${user.id}/password`;
      expect(await outcome('POST', path, { newPassword: 'short' })).toBe(40000);
      expect(await outcome('POST', path, { newPassword: NEXT })).toBe(204);
      expect(await app.codeOf(token)).toBe(hasSessions ? 40101 : 200);
      expect(codeOf(await app.login(user.username))).toBe(40110);
      const fresh = await app.tokenOf(user, NEXT);
      expect([await app.codeOf(fresh), await app.codeOf(fresh, '/v1/api/auth/sessions')]).toEqual([
        200, 40301,
      ]);
      expect((await call('GET', `users/${user.id}`)).json.mustChangePassword).toBe(true);
      const { id } = await app.users.findOneByOrFail({ username: 'admin' });
      expect(await outcome('POST', `users/${id}/password`, { newPassword: NEXT })).toBe(40900); // the own one
    });

    it('deletes a user, and then answers 404', async () => {
      const user = await app.user({ roles: [await app.role()] });
      const token = await app.tokenOf(user);
      expect(await outcome('DELETE', `users/${user.id}`)).toBe(204);
      expect(await app.codeOf(token)).toBe(hasSessions ? 40101 : 200);
      expect(codeOf(await app.login(user.username))).toBe(40110);
      expect([await outcome('DELETE', `users/${user.id}`), await outcome('DELETE', 'users/1%00')]).toEqual([
        40400, 40400,
      ]);
    });

    it('lists and ends sessions of others if the implementation has sessions', async () => {
      const [user, another] = [await app.user(), await app.user()];
      const [one, two] = [await app.tokenOf(user), await app.tokenOf(user)];
      const path = `users/${user.id}/sessions`;
      const list = await call('GET', path);
      if (!hasSessions) {
        const codes = [codeOf(list), await outcome('DELETE', path), await outcome('DELETE', `${path}/x`)];
        expect(codes).toEqual([50100, 50100, 50100]);
        return;
      }
      expect(list.json.map(({ current }: { current: boolean }) => current)).toEqual([false, false]);
      const id = encodeURIComponent(list.json[0].id);
      expect(await outcome('DELETE', `users/${another.id}/sessions/${id}`)).toBe(40400);
      expect(await outcome('DELETE', `${path}/${id}`)).toBe(204);
      expect([await app.stateOf(one), await app.codeOf(two)]).toEqual(['40101 kicked', 200]);
      expect(await outcome('DELETE', path)).toBe(204);
      expect(await app.codeOf(two)).toBe(40101);
      expect(await outcome('GET', 'users/2147483647/sessions')).toBe(40400);
    });

    it('creates, changes and deletes roles', async () => {
      const role = { code: 'editor', name: 'Editor', permissions: ['note:*'], includes: [] as string[] };
      const made = await call('POST', 'roles', role);
      expect([made.status, made.json, made.headers['location']]).toEqual([
        201,
        role,
        '/v1/api/auth/roles/editor',
      ]);
      const chief = { code: 'chief', name: 'Chief', permissions: [], includes: ['editor'] };
      expect((await call('POST', 'roles', chief)).json).toEqual(chief);
      expect((await call('GET', 'roles')).json).toEqual(
        expect.arrayContaining([role, chief, expect.objectContaining({ code: SUPER_ADMIN })]),
      );
      const holder = await app.user({ roles: ['chief'] });
      const notes = async () => app.codeOf(await app.tokenOf(holder), '/v1/notes');
      const stamp = async () =>
        (await app.users.findOneOrFail({ where: { id: holder.id }, select: { securityStamp: true } }))
          .securityStamp;
      const before = await stamp();
      expect(await notes()).toBe(200);
      const changed = await call('PATCH', 'roles/editor', { permissions: ['note:write'], code: 'x' });
      expect(changed.json).toEqual({ ...role, permissions: ['note:write'] });
      expect([await notes(), (await stamp()) === before]).toEqual([40300, false]);
      const refused: [string, string, object | undefined, number][] = [
        ['POST', 'roles', role, 40900],
        ['POST', 'roles', { code: '../x', name: 'N' }, 40000],
        ['PATCH', 'roles/editor', { includes: ['chief'] }, 40900],
        ['PATCH', 'roles/editor', { includes: ['editor'] }, 40900],
        ['PATCH', 'roles/editor', { includes: ['nobody'] }, 40000],
        ['PATCH', 'roles/editor', { includes: [SUPER_ADMIN] }, 40000],
        ['PATCH', `roles/${SUPER_ADMIN}`, { name: 'N' }, 40900],
        ['DELETE', `roles/${SUPER_ADMIN}`, undefined, 40900],
        ['DELETE', 'roles/editor', undefined, 40900],
        ['DELETE', 'roles/chief', undefined, 40900],
      ];
      for (const [method, path, body, code] of refused) {
        expect([method, path, body, await outcome(method, path, body)]).toEqual([method, path, body, code]);
      }
      await call('PUT', `users/${holder.id}/roles`, { roles: [] });
      for (const [code, expected] of [
        ['chief', 204],
        ['editor', 204],
        ['editor', 40400],
      ] as const) {
        expect(await outcome('DELETE', `roles/${code}`)).toBe(expected);
      }
    });

    it('requires a permission for each action', async () => {
      const plain = await app.tokenOf(await app.user());
      const tokens: Record<string, string> = {};
      for (const [method, path, permission, body] of [
        ['GET', 'users', 'auth:user:read'],
        ['POST', 'users', 'auth:user:write', {}],
        ['GET', 'users/1', 'auth:user:read'],
        ['PATCH', 'users/0', 'auth:user:write', {}],
        ['PUT', 'users/0/roles', 'auth:user:write', { roles: [] }],
        ['POST', 'users/0/password', 'auth:user:write', { newPassword: NEXT }],
        ['POST', 'users/0/unlock', 'auth:user:write'],
        ['DELETE', 'users/0', 'auth:user:write'],
        ['GET', 'users/0/sessions', 'auth:session:read'],
        ['DELETE', 'users/0/sessions', 'auth:session:end'],
        ['DELETE', 'users/0/sessions/x', 'auth:session:end'],
        ['GET', 'roles', 'auth:role:read'],
        ['POST', 'roles', 'auth:role:write', {}],
        ['PATCH', 'roles/nobody', 'auth:role:write', {}],
        ['DELETE', 'roles/nobody', 'auth:role:write'],
        ['GET', 'audit', 'auth:audit:read'],
      ] as const) {
        tokens[permission] ??= await app.tokenOf(
          await app.user({ roles: [await app.role({ permissions: [permission] })] }),
        );
        expect([method, path, await outcome(method, path, body, plain)]).toEqual([method, path, 40300]);
        expect([401, 403]).not.toContain((await call(method, path, body, tokens[permission])).status);
      }
    });

    it('lets nobody manage those who have more rights', async () => {
      const manager = await app.user({
        roles: [await app.role({ permissions: ['auth:user:*', 'auth:role:*', 'auth:session:*'] })],
      });
      const token = await app.tokenOf(manager);
      const auditor = await app.role({ permissions: ['auth:audit:read'] });
      const indirect = await app.role({ includes: [auditor] });
      const everything = await app.role({ permissions: ['*'] });
      const application = await app.role({ permissions: ['note:*'] });
      const [colleague, user] = [await app.user({ roles: [auditor] }), await app.user()];
      const roles = `users/${user.id}/roles`;
      const tries: [string, string, unknown?][] = [
        ...[SUPER_ADMIN, indirect.code, everything.code].map((code): [string, string, unknown] => [
          'PUT',
          roles,
          { roles: [code] },
        ]),
        ['PUT', `users/${manager.id}/roles`, { roles: [SUPER_ADMIN] }],
        ['POST', 'users', { username: 'mallory', password: PASSWORD, roles: [SUPER_ADMIN] }],
        ['POST', 'roles', { code: 'mallory', name: 'M', permissions: ['*:audit:read'] }],
        ['POST', 'roles', { code: 'mallory', name: 'M', includes: [everything.code] }],
        ['PATCH', `roles/${application.code}`, { permissions: ['auth:audit:read'] }],
        ['PATCH', `roles/${auditor.code}`, { permissions: [] }],
        ['PATCH', `users/${colleague.id}`, { status: 'DISABLED' }],
        ['POST', `users/${colleague.id}/password`, { newPassword: NEXT }],
        ['PUT', `users/${colleague.id}/roles`, { roles: [] }],
        ['POST', `users/${colleague.id}/unlock`],
        ['DELETE', `users/${colleague.id}`],
        ['DELETE', `users/${colleague.id}/sessions`],
      ];
      for (const [method, path, body] of tries) {
        expect([method, path, await outcome(method, path, body, token)]).toEqual([method, path, 40300]);
      }
      expect(await outcome('PUT', roles, { roles: [application.code] }, token)).toBe(200);
      const denials = await call('GET', `audit?actor=${manager.username}&type=access-denied&size=100`);
      expect(denials.json.total).toBe(tries.length);
    });

    it('lets nobody undo what was done to them, whatever their token says', async () => {
      const made = async () => {
        const user = await app.administrator();
        return { user, token: await app.tokenOf(user) };
      };
      const [demoted, disabled, reset] = [await made(), await made(), await made()];
      const subject = await app.user();
      await app.users.save({ ...demoted.user, roles: [] } as AuthUser);
      await app.users.update(disabled.user.id, { status: AuthUserStatus.DISABLED });
      const codesOf = async (token: string) => [
        await outcome('POST', 'users', { username: `by-${count++}`, password: PASSWORD }, token),
        await outcome('PATCH', `users/${subject.id}`, { nickname: `by ${count++}` }, token),
        await outcome('PUT', `users/${subject.id}/roles`, { roles: [SUPER_ADMIN] }, token),
        await outcome('POST', `users/${subject.id}/password`, { newPassword: NEXT }, token),
        await outcome('POST', `users/${subject.id}/unlock`, undefined, token),
        await outcome('POST', 'roles', { code: `by-${count++}`, name: 'By' }, token),
        await outcome('DELETE', `users/${subject.id}`, undefined, token),
      ];
      const every = (code: number) => Array<number>(7).fill(code);
      expect(await codesOf(demoted.token)).toEqual(every(40300));
      expect(await codesOf(disabled.token)).toEqual(every(40101));
      expect(await outcome('POST', `users/${reset.user.id}/password`, { newPassword: NEXT })).toBe(204);
      expect(await codesOf(reset.token)).toEqual(every(hasSessions ? 40101 : 40301));
      const own = { currentPassword: NEXT, newPassword: `${NEXT}!` };
      const between = await app.tokenOf(reset.user, NEXT);
      expect(await outcome('POST', 'password', own, between)).toBe(204);
      expect(await codesOf(reset.token)).toEqual(every(40101));
      const fresh = await app.tokenOf(reset.user, `${NEXT}!`);
      expect(await codesOf(fresh)).toEqual([201, 200, 200, 204, 204, 201, 204]);
      await app.users.delete([demoted, disabled, reset].map(({ user }) => user.id));
    });

    it('never loses the last enabled super administrator', async () => {
      const { id } = await app.users.findOneByOrFail({ username: 'admin' });
      const other = await app.administrator();
      const token = await app.tokenOf(other);
      await app.users.update(other.id, { status: AuthUserStatus.DISABLED });
      const tries = await Promise.all([
        outcome('PATCH', `users/${id}`, { status: 'DISABLED' }),
        outcome('PUT', `users/${id}/roles`, { roles: [] }),
        outcome('DELETE', `users/${id}`),
      ]);
      expect(tries).toEqual([40900, 40900, 40900]);
      await app.users.update(other.id, { status: AuthUserStatus.ENABLED });
      const answers = await Promise.all([
        call('PATCH', `users/${other.id}`, { status: 'DISABLED' }),
        call('PATCH', `users/${id}`, { status: 'DISABLED' }, token),
      ]);
      // Whoever comes second is the last, or is disabled already.
      const [first, second] = answers.map(({ status }) => status).sort();
      expect([first, [401, 409].includes(second!)]).toEqual([200, true]);
      await app.users.update(id, { status: AuthUserStatus.ENABLED });
      await app.users.delete(other.id);
      admin = await app.adminToken();
    });

    it('records what happens, and shows it to those with the permission', async () => {
      const { userId } = (await call('POST', 'users', { username: 'audited', password: PASSWORD })).json;
      await app.login('audited', 'wrong');
      await app.login('nobody-has-this-name', 'wrong');
      const token = await app.tokenOf('audited');
      await call('GET', 'users', undefined, token);
      await call('PATCH', `users/${userId}`, { status: 'DISABLED' });
      await call('DELETE', `users/${userId}`);
      const read = async (query: string) => (await call('GET', `audit?${query}`)).json;
      const about = await read('subject=audited');
      expect(about.items.map(({ type, actor, success }: any) => [type, actor, success])).toEqual([
        ['user-deleted', 'admin', true],
        ['user-status-changed', 'admin', true],
        ['login', null, true],
        ['login-failed', null, false],
        ['user-created', 'admin', true],
      ]);
      const changed = { detail: 'DISABLED', subjectId: userId, address: '127.0.0.1' };
      expect(about.items[1]).toMatchObject({
        ...changed,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      });
      expect((await read('actor=audited')).items).toMatchObject([
        { type: 'access-denied', detail: 'KitAuthUserController.find: auth:user:read', success: false },
      ]);
      expect((await read('from=yesterday')).code).toBe(40000);
      const everything = JSON.stringify(await app.audit.find());
      for (const secret of [PASSWORD, 'nobody-has-this-name', token]) {
        expect(everything).not.toContain(secret);
      }
    });
  });
}
