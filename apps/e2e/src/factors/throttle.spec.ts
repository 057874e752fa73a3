import { beforeEach, describe, expect, it } from '@jest/globals';
import { BOTH, freezeDate, PASSWORD, sharedTestApp, sweepOf } from 'test-support';
import { codeOf, type EnrolledUser, FactorsApp, outcomeOf, STEP_MS, wrongCodeOf } from './app.js';

const HOME = '192.0.2.1';
const ELSEWHERE = '198.51.100.1';

describe.each(sweepOf(BOTH, ['fastify']))('guesses of second factors on %s', (platform) => {
  const app = sharedTestApp(
    new FactorsApp({
      platform,
      trustProxy: true,
      options: { login: { throttle: { addressFailures: 1_000_000 } } },
    }),
  );
  let pass: (milliseconds: number) => void;
  let user: EnrolledUser;
  beforeEach(async () => {
    pass = freezeDate();
    user = await app.enrolled();
    pass(STEP_MS);
  });

  const login = (from: string, password = PASSWORD) =>
    app.login(user.username, password, `X-Forwarded-For: ${from}`);
  /** Logs in with the password and a code. */
  const logIn = async (from: string, code: string, factor = 'totp') => {
    const { challenge } = (await login(from)).json as { challenge: string };
    const headers = [`X-Forwarded-For: ${from}`];
    const json = { challenge, factor, code };
    return outcomeOf(await app.request('/v1/api/auth/login/factor', { method: 'POST', json, headers }));
  };

  it('and POST fresh have one budget, which the right code forgets', async () => {
    const wrong = () => app.fresh(user.token, wrongCodeOf(user.device));
    for (let i = 0; i < 3; i++) {
      expect(outcomeOf(await wrong())).toBe('40113');
    }
    const challenge = await app.challenge(user);
    for (let i = 0; i < 2; i++) {
      expect(await app.outcomeOf(challenge, wrongCodeOf(user.device))).toBe('40113');
    }
    const closed = await app.answer(challenge, codeOf(user.device));
    expect([closed.status, closed.json.code, closed.headers['retry-after']]).toEqual([429, 42900, '1']);
    expect(outcomeOf(await app.fresh(user.token, codeOf(user.device)))).toBe('42900');
    pass(1000);
    expect(await app.outcomeOf(challenge, codeOf(user.device))).toBe('200');
    expect(outcomeOf(await wrong())).toBe('40113');
  });

  it('lock no password out, and are forgotten with an unlock, and with the factors', async () => {
    for (let i = 0; i < 5; i++) {
      await app.fresh(user.token, wrongCodeOf(user.device));
    }
    const pending = await app.pending(user.token);
    for (let i = 0; i < 5; i++) {
      await app.confirm(user.token, pending, wrongCodeOf(pending));
    }
    expect(outcomeOf(await app.confirm(user.token, pending, codeOf(pending)))).toBe('42900');
    expect((await app.login(user.username)).json.code).toBe(40112);
    const admin = await app.adminToken();
    expect((await app.call(admin, 'POST', `users/${user.id}/unlock`)).status).toBe(204);
    expect(outcomeOf(await app.confirm(user.token, pending, codeOf(pending)))).toBe('200');
    expect(await app.outcomeOfLogin(user, codeOf(user.device))).toBe('200');
    for (let i = 0; i < 6; i++) {
      await app.fresh(user.token, wrongCodeOf(user.device));
    }
    expect((await app.call(admin, 'DELETE', `users/${user.id}/factors`)).status).toBe(204);
    const { device, token } = await app.enrol(await app.tokenOf(user));
    expect(outcomeOf(await app.fresh(token, codeOf(device, 1)))).toBe('200');
  });

  it('make no known device: a right password without its code is no login', async () => {
    expect((await login(ELSEWHERE)).json.code).toBe(40112);
    expect(await logIn(HOME, codeOf(user.device))).toBe('200');
    for (let i = 0; i < 6; i++) {
      await login('203.0.113.1', 'wrong');
    }
    // Locked for everybody but the devices of logins.
    expect((await login(ELSEWHERE)).json.code).toBe(42900);
    expect((await login(HOME)).json.code).toBe(40112);
  });

  it('keep the failures of the account until the login is complete', async () => {
    const wrong = async () => (await login(ELSEWHERE, 'wrong')).json.code as number;
    for (let i = 0; i < 4; i++) {
      expect(await wrong()).toBe(40110);
    }
    expect((await login(ELSEWHERE)).json.code).toBe(40112);
    expect([await wrong(), await wrong()]).toEqual([40110, 42900]);
    pass(1000);
    expect(await logIn(ELSEWHERE, codeOf(user.device))).toBe('200');
    for (let i = 0; i < 4; i++) {
      expect(await wrong()).toBe(40110);
    }
  });
});
