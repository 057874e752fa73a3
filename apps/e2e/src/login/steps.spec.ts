import { beforeEach, describe, expect, it } from '@jest/globals';
import { HttpCode, Injectable, Module, Post, Req } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  LOGIN_STEP,
  type LoginStep,
  Public,
  type VerifiedLogin,
} from 'kit-auth';
import { type JsonRequest, KitAuthController, readBody, TEXT } from 'kit-auth/feature';
import { LoginFlow } from 'kit-auth/login';
import { freezeDate } from 'test-support';
import { codeOf, FactorsApp, outcomeOf } from '../factors/app.js';

/** Stops each login until the user has accepted the terms of service, once for each login. */
@Injectable()
class TermsStep implements LoginStep {
  readonly accepted = new Set<string>();
  readonly waiting = new Map<string, VerifiedLogin>();

  async afterFirstFactor(login: VerifiedLogin): Promise<undefined> {
    const { username } = login.user;
    if (!this.accepted.delete(username)) {
      this.waiting.set(username, login);
      throw new AuthException(AuthErrorCode.FORBIDDEN, { reason: 'terms' });
    }
  }
}

@KitAuthController('login')
class TermsController {
  constructor(
    private readonly terms: TermsStep,
    private readonly flow: LoginFlow,
  ) {}

  @Post('terms')
  @Public()
  @HttpCode(200)
  async accept(@Req() request: JsonRequest): Promise<object> {
    const begun = this.flow.begin('password', request);
    const { username } = readBody({ username: TEXT }, request);
    return this.flow.resume(this.terms.waiting.get(username) as VerifiedLogin, { ...begun, username });
  }
}

@Module({
  controllers: [TermsController],
  providers: [TermsStep, { provide: LOGIN_STEP, useExisting: TermsStep }],
})
class TermsModule {}

/** Steps have the same order, so they run in that of the imports. */
describe('a login with two steps of which each needs a request', () => {
  let pass: (milliseconds: number) => void;
  beforeEach(() => {
    pass = freezeDate(1_900_000_000_000);
  });

  /** The outcomes of the password, and of what was asked for after it. */
  const outcomesWith = async (app: FactorsApp) => {
    const { accepted } = app.get(TermsStep);
    const user = await app.user();
    accepted.add(user.username);
    const { device } = await app.enrol(await app.tokenOf(user));
    pass(60_000);
    const answers = [await app.login(user.username)];
    while (answers.at(-1)?.status !== 200 && answers.length < 5) {
      const { challenge } = answers.at(-1)!.json as { challenge?: string };
      answers.push(
        challenge === undefined
          ? await app.call(undefined, 'POST', 'login/terms', { username: user.username })
          : await app.answer(challenge, codeOf(device)),
      );
    }
    expect(await app.proofOf(answers.at(-1)!.json.token)).toEqual({
      password: 1_900_000_060,
      totp: 1_900_000_060,
    });
    return answers.map(outcomeOf);
  };

  it.each([
    ['first', { imports: [TermsModule] }, ['40112', '40300 terms', '200']],
    ['last', { before: [TermsModule] }, ['40300 terms', '40112', '200']],
  ])('runs each of them once, with the second factor %s', async (_order, modules, outcomes) => {
    expect(await outcomesWith(await new FactorsApp({ provider: 'session', ...modules }).start())).toEqual(
      outcomes,
    );
  });
});
