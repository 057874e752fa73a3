import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AUTH_PROVIDER, type AuthProvider, LOGIN_STEP, type LoginStep } from 'kit-auth';
import type { AuthUser } from 'kit-auth/typeorm';
import type { KitAuthSessionOptions } from 'kit-auth-session';
import { type Answer, type DatabaseName, PASSWORD, sharedTestApp } from 'test-support';
import { gate, SessionApp } from './app.js';

const MODES = [
  { kind: 'stateful', platform: 'express', mode: {} },
  { kind: 'stateless', platform: 'fastify', mode: { mode: 'stateless', secret: 's'.repeat(32) } },
] as const;

export interface SessionSetting {
  /** Where the sessions are kept. */
  name: string;
  database: DatabaseName;
  /** Called for each application, so that two share only what is outside of the process. */
  session?: () => KitAuthSessionOptions;
}

/** What is over stays over, whatever the holder of a stolen token does at the same time. */
export function describeRevocation({ name, database, session }: SessionSetting): void {
  describe.each(MODES)(`$kind sessions in ${name}`, ({ platform, mode }) => {
    /** By username: called once the password was right, before what it allows. */
    const confirmed = new Map<string, () => unknown>();
    const step: LoginStep = { succeeded: async ({ user }) => void confirmed.get(user.username)?.() };
    const app = sharedTestApp(
      new SessionApp({
        platform,
        database,
        session: { ...session?.(), ...mode },
        admin: true,
        providers: [{ provide: LOGIN_STEP, useValue: step }],
      }),
    );
    let admin: string;
    beforeAll(async () => {
      admin = await app.issueToken({ userId: 1, username: 'admin' });
    });

    /** As after so many logins, which would take the time of as many hashes. */
    const tokensOf = ({ id, username }: { id: number; username: string }, count: number) =>
      Promise.all(Array.from({ length: count }, () => app.issueToken({ userId: id, username })));
    const statesOf = (...tokens: string[]) => Promise.all(tokens.map((token) => app.stateOf(token)));
    const endOthers = (token: string) => app.call(token, 'DELETE', 'sessions');
    const kick = ({ id }: { id: number }) => app.call(admin, 'DELETE', `users/${id}/sessions`);
    const changePassword = (token: string, newPassword: string) =>
      app.call(token, 'POST', 'password', { currentPassword: PASSWORD, newPassword });

    it('are revoked once their end is answered, with POST fresh at the same time', async () => {
      const another = ({ id, username }: AuthUser) => app.issueToken({ userId: id, username });
      const ends: ((token: string, user: AuthUser) => Promise<Answer>)[] = [
        (token) => app.call(token, 'POST', 'logout'),
        (_, user) => kick(user),
        async (_, user) => endOthers(await another(user)),
        async (_, user) => changePassword(await another(user), 'a passphrase of some length'),
      ];
      const round = async (end: (typeof ends)[number]) => {
        const user = await app.user();
        const [token] = (await tokensOf(user, 1)) as [string];
        let ended: Promise<Answer> | undefined;
        confirmed.set(user.username, () => (ended ??= end(token, user)));
        const { json } = await app.call(token, 'POST', 'fresh', { password: PASSWORD });
        const answer = await ended;
        // A logout with a token that was replaced before is refused.
        const isOver = answer?.status === 204 ? '40101' : `40101|live`;
        return {
          tokens: [token, json.token as string | undefined].filter((value) => value !== undefined),
          isOver,
        };
      };
      for (const { tokens, isOver } of await Promise.all(ends.map(round))) {
        const states = await statesOf(...tokens);
        expect(states.filter((state) => !isOver.includes(state.slice(0, 5).trim()))).toEqual([]);
      }
    });

    it('end with the successor, when a logout was let in before POST fresh', async () => {
      const [token] = (await tokensOf(await app.user(), 1)) as [string];
      const provider = app.get<AuthProvider>(AUTH_PROVIDER);
      const invalidate = provider.invalidate.bind(provider);
      const { open, entered } = gate.close();
      jest.spyOn(provider, 'invalidate').mockImplementationOnce(async (ended) => {
        gate.entered();
        await gate.opened;
        await invalidate(ended);
      });
      const logout = app.call(token, 'POST', 'logout');
      await entered;
      const { json } = await app.call(token, 'POST', 'fresh', { password: PASSWORD });
      expect(await statesOf(token, json.token)).toEqual(['40101 replaced', 'live']);
      open();
      expect((await logout).status).toBe(204);
      expect(await app.stateOf(json.token)).toBe('40101 logged-out');
    });

    it.each(['others', 'id'])('cannot end others after they are revoked: DELETE %s', async (what) => {
      const user = await app.user();
      const [stolen, owners] = (await tokensOf(user, 2)) as [string, string];
      const id = await app.idOf(owners);
      const { open, entered } = gate.close();
      const late = app.request(`/v1/sessions/${what === 'id' ? id : what}`, {
        method: 'DELETE',
        token: stolen,
      });
      await entered;
      expect((await changePassword(owners, 'a passphrase of some length')).status).toBe(204);
      open();
      await late;
      expect(await statesOf(owners, stolen)).toEqual(['live', '40101 password-changed']);
    });

    it('stay revoked after a password change whose session one of them has ended', async () => {
      const user = await app.user();
      const [stolen, owners] = (await tokensOf(user, 2)) as [string, string];
      const id = await app.idOf(owners);
      expect((await endOthers(stolen)).status).toBe(204);
      // What a change of the password does that was let in before.
      await app.sessions.endAllOf(user.id, { exceptId: id, reason: 'password-changed' });
      await endOthers(stolen);
      expect(await statesOf(owners, stolen)).toEqual(['40101 logged-out', '40101 password-changed']);
    });
  });
}
