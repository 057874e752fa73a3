import { describe, expect, it, jest } from '@jest/globals';
import { freezeDate, PASSWORD, sharedTestApp } from 'test-support';
import { SessionApp } from '../session/app.js';

describe.each([
  { platform: 'express', mode: 'stateful', session: {} },
  { platform: 'fastify', mode: 'stateless', session: { mode: 'stateless', secret: 's'.repeat(32) } },
] as const)('the holder of a stolen token with $mode sessions', ({ platform, mode, session }) => {
  const app = sharedTestApp(new SessionApp({ platform, session }));

  const endOthers = (token: string) => app.call(token, 'DELETE', 'sessions');
  const changePassword = (token: string) =>
    app.call(token, 'POST', 'password', { currentPassword: PASSWORD, newPassword: 'a better password' });

  it('cannot end the session with which the owner changes the password', async () => {
    const { username } = await app.user();
    const stolen = await app.tokenOf(username);
    for (let i = 0; i < 2; i++) {
      const token = await app.tokenOf(username);
      expect((await endOthers(stolen)).status).toBe(204);
      expect(await app.stateOf(token)).toBe('40101 logged-out');
    }
    const last = await app.tokenOf(username);
    const answers = await Promise.all(Array.from({ length: 20 }, () => endOthers(stolen)));
    expect(new Set(answers.map(({ json }) => json.code))).toEqual(new Set([42900]));
    expect(Number(answers[0]!.headers['retry-after'])).toBeGreaterThan(0);
    expect((await changePassword(last)).status).toBe(204);
    expect(await app.stateOf(stolen)).toBe('40101 password-changed');
    expect(await app.stateOf(last)).toBe('live');
  });

  it('has to wait for a minute, as every user has', async () => {
    const pass = freezeDate();
    const { username } = await app.user();
    const token = await app.tokenOf(username);
    expect([(await endOthers(token)).status, (await endOthers(token)).status]).toEqual([204, 204]);
    pass(1000);
    const later = await app.tokenOf(username);
    pass(58_000);
    const refused = await endOthers(token);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    pass(1000);
    expect((await endOthers(token)).status).toBe(204);
    expect(await app.stateOf(later)).toBe('40101 logged-out');
  });

  if (mode === 'stateful') {
    it('cannot end new sessions one by one, and ends old ones as before', async () => {
      const { username } = await app.user();
      const tokens = [];
      for (let i = 0; i < 4; i++) {
        tokens.push(await app.tokenOf(username));
      }
      const [stolen, ...old] = tokens as [string, string, string, string];
      const end = async (token: string) =>
        (await app.call(stolen, 'DELETE', `sessions/${await app.idOf(token)}`)).status;
      expect([await end(old[0]), await end(old[1])]).toEqual([204, 204]);
      const later = await app.tokenOf(username);
      expect([await end(later), await end(old[2])]).toEqual([429, 204]);
      expect([(await endOthers(stolen)).status, (await endOthers(stolen)).status]).toEqual([204, 204]);
      const last = await app.tokenOf(username);
      expect([await end(last), (await endOthers(stolen)).status]).toEqual([429, 429]);
      expect((await changePassword(last)).status).toBe(204);
    });

    it('gets 204 only if the other sessions are ended', async () => {
      const { username } = await app.user();
      const token = await app.tokenOf(username);
      expect([(await endOthers(token)).status, (await endOthers(token)).status]).toEqual([204, 204]);
      // What another instance had begun before, or one whose clock is behind.
      freezeDate(Date.now() - 1000);
      const older = await app.tokenOf(username);
      jest.useRealTimers();
      expect((await endOthers(token)).status).toBe(204);
      expect(await app.stateOf(older)).toBe('40101 logged-out');
      expect(await app.stateOf(token)).toBe('live');
    });
  }

  it('may repeat the request while there is nothing to end', async () => {
    const { username } = await app.user();
    const token = await app.tokenOf(username);
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) {
      statuses.push((await endOthers(token)).status);
    }
    expect(statuses).toEqual(mode === 'stateful' ? [204, 204, 204] : [204, 204, 429]);
  });
});
