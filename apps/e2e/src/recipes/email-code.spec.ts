import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { AUTH_EVENT_SINK, type AuthEvent, AuthManager, KitAuthContext } from 'kit-auth';
import { LoginThrottle } from 'kit-auth/login';
import { AuthUserStatus, newSecurityStamp } from 'kit-auth/typeorm';
import { EVERYWHERE, sharedTestApp, sweepOf, testApp } from 'test-support';
import { CookieModule } from './cookie.module.js';
import { Challenges, EmailCodeModule } from './email-code.module.js';

@Controller('v1/proof')
class ProofController {
  constructor(private readonly context: KitAuthContext) {}

  @Get()
  proof() {
    return this.context.proof();
  }
}

const events: AuthEvent[] = [];
const sink = { keep: async (event: AuthEvent) => void events.push(event) };

describe.each(sweepOf(EVERYWHERE, EVERYWHERE.slice(-1)))(
  'a second step of a login on $platform with $provider',
  (where) => {
    const app = sharedTestApp({
      ...where,
      options: { login: { throttle: { failures: 3, addressFailures: 100 } } },
      trustProxy: true,
      imports: [EmailCodeModule],
      controllers: [ProofController],
      providers: [{ provide: AUTH_EVENT_SINK, useValue: sink }],
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    /** Logs in with the password. @returns the challenge, and the code that was sent */
    const logIn = async (username: string) => {
      const create = jest.spyOn(app.get(Challenges), 'create');
      const answer = await app.login(username);
      const { id: challenge, code } = create.mock.results.at(-1)!.value as { id: string; code: string };
      return { answer, challenge, code };
    };
    const complete = (json: object) => app.call(undefined, 'POST', 'login/code', json);
    const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

    it('keeps the first factor of a login that began by other means', async () => {
      const { id } = await app.administrator();
      const create = jest.spyOn(app.get(Challenges), 'create');
      const stopped = app.get(AuthManager).loginAs(id, { factors: { acme: 1 } });
      await expect(stopped).rejects.toMatchObject({ code: 40112 });
      const { id: challenge, code } = create.mock.results.at(-1)!.value as { id: string; code: string };
      expect((await complete({ challenge, code })).status).toBe(200);
      const login = expect.objectContaining({ type: 'login', subjectId: id, detail: 'acme' });
      expect(events).toContainEqual(login);
    });

    it('stops a login after the right password, with a challenge', async () => {
      const { id, username } = await app.administrator();
      const { answer, challenge, code } = await logIn(username);
      expect(answer.status).toBe(401);
      expect(answer.json).toMatchObject({ code: 40112, error: 'SECOND_FACTOR_REQUIRED', challenge });
      expect(answer.text).not.toContain(code);
      expect((await app.users.findOneByOrFail({ id })).lastLoginAt).toBeNull();
      expect(events.filter(({ subject }) => subject === username)).toEqual([]);
    });

    it('completes the login with the code, once', async () => {
      const { id, username } = await app.administrator();
      const { challenge, code } = await logIn(username);
      const { status, json } = await complete({ challenge, code });
      expect([status, Object.keys(json as object).sort()]).toEqual([200, ['token', 'user']]);
      expect(await app.stateOf(json.token)).toBe('live');
      expect((await app.users.findOneByOrFail({ id })).lastLoginAt).toBeInstanceOf(Date);
      expect(events.filter(({ subject }) => subject === username).map(({ type }) => type)).toEqual(['login']);
      expect((await complete({ challenge, code })).json.code).toBe(40113);
      const proof = await app.request('/v1/proof', { token: json.token });
      expect(Object.keys(proof.json.factors as object)).toEqual(['password', 'email']);
      expect((await app.login((await app.user()).username)).status).toBe(200);
    });

    it('refuses wrong codes, and the right one after five of them', async () => {
      const { username } = await app.administrator();
      const { challenge, code } = await logIn(username);
      const guess = () => complete({ challenge, code: wrong(code) });
      const guesses = await Promise.all(Array.from({ length: 5 }, guess));
      expect(guesses.map(({ json }) => json.code)).toEqual(Array(5).fill(40113));
      expect((await complete({ challenge, code })).json.code).toBe(40113);
      expect((await complete({ challenge: 'unknown', code })).json.code).toBe(40113);
      expect((await complete({ challenge: 1, code })).json.code).toBe(40000);
    });

    it('completes no login of a user who was changed in between', async () => {
      const { id, username } = await app.administrator();
      for (const change of [{}, { status: AuthUserStatus.DISABLED }]) {
        const { challenge, code } = await logIn(username);
        await app.users.update(id, { ...change, securityStamp: newSecurityStamp() });
        expect((await complete({ challenge, code })).json.code).toBe(40110);
      }
      expect((await app.users.findOneByOrFail({ id })).lastLoginAt).toBeNull();
    });

    it('is no failure and no success to the throttle before it is complete', async () => {
      const { username } = await app.administrator();
      const throttle = app.get(LoginThrottle);
      for (let i = 0; i < 6; i++) {
        expect((await logIn(username)).answer.json.code).toBe(40112);
      }
      for (let i = 0; i < 2; i++) {
        expect((await app.login(username, 'wrong')).json.code).toBe(40110);
        expect((await logIn(username)).answer.json.code).toBe(40112);
      }
      // The failures are all there: a right password alone does not clear them, and the device is not known.
      expect((await app.login(username, 'wrong')).json.code).toBe(40110);
      expect(await throttle.lockedUntil(username)).toBeInstanceOf(Date);
      expect((await app.login(username)).json.code).toBe(42900);
    });
  },
);

describe('a second step of a login', () => {
  it('works with a token transport', async () => {
    const app = await testApp({ imports: [EmailCodeModule, CookieModule] });
    const create = jest.spyOn(app.get(Challenges), 'create');
    const first = await app.login('admin', 'admin');
    expect([first.json.code, first.cookies]).toEqual([40112, []]);
    const { id: challenge, code } = create.mock.results[0]!.value as { id: string; code: string };
    const second = await app.call(undefined, 'POST', 'login/code', { challenge, code });
    expect([Object.keys(second.json as object), second.cookies.length]).toEqual([['user'], 1]);
  });
});
