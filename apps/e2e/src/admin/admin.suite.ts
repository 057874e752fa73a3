import { beforeAll, describe, expect, it } from '@jest/globals';
import { ValidationPipe } from '@nestjs/common';
import { AuthUserStatus, SUPER_ADMIN } from 'kit-auth/typeorm';
import { PASSWORD, sharedTestApp, type Where } from 'test-support';
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

    it('creates a user who can log in, and never returns the password', async () => {
      const role = await app.role({ permissions: ['note:read'] });
      const input = { username: 'ada', password: PASSWORD, nickname: 'Ada', roles: [role.code] };
      const made = await app.call(admin, 'POST', 'users', input);
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
      const read = await app.call(admin, 'GET', `users/${made.json.userId}`);
      expect([read.status, read.json, read.headers['cache-control']]).toEqual([200, user, 'no-store']);
      const token = await app.tokenOf({ username: 'ada' });
      expect((await app.call(admin, 'GET', `users/${made.json.userId}`)).json.lastLoginAt).toEqual(time);
      expect(await app.codeOf(token, '/v1/notes')).toBe(200);
    });

    it.each([
      [{ username: ' bob', password: PASSWORD }, 40000],
      [{ username: 'bob', password: 'short' }, 40000],
      [{ username: 'bob', password: '\ud800'.repeat(9) }, 40000],
      [{ username: 'bob', password: PASSWORD, roles: ['nobody-knows'] }, 40000],
      [{ username: 'admin', password: PASSWORD }, 40900],
    ])('creates no user from %j: %i', async (input, code) => {
      const { status, json } = await app.call(admin, 'POST', 'users', input);
      expect([status, json.code]).toEqual([Math.trunc(code / 100), code]);
      expect(JSON.stringify(json)).not.toContain(PASSWORD);
      expect(await app.users.existsBy({ username: 'bob' })).toBe(false);
    });

    it('ignores unknown members of a body', async () => {
      const body = {
        username: 'eve',
        password: PASSWORD,
        userId: 1,
        id: 1,
        superAdmin: true,
        passwordHash: 'x',
        mustChangePassword: true,
        securityStamp: 'x',
        lastLoginAt: 0,
        constructor: {},
        extra: { deep: [] },
      };
      const text = JSON.stringify(body).replace('{', '{"__proto__":{"status":"DISABLED"},');
      const { json } = await app.request('/v1/api/auth/users', {
        method: 'POST',
        token: admin,
        headers: ['Content-Type: application/json'],
        body: text,
      });
      if (json.code === undefined) {
        expect(json).toMatchObject({
          username: 'eve',
          superAdmin: false,
          mustChangePassword: false,
          status: 'ENABLED',
        });
        expect(json.userId).not.toBe(1);
        const path = `users/${json.userId}`;
        const patch = {
          nickname: 'E',
          username: 'root',
          roles: [SUPER_ADMIN],
          superAdmin: true,
          userId: 1,
        };
        const patched = (await app.call(admin, 'PATCH', path, patch)).json;
        expect(patched).toMatchObject({ username: 'eve', nickname: 'E', roles: [], userId: json.userId });
      } else {
        // Fastify's own parser refuses such names.
        expect([platform, json.code]).toEqual(['fastify', 40000]);
      }
      const deep = `{"username":"deep","password":"${PASSWORD}","extra":${'['.repeat(3000)}${']'.repeat(3000)}}`;
      const answer = await app.request('/v1/api/auth/users', {
        method: 'POST',
        token: admin,
        headers: ['Content-Type: application/json'],
        body: deep,
      });
      expect(answer.status).toBe(201);
    });

    it.each(['application/x-www-form-urlencoded', 'text/plain'])(
      'refuses bodies of the type %s',
      async (type) => {
        const answer = await app.request('/v1/api/auth/users', {
          method: 'POST',
          token: admin,
          headers: [`Content-Type: ${type}`],
          body: `username=form&password=${encodeURIComponent(PASSWORD)}`,
        });
        expect([400, 415]).toContain(answer.status);
        expect(await app.users.existsBy({ username: 'form' })).toBe(false);
      },
    );

    it('lists users in stable pages, with search and filters', async () => {
      const role = await app.role();
      const users = [];
      for (let i = 0; i < 5; i++) {
        users.push(await app.user({ roles: [role], nickname: `Page%Tester ${i}` }));
      }
      await app.users.update(users[4]!.id, { status: AuthUserStatus.DISABLED });
      const list = async (query: string) => (await app.call(admin, 'GET', `users?${query}`)).json;
      const all = await list(`role=${role.code}`);
      expect([all.total, all.page, all.size]).toEqual([5, 1, 20]);
      expect(all.items.map(({ userId }: { userId: number }) => userId)).toEqual(users.map(({ id }) => id));
      const pages = [await list(`role=${role.code}&size=2`), await list(`role=${role.code}&size=2&page=3`)];
      expect(pages.map(({ items, total }) => [items.length, total])).toEqual([
        [2, 5],
        [1, 5],
      ]);
      expect((await list('q=page%25tester')).total).toBe(5);
      expect((await list('q=PAGE%25TESTER%203')).items[0].userId).toBe(users[3]!.id);
      expect((await list('q=page_tester')).total).toBe(0);
      expect((await list(`q=${users[2]!.username}&role=${role.code}`)).total).toBe(1);
      expect((await list(`role=${role.code}&status=DISABLED`)).items[0].userId).toBe(users[4]!.id);
      expect((await list('role=nobody')).items).toEqual([]);
      expect((await list('size=101')).code).toBe(40000);
      expect((await list('status=nonsense')).total ?? 0).toBe(0);
    });

    it('changes nickname and status, with immediate effect if tokens can be revoked', async () => {
      const user = await app.user();
      const token = await app.tokenOf(user);
      const path = `users/${user.id}`;
      const disabled = await app.call(admin, 'PATCH', path, { nickname: 'New', status: 'DISABLED' });
      expect([disabled.status, disabled.json.nickname, disabled.json.status]).toEqual([
        200,
        'New',
        'DISABLED',
      ]);
      expect(await app.codeOf(token)).toBe(hasSessions ? 40101 : 200);
      expect((await app.login(user.username)).json.code).toBe(40111);
      expect((await app.call(admin, 'PATCH', path, { status: 'ENABLED' })).json.status).toBe('ENABLED');
      expect(await app.codeOf(token)).toBe(hasSessions ? 40101 : 200);
      expect((await app.login(user.username)).status).toBe(200);
      expect((await app.call(admin, 'PATCH', path, {})).status).toBe(200);
      expect((await app.call(admin, 'PATCH', path, { status: 'GONE' })).json.code).toBe(40000);
    });

    it('grants and removes roles, with effect on the next request of a session', async () => {
      const [reader, writer] = [
        await app.role({ permissions: ['note:read'] }),
        await app.role({ permissions: ['note:write'] }),
      ];
      const user = await app.user({ roles: [reader] });
      const token = await app.tokenOf(user);
      const answer = await app.call(admin, 'PUT', `users/${user.id}/roles`, { roles: [writer.code] });
      expect([answer.status, answer.json.roles]).toEqual([200, [writer.code]]);
      expect(await app.codeOf(token, '/v1/notes')).toBe(hasSessions ? 40300 : 200);
      const again = await app.call(admin, 'PUT', `users/${user.id}/roles`, { roles: [writer.code] });
      expect(again.status).toBe(200);
      for (const roles of [['nobody'], 'x']) {
        expect((await app.call(admin, 'PUT', `users/${user.id}/roles`, { roles })).json.code).toBe(40000);
      }
      expect((await app.call(admin, 'PUT', `users/${user.id}/roles`, { roles: [] })).json.roles).toEqual([]);
    });

    it('resets a password, which the user must change then', async () => {
      const user = await app.user();
      const token = await app.tokenOf(user);
      const path = `users/${user.id}/password`;
      expect((await app.call(admin, 'POST', path, { newPassword: 'short' })).json.code).toBe(40000);
      expect((await app.call(admin, 'POST', path, { newPassword: NEXT })).status).toBe(204);
      expect(await app.codeOf(token)).toBe(hasSessions ? 40101 : 200);
      expect((await app.login(user.username)).json.code).toBe(40110);
      const fresh = await app.tokenOf(user, NEXT);
      expect([await app.codeOf(fresh), await app.codeOf(fresh, '/v1/api/auth/sessions')]).toEqual([
        200, 40301,
      ]);
      expect((await app.call(admin, 'GET', `users/${user.id}`)).json.mustChangePassword).toBe(true);
    });

    it('deletes a user, and then answers 404', async () => {
      const user = await app.user({ roles: [await app.role()] });
      const token = await app.tokenOf(user);
      expect((await app.call(admin, 'DELETE', `users/${user.id}`)).status).toBe(204);
      expect(await app.codeOf(token)).toBe(hasSessions ? 40101 : 200);
      expect((await app.login(user.username)).json.code).toBe(40110);
      for (const id of [user.id, '1e1', '1%00', '../1']) {
        const { status, json } = await app.call(admin, 'DELETE', `users/${id}`);
        expect([id, status]).toEqual([id, 404]);
        expect(id === '../1' || json.code).toBe(id === '../1' || 40400);
      }
    });

    it('lists and ends sessions of others if the implementation has sessions', async () => {
      const user = await app.user();
      const [one, two] = [await app.tokenOf(user), await app.tokenOf(user)];
      const list = await app.call(admin, 'GET', `users/${user.id}/sessions`);
      if (!hasSessions) {
        for (const [method, path] of [
          ['GET', 'sessions'],
          ['DELETE', 'sessions'],
          ['DELETE', 'sessions/x'],
        ] as const) {
          expect((await app.call(admin, method, `users/${user.id}/${path}`)).json.code).toBe(50100);
        }
        return;
      }
      expect(list.json.map(({ current }: { current: boolean }) => current)).toEqual([false, false]);
      const ofAnother = await app.user();
      const id = encodeURIComponent(list.json[0].id);
      expect((await app.call(admin, 'DELETE', `users/${ofAnother.id}/sessions/${id}`)).json.code).toBe(40400);
      expect((await app.call(admin, 'DELETE', `users/${user.id}/sessions/${id}`)).status).toBe(204);
      expect([await app.codeOf(one), await app.codeOf(two)]).toEqual([40101, 200]);
      expect((await app.call(one, 'GET', 'me')).json.reason).toBe('kicked');
      expect((await app.call(admin, 'DELETE', `users/${user.id}/sessions`)).status).toBe(204);
      expect(await app.codeOf(two)).toBe(40101);
      expect((await app.call(admin, 'GET', 'users/2147483647/sessions')).json.code).toBe(40400);
    });

    it('creates, changes and deletes roles', async () => {
      const role = { code: 'editor', name: 'Editor', permissions: ['note:*'], includes: [] as string[] };
      const made = await app.call(admin, 'POST', 'roles', role);
      expect([made.status, made.json, made.headers['location']]).toEqual([
        201,
        role,
        '/v1/api/auth/roles/editor',
      ]);
      expect((await app.call(admin, 'POST', 'roles', role)).json.code).toBe(40900);
      const chief = { code: 'chief', name: 'Chief', permissions: [], includes: ['editor'] };
      expect((await app.call(admin, 'POST', 'roles', chief)).json).toEqual(chief);
      const listed = (await app.call(admin, 'GET', 'roles')).json;
      expect(listed).toEqual(
        expect.arrayContaining([role, chief, expect.objectContaining({ code: SUPER_ADMIN })]),
      );
      const holder = await app.user({ roles: ['chief'] });
      const notes = async () => app.codeOf(await app.tokenOf(holder), '/v1/notes');
      const stamp = async () =>
        (
          await app.users.findOneOrFail({
            where: { id: holder.id },
            select: { id: true, securityStamp: true },
          })
        ).securityStamp;
      const before = await stamp();
      expect(await notes()).toBe(200);
      const changed = await app.call(admin, 'PATCH', 'roles/editor', {
        permissions: ['note:write'],
        code: 'x',
      });
      expect(changed.json).toEqual({ ...role, permissions: ['note:write'] });
      expect(await notes()).toBe(40300);
      expect(await stamp()).not.toBe(before);
      for (const [code, input] of [
        ['editor', { includes: ['chief'] }],
        ['editor', { includes: ['editor'] }],
      ] as const) {
        expect((await app.call(admin, 'PATCH', `roles/${code}`, input)).json.code).toBe(40900);
      }
      for (const input of [
        { includes: ['nobody'] },
        { includes: [SUPER_ADMIN] },
        { permissions: ['note read'] },
      ]) {
        expect((await app.call(admin, 'PATCH', 'roles/editor', input)).json.code).toBe(40000);
      }
      expect((await app.call(admin, 'POST', 'roles', { code: '../x', name: 'N' })).json.code).toBe(40000);
      expect((await app.call(admin, 'DELETE', 'roles/editor')).json.code).toBe(40900);
      expect((await app.call(admin, 'DELETE', 'roles/chief')).json.code).toBe(40900);
      await app.call(admin, 'PUT', `users/${holder.id}/roles`, { roles: [] });
      expect((await app.call(admin, 'DELETE', 'roles/chief')).status).toBe(204);
      expect((await app.call(admin, 'DELETE', 'roles/editor')).status).toBe(204);
      expect((await app.call(admin, 'DELETE', 'roles/editor')).json.code).toBe(40400);
      for (const [method, input] of [
        ['PATCH', { name: 'N' }],
        ['DELETE', undefined],
      ] as const) {
        expect((await app.call(admin, method, `roles/${SUPER_ADMIN}`, input)).json.code).toBe(40900);
      }
    });

    const ACTIONS: [method: string, path: string, permission: string, body?: unknown][] = [
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
    ];

    describe('permissions', () => {
      const tokens: Record<string, string> = {};
      beforeAll(async () => {
        const permissions = [...new Set(ACTIONS.map(([, , permission]) => permission))];
        const all = await app.role({ permissions });
        const [demoted, disabled] = [await app.user({ roles: [all] }), await app.user({ roles: [all] })];
        tokens['plain'] = await app.tokenOf(await app.user());
        tokens['demoted'] = await app.tokenOf(demoted);
        tokens['disabled'] = await app.tokenOf(disabled);
        for (const permission of permissions) {
          const role = await app.role({ permissions: [permission] });
          tokens[permission] = await app.tokenOf(await app.user({ roles: [role] }));
        }
        await app.call(admin, 'PUT', `users/${demoted.id}/roles`, { roles: [] });
        await app.call(admin, 'PATCH', `users/${disabled.id}`, { status: 'DISABLED' });
      });

      it.each(ACTIONS)('%s %s requires %s', async (...[method, path, permission, body]) => {
        const statusOf = async (token?: string) => (await app.call(token, method, path, body)).status;
        expect(await statusOf()).toBe(401);
        expect(await statusOf(tokens['plain'])).toBe(403);
        const allowed = [200, 400, 404];
        expect(allowed).toContain(await statusOf(tokens[permission]));
        expect(allowed).toContain(await statusOf(admin));
        // A stateless token may look at what was its user's at its login; changes look at the user as they are.
        expect(hasSessions ? [403] : [...allowed, 403]).toContain(await statusOf(tokens['demoted']));
        expect(hasSessions ? [401] : [...allowed, 401]).toContain(await statusOf(tokens['disabled']));
      });
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
      const [administrator, colleague, user] = [
        await app.administrator(),
        await app.user({ roles: [auditor] }),
        await app.user(),
      ];
      const tries: [string, string, unknown?][] = [
        ['PUT', `users/${user.id}/roles`, { roles: [SUPER_ADMIN] }],
        ['PUT', `users/${manager.id}/roles`, { roles: [SUPER_ADMIN] }],
        ['PUT', `users/${user.id}/roles`, { roles: [auditor.code] }],
        ['PUT', `users/${user.id}/roles`, { roles: [indirect.code] }],
        ['PUT', `users/${user.id}/roles`, { roles: [everything.code] }],
        ['POST', 'users', { username: 'mallory', password: PASSWORD, roles: [SUPER_ADMIN] }],
        ['POST', 'roles', { code: 'mallory', name: 'M', permissions: ['auth:*'] }],
        ['POST', 'roles', { code: 'mallory', name: 'M', permissions: ['*:audit:read'] }],
        ['POST', 'roles', { code: 'mallory', name: 'M', includes: [everything.code] }],
        ['PATCH', `roles/${application.code}`, { permissions: ['auth:audit:read'] }],
        ['PATCH', `roles/${auditor.code}`, { permissions: [] }],
        ...[administrator, colleague].flatMap(({ id }): [string, string, unknown?][] => [
          ['PATCH', `users/${id}`, { status: 'DISABLED' }],
          ['POST', `users/${id}/password`, { newPassword: NEXT }],
          ['PUT', `users/${id}/roles`, { roles: [] }],
          ['POST', `users/${id}/unlock`],
          ['DELETE', `users/${id}`],
          ['DELETE', `users/${id}/sessions`],
        ]),
      ];
      for (const [method, path, body] of tries) {
        const { json } = await app.call(token, method, path, body);
        expect([method, path, json?.code]).toEqual([method, path, 40300]);
      }
      expect(
        (await app.call(token, 'PUT', `users/${user.id}/roles`, { roles: [application.code] })).status,
      ).toBe(200);
      expect(await app.users.existsBy({ username: 'mallory' })).toBe(false);
      const denials = await app.call(
        admin,
        'GET',
        `audit?actor=${manager.username}&type=access-denied&size=100`,
      );
      expect(denials.json.total).toBe(tries.length);
      await app.users.remove(administrator);
    });

    it('lets nobody undo what was done to them, whatever their token says', async () => {
      const [demoted, disabled] = [await app.administrator(), await app.administrator()];
      const tokens = [await app.tokenOf(demoted), await app.tokenOf(disabled)] as const;
      await app.users.save({ ...demoted, roles: [] });
      await app.users.update(disabled.id, { status: AuthUserStatus.DISABLED });
      const refused = async (token: string, method: string, path: string, body: unknown) => {
        expect([401, 403]).toContain((await app.call(token, method, path, body)).status);
      };
      const again = { username: 'again', password: PASSWORD, roles: [SUPER_ADMIN] };
      await refused(tokens[0], 'PUT', `users/${demoted.id}/roles`, { roles: [SUPER_ADMIN] });
      await refused(tokens[1], 'PATCH', `users/${disabled.id}`, { status: 'ENABLED' });
      for (const token of tokens) {
        await refused(token, 'POST', 'users', again);
        await refused(token, 'POST', 'users/1/password', { newPassword: NEXT });
        await refused(token, 'POST', 'roles', { code: 'again', name: 'A' });
      }
      expect(await app.users.existsBy({ username: 'again' })).toBe(false);
      await app.users.delete([demoted.id, disabled.id]);
    });

    it('changes nothing for a token from before the password was reset', async () => {
      const administrator = await app.administrator();
      const user = await app.user();
      const old = await app.tokenOf(administrator);
      const codesOf = async (token: string) => {
        const answers = [
          await app.call(token, 'POST', 'users', { username: `by-${count++}`, password: PASSWORD }),
          await app.call(token, 'PATCH', `users/${user.id}`, { nickname: `by ${count++}` }),
          await app.call(token, 'PUT', `users/${user.id}/roles`, { roles: [SUPER_ADMIN] }),
          await app.call(token, 'POST', `users/${user.id}/password`, { newPassword: NEXT }),
          await app.call(token, 'POST', `users/${user.id}/unlock`),
          await app.call(token, 'POST', 'roles', { code: `by-${count++}`, name: 'By' }),
          await app.call(token, 'DELETE', `users/${user.id}`),
        ];
        return answers.map(({ status, json }) => (status < 300 ? status : json.code));
      };
      const every = (code: number) => Array<number>(7).fill(code);
      const reset = { newPassword: NEXT };
      const answer = await app.call(admin, 'POST', `users/${administrator.id}/password`, reset);
      expect(answer.status).toBe(204);
      expect(await codesOf(old)).toEqual(every(hasSessions ? 40101 : 40301));
      const own = { currentPassword: NEXT, newPassword: `${NEXT}!` };
      const between = await app.tokenOf(administrator, NEXT);
      expect((await app.call(between, 'POST', 'password', own)).status).toBe(204);
      expect(await codesOf(old)).toEqual(every(40101));
      expect((await app.users.findOneByOrFail({ id: user.id })).nickname).toBe(user.nickname);
      const fresh = await app.tokenOf(administrator, `${NEXT}!`);
      expect(await codesOf(fresh)).toEqual([201, 200, 200, 204, 204, 201, 204]);
      await app.users.delete(administrator.id);
    });

    it("refuses to reset one's own password", async () => {
      const administrator = await app.administrator();
      const token = await app.tokenOf(administrator);
      const answer = await app.call(token, 'POST', `users/${administrator.id}/password`, {
        newPassword: NEXT,
      });
      expect(answer.json.code).toBe(40900);
      expect((await app.login(administrator.username)).status).toBe(200);
      await app.users.delete(administrator.id);
    });

    it('never loses the last enabled super administrator', async () => {
      const { id } = await app.users.findOneByOrFail({ username: 'admin' });
      const tries = () =>
        Promise.all([
          app.call(admin, 'PATCH', `users/${id}`, { status: 'DISABLED' }),
          app.call(admin, 'PUT', `users/${id}/roles`, { roles: [] }),
          app.call(admin, 'DELETE', `users/${id}`),
        ]);
      expect((await tries()).map(({ json }) => json.code)).toEqual([40900, 40900, 40900]);
      const second = await app.administrator();
      await app.users.update(second.id, { status: AuthUserStatus.DISABLED });
      expect((await tries()).map(({ json }) => json.code)).toEqual([40900, 40900, 40900]);
      await app.users.update(second.id, { status: AuthUserStatus.ENABLED });
      const other = await app.tokenOf(second);
      const [one, two] = await Promise.all([
        app.call(admin, 'PATCH', `users/${second.id}`, { status: 'DISABLED' }),
        app.call(other, 'PATCH', `users/${id}`, { status: 'DISABLED' }),
      ]);
      // Whoever comes second is the last, or is disabled already.
      const statuses = [one.status, two.status].sort();
      expect([
        [200, 401],
        [200, 409],
      ]).toContainEqual(statuses);
      await app.users.update(id, { status: AuthUserStatus.ENABLED });
      await app.users.delete(second.id);
      admin = await app.adminToken();
    });

    it('creates one user when eight requests use the same name', async () => {
      const input = { username: 'eight', password: PASSWORD };
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => app.call(admin, 'POST', 'users', input)),
      );
      const codes = answers.map(({ status, json }) => json.code ?? status);
      expect(codes.filter((code) => code === 201)).toHaveLength(1);
      expect(codes.filter((code) => code === 40900)).toHaveLength(7);
      expect(await app.users.countBy({ username: 'eight' })).toBe(1);
    });

    it('records what happens, and shows it to those with the permission', async () => {
      const { json: user } = await app.call(admin, 'POST', 'users', {
        username: 'audited',
        password: PASSWORD,
      });
      await app.login('audited', 'wrong');
      await app.login('nobody-has-this-name', 'wrong');
      const token = await app.tokenOf({ username: 'audited' });
      await app.call(token, 'GET', 'users');
      await app.call(admin, 'PATCH', `users/${user.userId}`, { status: 'DISABLED' });
      await app.call(admin, 'POST', `users/${user.userId}/password`, { newPassword: NEXT });
      await app.call(admin, 'DELETE', `users/${user.userId}`);
      const read = async (query: string) => (await app.call(admin, 'GET', `audit?${query}`)).json;
      const about = await read('subject=audited');
      expect(about.items.map(({ type, actor, success }: any) => [type, actor, success])).toEqual([
        ['user-deleted', 'admin', true],
        ['password-reset', 'admin', true],
        ['user-status-changed', 'admin', true],
        ['login', null, true],
        ['login-failed', null, false],
        ['user-created', 'admin', true],
      ]);
      expect(about.items[2]).toMatchObject({
        detail: 'DISABLED',
        subjectId: user.userId,
        address: '127.0.0.1',
      });
      expect(about.items[2].at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect((await read(`subject=${user.userId}`)).total).toBe(6);
      expect((await read('actor=audited')).items).toMatchObject([
        { type: 'access-denied', detail: 'KitAuthUserController.find: auth:user:read', success: false },
      ]);
      expect((await read('type=user-created&actor=admin&size=1')).items).toHaveLength(1);
      expect((await read('from=2100-01-01')).total).toBe(0);
      expect((await read('to=2000-01-01T00:00:00Z')).total).toBe(0);
      expect((await read('from=2000-01-01&to=2100-01-01')).total).toBeGreaterThan(5);
      expect((await read('from=yesterday')).code).toBe(40000);
      const everything = JSON.stringify(await app.audit.find());
      for (const secret of [PASSWORD, NEXT, 'nobody-has-this-name', token]) {
        expect(everything).not.toContain(secret);
      }
    });
  });
}
