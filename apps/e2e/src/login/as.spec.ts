import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Injectable, Module, Post } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  AuthManager,
  LOGIN_STEP,
  type LoginAttempt,
  type LoginStep,
  Public,
  type UserId,
  type VerifiedLogin,
} from 'kit-auth';
import { LoginFlow } from 'kit-auth/extend';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { BOTH, EVERYWHERE, freezeDate, PASSWORD, sweepOf } from 'test-support';
import { OWN_PAGE, sentBack } from '../browser/app.js';
import { codeOf, FactorsApp, outcomeOf } from '../factors/app.js';

declare module 'kit-auth' {
  interface OwnErrorCodes {
    TERMS_NOT_ACCEPTED: 40350;
  }
}

@Controller('v1/card')
class CardController {
  constructor(private readonly auth: AuthManager) {}

  @Public()
  @Post()
  logIn(@Body() { id, at }: { id: UserId; at: number }) {
    return this.auth.loginAs(id, { factors: { card: at } });
  }

  @Public()
  @Post('password')
  withPassword(@Body() { username, password }: { username: string; password: string }) {
    return this.auth.login(username, password);
  }
}

/** Asks each login for a captcha, and for the terms of service. */
@Injectable()
class FormStep implements LoginStep {
  readonly fields = ['captcha', 'terms'];
  isOff = false;
  seen: Pick<LoginAttempt, 'first' | 'fields'>[] = [];

  async afterFirstFactor(_login: VerifiedLogin, { first, fields }: LoginAttempt): Promise<undefined> {
    this.seen.push({ first, fields });
    if (!this.isOff && fields['captcha'] !== 'solved') {
      throw new AuthException(AuthErrorCode.BAD_REQUEST, { reason: 'captcha' });
    }
    if (!this.isOff && fields['terms'] !== true) {
      throw new AuthException(40350, { error: 'TERMS_NOT_ACCEPTED', message: 'Accept the terms first' });
    }
  }
}

@Module({ providers: [FormStep, { provide: LOGIN_STEP, useExisting: FormStep }] })
class FormModule {}

