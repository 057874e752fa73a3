import { beforeEach, describe, expect, it } from '@jest/globals';
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
import { LoginFlow } from 'kit-auth/login';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { freezeDate, PASSWORD, sharedTestApp } from 'test-support';
import { codeOf, FactorsApp, outcomeOf } from '../factors/app.js';

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

/** Asks each login for a captcha. */
@Injectable()
class CaptchaStep implements LoginStep {
  readonly fields = ['captcha'];
  isOff = false;
  seen: Pick<LoginAttempt, 'first' | 'fields'>[] = [];

  async afterFirstFactor(_login: VerifiedLogin, { first, fields }: LoginAttempt): Promise<undefined> {
    this.seen.push({ first, fields });
    if (!this.isOff && fields['captcha'] !== 'solved') {
      throw new AuthException(AuthErrorCode.BAD_REQUEST, { reason: 'captcha' });
    }
  }
}

@Module({ providers: [CaptchaStep, { provide: LOGIN_STEP, useExisting: CaptchaStep }] })
class CaptchaModule {}

describe('a login by other means', () => {
  const app = sharedTestApp(new FactorsApp({ imports: [CaptchaModule], controllers: [CardController] }));
  let pass: (milliseconds: number) => void;
  const seconds = () => Date.now() / 1000;
  const captcha = 'solved';
  const step = () => app.get(CaptchaStep);

  beforeEach(() => {
    step().isOff = false;
    step().seen = [];
    pass = freezeDate(1_900_000_000_000);
  });

  const post = (json: object, path = '') => app.request(`/v1/card${path}`, { method: 'POST', json });
  /** A user with a device, whose last code is over. */
  const enrolled = async () => {
    step().isOff = true;
    const user = await app.enrolled();
    step().isOff = false;
    pass(60_000);
    return user;
  };

  it('is a login like any other', async () => {
    const user = await app.user();
    const answer = await post({ id: user.id, at: seconds(), captcha });
    expect([answer.status, Object.keys(answer.json)]).toEqual([201, ['token', 'user']]);
    expect(answer.json.user).toMatchObject({ userId: user.id, username: user.username });
    expect(await app.proofOf(answer.json.token)).toEqual({ card: seconds() });
    expect(app.heard('login').at(-1)).toMatchObject({ subjectId: user.id, detail: 'card' });
    expect((await app.users.findOneByOrFail({ id: user.id })).lastLoginAt).toEqual(new Date());
  });

  it('runs the steps, which read their fields of the body and no others', async () => {
    const { id, username } = await app.user();
    const outcomes = [
      await post({ id, at: 1, other: 'x' }),
      await post({ id, at: 1, captcha }),
      await app.login(username),
      await post({ username, password: PASSWORD, captcha }, '/password'),
    ].map(outcomeOf);
    expect(outcomes).toEqual(['40000 captcha', '201', '40000 captcha', '201']);
    expect(step().seen).toEqual([
      { first: 'card', fields: {} },
      { first: 'card', fields: { captcha } },
      { first: 'password', fields: {} },
      { first: 'password', fields: { captcha } },
    ]);
  });

  it('keeps who really acts when it asks for the second factor', async () => {
    const { id, username, device } = await enrolled();
    step().isOff = true;
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
    const { id, device } = await enrolled();
    const first = await post({ id, at: seconds(), captcha });
    expect(outcomeOf(first)).toBe('40112');
    const body = { challenge: first.json.challenge, factor: 'totp', code: codeOf(device), captcha };
    const second = await app.call(undefined, 'POST', 'login/factor', body);
    expect(outcomeOf(second)).toBe('200');
    expect(await app.proofOf(second.json.token)).toEqual({ card: seconds(), totp: seconds() });
    expect(app.heard('login').at(-1)).toMatchObject({ subjectId: id, detail: 'card' });
    expect(step().seen.at(-1)).toEqual({ first: 'card', fields: { captcha } });
  });

  it('is refused for an account that is disabled or unknown', async () => {
    const { id } = await app.user();
    await app.users.update({ id }, { status: AuthUserStatus.DISABLED });
    for (const subjectId of [id, 987_654]) {
      expect(outcomeOf(await post({ id: subjectId, at: seconds(), captcha }))).toBe('40111');
      expect(app.heard('login-failed').at(-1)).toMatchObject({ subjectId, detail: 'USER_DISABLED' });
    }
  });

  it('works outside of requests, and needs factors', async () => {
    step().isOff = true;
    const { id } = await app.user();
    const manager = app.get(AuthManager);
    const { token } = await manager.loginAs(id, { factors: { card: seconds() } });
    expect(await app.stateOf(token as string)).toBe('live');
    for (const factors of [{}, { card: 1.5 }, { 'a card': 1 }]) {
      await expect(manager.loginAs(id, { factors })).rejects.toThrow('AuthManager.loginAs() needs factors');
    }
  });
});
