import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthUser } from 'kit-auth/typeorm';
import { freezeDate, PASSWORD, sharedTestApp, until } from 'test-support';
import { type SocketsAppOptions, SocketsApp, type TestSocket } from './app.js';

const NEW_PASSWORD = 'another one 4712';

export interface EndsApp {
  readonly app: SocketsApp;
  readonly user: () => AuthUser;
}

/** The application of a suite, and a new user for each of its tests. */
export function endsApp(options: SocketsAppOptions): EndsApp {
  const app = sharedTestApp(new SocketsApp({ admin: true, ...options }));
  let user: AuthUser;
  beforeAll(() => app.role({ code: 'editor', permissions: ['note:write'] }));
  beforeEach(async () => {
    user = await app.user({ roles: ['editor'] });
  });
  afterEach(() => {
    app.leaveAll();
  });
  return { app, user: () => user };
}

/** Whether a socket is still open, and its user known. */
export async function isLive(socket: TestSocket, { username }: { username: string }): Promise<void> {
  expect(await socket.ask('who', 'live')).toMatchObject({ username, text: 'live' });
  expect(socket.end).toBeUndefined();
}

/** How sockets end with their logins, where logins are known. */
export function describeSocketEnds(name: string, options: () => SocketsAppOptions): void {
  describe(`sockets of logins in ${name}`, () => {
    const { app, user } = endsApp(options());
    const pair = async () => {
      const tokens = [await app.tokenOf(user()), await app.tokenOf(user())] as const;
      const sockets = [await app.connected(tokens[0]), await app.connected(tokens[1])] as const;
      return { tokens, sockets };
    };
    const done = async (token: string, method: string, path: string, json?: object) => {
      const { status, text } = await app.call(token, method, path, json);
      expect([status < 300, text]).toEqual([true, text]);
    };

    it('close with a logout, alone', async () => {
      const { tokens, sockets } = await pair();
      await done(tokens[0], 'POST', 'logout');
      expect(await sockets[0].closed()).toBe('4401 logged-out');
      await isLive(sockets[1], user());
    });

    it('close with a new password, but for the one that changes it', async () => {
      const { tokens, sockets } = await pair();
      const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
      const { json } = await app.call(tokens[0], 'POST', 'password', body);
      expect(await sockets[1].closed()).toMatch(/^4401 (password-changed|revoked)$/);
      await isLive(sockets[0], user());
      await done(json?.token ?? tokens[0], 'POST', 'logout');
      expect(await sockets[0].closed()).toMatch(/^4401 /);
    });

    it.each([
      ['a disabled account', 'PATCH', '', { status: 'DISABLED' }],
      ['an end of all logins', 'DELETE', '/sessions', undefined],
    ])('close with %s', async (_, method, path, json) => {
      const { sockets } = await pair();
      await done(await app.adminToken(), method, `users/${user().id}${path}`, json);
      for (const socket of sockets) {
        expect(await socket.closed()).toMatch(/^4401 [a-z-]+$/);
      }
      expect(app.registry.ofUser(user().id)).toEqual([]);
    });

    it('close where a role is missing now, and stay elsewhere, with what the user may do now', async () => {
      const admin = await app.adminToken();
      const role = await app.role({ permissions: ['note:write'] });
      await done(admin, 'PUT', `users/${user().id}/roles`, { roles: ['editor', role.code] });
      const token = await app.tokenOf(user());
      const [chat, edit] = [await app.connected(token), await app.connected(token, 'edit')];
      expect(await chat.ask('write')).toBe('written');
      await done(admin, 'PUT', `users/${user().id}/roles`, { roles: [role.code] });
      expect(await edit.closed()).toBe('4403 forbidden');
      expect(await chat.ask('write')).toBe('written');
      await done(admin, 'PATCH', `roles/${role.code}`, { permissions: ['note:read'] });
      expect(await chat.ask('write')).toMatchObject({ code: 40300 });
      await isLive(chat, user());
    });

    it('stay with POST fresh, and close with the login that goes on', async () => {
      const { tokens, sockets } = await pair();
      const { json } = await app.call(tokens[0], 'POST', 'fresh', { password: PASSWORD });
      await until(() => app.registry.ofUser(user().id).length === 2 || undefined);
      const move = freezeDate();
      move(31_000);
      await isLive(sockets[0], user());
      jest.useRealTimers();
      await done(json.token, 'POST', 'logout');
      expect(await sockets[0].closed()).toMatch(/^4401 /);
      await isLive(sockets[1], user());
    });
  });
}
