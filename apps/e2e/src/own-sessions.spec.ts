import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bearer } from './login.js';
import { BOTH, start } from './platforms.js';
import { postJson } from './raw-http.js';
import { ALL_BUT_DATE, Client, SessionApp } from './session-app.js';

const MODES = [
  { mode: 'stateful', options: {} },
  { mode: 'stateless', options: { mode: 'stateless', secret: 's'.repeat(32) } },
] as const;

describe.each(BOTH.flatMap((platform) => MODES.map((it) => ({ platform, ...it }))))(
  'the holder of a stolen token on $platform with $mode sessions',
  ({ platform, mode, options }) => {
    let client: Client;
    beforeAll(async () => {
      client = new Client(await start(SessionApp.with(options), { platform }));
    });
    afterAll(() => client.running.app.close());
    afterEach(() => {
      jest.useRealTimers();
    });

    const endOthers = (token: string) => client.delete('/v1/api/auth/sessions', token);
    const changePassword = (token: string) =>
      postJson(
        client.running.port,
        '/v1/api/auth/password',
        { currentPassword: 'right', newPassword: 'a better password' },
        [bearer(token)],
      );

    it('cannot end the session with which the owner changes the password', async () => {
      const { username } = await client.newUser();
      const stolen = await client.tokenOf(username);
      for (let i = 0; i < 2; i++) {
        const token = await client.tokenOf(username);
        expect((await endOthers(stolen)).status).toBe(204);
        expect(await client.stateOf(token)).toBe('40101 logged-out');
      }
      const last = await client.tokenOf(username);
      const answers = await Promise.all(Array.from({ length: 20 }, () => endOthers(stolen)));
      expect(new Set(answers.map(({ json }) => json.code))).toEqual(new Set([42900]));
      expect(Number(answers[0]!.headers['retry-after'])).toBeGreaterThan(0);
      expect((await changePassword(last)).status).toBe(204);
      expect(await client.stateOf(stolen)).toBe('40101 password-changed');
      expect(await client.stateOf(last)).toBe('live');
    });

    it('gets no further with twenty requests at once', async () => {
      const { username } = await client.newUser();
      const stolen = await client.tokenOf(username);
      await Promise.all(Array.from({ length: 20 }, () => endOthers(stolen)));
      const token = await client.tokenOf(username);
      await Promise.all(Array.from({ length: 20 }, () => endOthers(stolen)));
      expect(await client.stateOf(token)).toBe('live');
    });

    it('has to wait for a minute, and so has everybody else', async () => {
      jest.useFakeTimers({ doNotFake: ALL_BUT_DATE, now: Date.now() });
      const { username } = await client.newUser();
      const token = await client.tokenOf(username);
      expect([(await endOthers(token)).status, (await endOthers(token)).status]).toEqual([204, 204]);
      jest.setSystemTime(Date.now() + 1000);
      const later = await client.tokenOf(username);
      jest.setSystemTime(Date.now() + 58_000);
      const refused = await endOthers(token);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
      jest.setSystemTime(Date.now() + 1000);
      expect((await endOthers(token)).status).toBe(204);
      expect(await client.stateOf(later)).toBe('40101 logged-out');
    });

    if (mode === 'stateful') {
      it('cannot end new sessions one by one, and ends old ones as before', async () => {
        const { username } = await client.newUser();
        const tokens = [];
        for (let i = 0; i < 4; i++) {
          tokens.push(await client.tokenOf(username));
        }
        const [stolen, ...old] = tokens as [string, string, string, string];
        const idOf = async (token: string) => (await client.get('/v1/sessions/current', token)).json.id;
        const end = async (token: string) =>
          (await client.delete(`/v1/api/auth/sessions/${await idOf(token)}`, stolen)).status;
        expect([await end(old[0]), await end(old[1])]).toEqual([204, 204]);
        const later = await client.tokenOf(username);
        expect([await end(later), await end(old[2])]).toEqual([429, 204]);
        expect([(await endOthers(stolen)).status, (await endOthers(stolen)).status]).toEqual([204, 204]);
        const last = await client.tokenOf(username);
        expect([await end(last), (await endOthers(stolen)).status]).toEqual([429, 429]);
        expect((await changePassword(last)).status).toBe(204);
      });
    }

    if (mode === 'stateful') {
      it('is told that others are ended only when they are', async () => {
        const { username } = await client.newUser();
        const token = await client.tokenOf(username);
        expect([(await endOthers(token)).status, (await endOthers(token)).status]).toEqual([204, 204]);
        // What another instance had begun before, or one whose clock is behind.
        jest.useFakeTimers({ doNotFake: ALL_BUT_DATE, now: Date.now() - 1000 });
        const older = await client.tokenOf(username);
        jest.useRealTimers();
        expect((await endOthers(token)).status).toBe(204);
        expect(await client.stateOf(older)).toBe('40101 logged-out');
        expect(await client.stateOf(token)).toBe('live');
      });
    }

    it('may repeat itself while there is nothing to end', async () => {
      const { username } = await client.newUser();
      const token = await client.tokenOf(username);
      const statuses = [
        (await endOthers(token)).status,
        (await endOthers(token)).status,
        (await endOthers(token)).status,
      ];
      expect(statuses).toEqual(mode === 'stateful' ? [204, 204, 204] : [204, 204, 429]);
    });
  },
);