describe.each(sweepOf(EVERYWHERE, EVERYWHERE.slice(0, 1)))(
  'a login by other means on $platform with $provider',
  (where) => {
    const app = new FactorsApp({ ...where, imports: [FormModule], controllers: [CardController] });
    let time = 1_900_000_000_000;
    const seconds = () => time / 1000;
    const form = { captcha: 'solved', terms: true };

    beforeAll(async () => {
      await app.start();
    });
    beforeEach(() => {
      app.get(FormStep).isOff = false;
      app.get(FormStep).seen = [];
      freezeDate((time += 60_000));
    });

    const post = (body: object) => app.request('/v1/card', { method: 'POST', json: body });

    it('is a login like any other', async () => {
      const user = await app.user();
      const answer = await post({ id: user.id, at: seconds(), ...form });
      expect(answer.status).toBe(201);
      expect(Object.keys(answer.json)).toEqual(['token', 'user']);
      expect(answer.json.user).toMatchObject({ userId: user.id, username: user.username });
      expect(await app.proofOf(answer.json.token)).toEqual({ card: seconds() });
      expect(app.heard('login').at(-1)).toMatchObject({ subjectId: user.id, detail: 'card' });
      expect((await app.users.findOneByOrFail({ id: user.id })).lastLoginAt).toEqual(new Date(time));
    });

    it('runs the steps, which read their fields of the body and no others', async () => {
      const user = await app.user();
      expect(outcomeOf(await post({ id: user.id, at: 1 }))).toBe('40000 captcha');
      const { status, json } = await post({ id: user.id, at: 1, captcha: 'solved' });
      expect([status, json]).toEqual([
        403,
        { statusCode: 403, code: 40350, error: 'TERMS_NOT_ACCEPTED', message: 'Accept the terms first' },
      ]);
      const { seen } = app.get(FormStep);
      expect(seen).toEqual([
        { first: 'card', fields: {} },
        { first: 'card', fields: { captcha: 'solved' } },
      ]);
      expect(
        (await app.call(undefined, 'POST', 'login', { username: user.username, password: 'x', ...form }))
          .status,
      ).toBe(401);
      expect(outcomeOf(await app.login(user.username))).toBe('40000 captcha');
      expect(seen.at(-1)).toEqual({ first: 'password', fields: {} });
    });

    it('runs them with the fields of the body in AuthManager.login() too', async () => {
      const { username } = await app.user();
      const send = (fields: object) =>
        app.request('/v1/card/password', {
          method: 'POST',
          json: { username, password: PASSWORD, ...fields },
        });
      expect(outcomeOf(await send({}))).toBe('40000 captcha');
      expect(outcomeOf(await send(form))).toBe('201');
      expect(app.get(FormStep).seen.at(-1)).toEqual({ first: 'password', fields: form });
    });

    it('keeps who really acts when it asks for the second factor', async () => {
      app.get(FormStep).isOff = true;
      const { id, username, device } = await app.enrolled();
      freezeDate((time += 60_000));
      const flow = app.get(LoginFlow);
      const begun = flow.begin('sso');
      const { proof, ...login } = await flow.identify(id, { sso: seconds() }, begun);
      const acting = { ...login, proof: { ...proof, actor: { userId: 1, username: 'root' } } };
      const stopped = await flow.proceed(acting, { ...begun, username }).catch((error: unknown) => error);
      const { challenge } = (stopped as AuthException).getResponse() as { challenge: string };
      const { json } = await app.answer(challenge, codeOf(device));
      await app.call(json.token, 'POST', 'logout');
      expect(app.heard('logout').at(-1)).toMatchObject({ actor: 'root', onBehalfOf: username });
    });

    it('asks for the second factor of the user', async () => {
      app.get(FormStep).isOff = true;
      const { id, device } = await app.enrolled();
      app.get(FormStep).isOff = false;
      freezeDate((time += 60_000));
      const first = await post({ id, at: seconds(), ...form });
      expect(outcomeOf(first)).toBe('40112');
      const body = { challenge: first.json.challenge, factor: 'totp', code: codeOf(device), ...form };
      const second = await app.call(undefined, 'POST', 'login/factor', body);
      expect(outcomeOf(second)).toBe('200');
      expect(await app.proofOf(second.json.token)).toEqual({ card: seconds(), totp: seconds() });
      expect(app.heard('login').at(-1)).toMatchObject({ subjectId: id, detail: 'card' });
      expect(app.get(FormStep).seen.at(-1)).toEqual({ first: 'card', fields: form });
    });

    it('is refused for an account that is disabled or unknown', async () => {
      const { id } = await app.user();
      await app.users.update({ id }, { status: AuthUserStatus.DISABLED });
      for (const userId of [id, 987_654]) {
        expect(outcomeOf(await post({ id: userId, at: seconds(), ...form }))).toBe('40111');
        expect(app.heard('login-failed').at(-1)).toMatchObject({
          subjectId: userId,
          detail: 'USER_DISABLED',
        });
      }
    });

    it('works outside of requests, and needs factors', async () => {
      app.get(FormStep).isOff = true;
      const { id } = await app.user();
      const manager = app.get(AuthManager);
      const { token } = await manager.loginAs(id, { factors: { card: seconds() } });
      expect(await app.stateOf(token as string)).toBe('live');
      for (const factors of [{}, { card: 1.5 }, { 'a card': 1 }]) {
        await expect(manager.loginAs(id, { factors })).rejects.toThrow('AuthManager.loginAs() needs factors');
      }
    });
  },
);

describe.each(BOTH)('a login by other means with cookies on %s', (platform) => {
  const app = new FactorsApp({
    platform,
    imports: [KitAuthBrowserModule.forRoot()],
    controllers: [CardController],
  });

  beforeAll(async () => {
    await app.start();
  });

  it('sets the cookies, and is refused for pages of other sites', async () => {
    const { id, username } = await app.user();
    const body = { id, at: 1 };
    const answer = await app.request('/v1/card', { method: 'POST', json: body, headers: [OWN_PAGE] });
    expect(answer.status).toBe(201);
    expect(answer.json).not.toHaveProperty('token');
    const headers = [`Cookie: ${sentBack(answer)}`, OWN_PAGE];
    expect((await app.request('/v1/api/auth/me', { headers })).json).toMatchObject({ username });
    const foreign = ['Sec-Fetch-Site: cross-site', 'Origin: https://evil.example'];
    const refused = await app.request('/v1/card', { method: 'POST', json: body, headers: foreign });
    expect(outcomeOf(refused)).toContain('40302');
    expect(refused.cookies).toEqual([]);
  });
});
