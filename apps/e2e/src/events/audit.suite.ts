import { setImmediate as tick } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { AuthEvents, type SessionInfo } from 'kit-auth';
import { TypeOrmUserStore } from 'kit-auth/typeorm';
import { type KitAuthSessionOptions, SessionManager } from 'kit-auth-session';
import { PASSWORD, sharedTestApp, type Where } from 'test-support';
import { MoreThan } from 'typeorm';
import { AuditedApp } from './audited-app.js';

const NEXT = 'another right one 4712';

export type AuditSetting = Where & { session?: KitAuthSessionOptions };

/** That nothing is done without its record, whatever the client, the database or other users do. */
export function describeAudit({ database, platform, provider, ...session }: AuditSetting): void {
  const settings = session.session === undefined ? '' : ' in memory';
  describe(`the audit on ${database}, ${platform}, with ${provider}${settings}`, () => {
    const hasSessions = provider === 'session';
    const app = sharedTestApp(new AuditedApp({ database, platform, provider, ...session }));
    let admin: string;
    /** The last row when a test begins. */
    let last: number;
    beforeAll(async () => {
      admin = await app.adminToken();
      last = 0;
      await firstRows(1); // the login's
    });
    beforeEach(async () => {
      last = (await app.audit.maximum('id')) ?? 0;
    });
    afterEach(() => {
      app.sink.keeping = async () => undefined;
      jest.restoreAllMocks();
    });
    const rows = () => app.audit.find({ where: { id: MoreThan(last) }, order: { id: 'ASC' } });
    const firstRows = async (count: number) => {
      let found = await rows();
      while (found.length < count) {
        await tick();
        found = await rows();
      }
      return found;
    };
    const origin = { actorId: '1', actor: 'admin', address: '127.0.0.1' };

    it('records actor and address of a change although the client disconnects during it', async () => {
      const user = await app.user();
      const sent: Socket[] = [];
      app.sink.keeping = async ({ type }) => {
        if (type === 'user-changed') {
          await app.hangUp(sent[0]!);
        }
      };
      const body = { nickname: 'New', status: 'DISABLED' };
      sent.push(await app.send(admin, 'PATCH', `users/${user.id}`, body));
      expect(await firstRows(2)).toMatchObject([
        { type: 'user-changed', ...origin },
        { type: 'user-status-changed', ...origin },
      ]);
    });

    it('records the address of a failed login although the client disconnects during it', async () => {
      const user = await app.user();
      const sent: Socket[] = [];
      jest.spyOn(bcrypt, 'compare').mockImplementationOnce((async () => {
        await app.hangUp(sent[0]!);
        return false;
      }) as never);
      const guess = { username: user.username, password: 'wrong' };
      sent.push(await app.send(undefined, 'POST', 'login', guess));
      expect(await firstRows(1)).toMatchObject([
        { type: 'login-failed', subjectId: String(user.id), address: '127.0.0.1' },
      ]);
    });

    it('refuses the change of a client that disconnects before its address is known', async () => {
      const user = await app.user();
      app.sendAndReset(admin, 'PATCH', `users/${user.id}`, { nickname: 'Of nobody' });
      // One change waits for the other.
      const other = await app.user();
      expect((await app.call(admin, 'PATCH', `users/${other.id}`, { nickname: 'New' })).status).toBe(200);
      expect((await app.users.findOneByOrFail({ id: user.id })).nickname).toBe(user.nickname);
      expect(await rows()).toMatchObject([{ type: 'user-changed', subjectId: String(other.id), ...origin }]);
    });

    it('combines repeated refusals of a user, which do not delay logins of others', async () => {
      const [user, intruder] = [await app.user(), await app.user()];
      const token = await app.tokenOf(intruder);
      await firstRows(1); // the intruder's own login
      last = (await app.audit.maximum('id')) ?? 0;
      const refusals = Array.from({ length: 40 }, () => app.codeOf(token, '/v1/api/auth/users'));
      const logins = Array.from({ length: 3 }, () => app.login(user.username));
      expect((await Promise.all(refusals)).filter((code) => code !== 40300)).toEqual([]);
      expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(Array(3).fill(200));
      const kept = await firstRows(4);
      expect(kept.filter(({ type }) => type === 'login')).toHaveLength(3);
      const denied = kept.filter(({ type }) => type === 'access-denied');
      expect(denied).toMatchObject([
        { actorId: String(intruder.id), detail: 'KitAuthUserController.find: auth:user:read' },
      ]);
      expect(app.logs.all()).not.toContain('dropped');
      // Those that repeat the first come with the end of their minute, or of the application.
      await (app.get(AuthEvents) as AuthEvents & BeforeApplicationShutdown).beforeApplicationShutdown();
      expect((await rows()).at(-1)).toMatchObject({
        type: 'access-denied',
        actorId: String(intruder.id),
        success: false,
        address: '127.0.0.1',
        detail: '39 more: KitAuthUserController.find: auth:user:read',
      });
    });

    const CHANGES: [method: string, path: string, body?: object][] = [
      ['PATCH', 'users/{id}', { status: 'DISABLED' }],
      ['POST', 'users/{id}/password', { newPassword: NEXT }],
      ['PUT', 'users/{id}/roles', { roles: ['SUPER_ADMIN'] }],
      ['DELETE', 'users/{id}'],
      ['POST', 'password', { currentPassword: PASSWORD, newPassword: NEXT }],
    ];
    const ENDS: typeof CHANGES = [
      ['DELETE', 'users/{id}/sessions'],
      ['DELETE', 'users/{id}/sessions/{session}'],
      ['DELETE', 'sessions'],
      ['DELETE', 'sessions/{session}'],
    ];

    it.each([...CHANGES, ...(hasSessions ? ENDS : [])])(
      '%s %s does nothing when its record cannot be kept',
      async (...[method, path, body]) => {
        const user = await app.user();
        const [token, other] = [await app.tokenOf(user), await app.tokenOf(user)];
        const session = hasSessions ? (await app.call(token, 'GET', 'sessions')).json[1].id : '';
        await firstRows(2);
        app.sink.keeping = async () => {
          throw new Error('full');
        };
        const asked = path.replace('{id}', String(user.id)).replace('{session}', encodeURIComponent(session));
        const call = () => app.call(path.startsWith('users') ? admin : token, method, asked, body);
        expect((await call()).json.code).toBe(50300);
        expect((await rows()).map(({ type }) => type)).toEqual(['login', 'login']);
        expect([await app.codeOf(token), await app.codeOf(other)]).toEqual([200, 200]);
        expect((await app.login(user.username)).json.user).toMatchObject({ superAdmin: false });
        app.sink.keeping = async () => undefined;
        expect([200, 204]).toContain((await call()).status);
        expect((await rows()).at(-1)?.subjectId).toBe(String(user.id));
      },
    );

    if (hasSessions) {
      it('ends no session on behalf of a session that is revoked meanwhile', async () => {
        const user = await app.user();
        const stolen = await app.tokenOf(user);
        const sent: Socket[] = [];
        const users = app.get(TypeOrmUserStore);
        const transaction = users.transaction.bind(users) as (...parameters: unknown[]) => Promise<unknown>;
        let later = '';
        jest.spyOn(users, 'transaction').mockImplementationOnce(async (...parameters: unknown[]) => {
          await app.hangUp(sent[0]!);
          await app.get(SessionManager).endAllOf(user.id, { reason: 'password-changed' });
          later = await app.tokenOf(user);
          return transaction(...parameters);
        });
        sent.push(await app.send(stolen, 'DELETE', 'sessions', {}));
        await firstRows(3);
        expect([await app.codeOf(stolen), await app.codeOf(later)]).toEqual([40101, 200]);
      });

      it('records who ends sessions although the client disconnects', async () => {
        const user = await app.user();
        const [token] = [await app.tokenOf(user), await app.tokenOf(user), await app.tokenOf(user)];
        const listed: SessionInfo[] = (await app.call(token, 'GET', 'sessions')).json;
        const [first, second] = listed.filter(({ current }) => !current).map(({ id }) => id);
        expect((await app.call(token, 'DELETE', `sessions/${first}`)).status).toBe(204);
        const sent: Socket[] = [];
        const sessions = app.get(SessionManager);
        const listOf = sessions.listOf.bind(sessions);
        jest.spyOn(sessions, 'listOf').mockImplementationOnce(async (userId) => {
          await app.hangUp(sent[0]!);
          return listOf(userId);
        });
        sent.push(await app.send(token, 'DELETE', `sessions/${second}`, {}));
        const kept = await firstRows(5);
        const of = { type: 'sessions-ended', actorId: String(user.id), address: '127.0.0.1' };
        expect(kept.filter(({ type }) => type === 'sessions-ended')).toMatchObject([
          { ...of, detail: first },
          { ...of, detail: second },
        ]);
      });
    }
  });
}
