import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HttpCode, Injectable, Module, Post, Req } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  LOGIN_STEP,
  type LoginStep,
  Public,
  type VerifiedLogin,
} from 'kit-auth';
import { type JsonRequest, KitAuthController, LoginFlow, readTexts } from 'kit-auth/extend';
import { SUPER_ADMIN } from 'kit-auth/typeorm';
import { type Answer, BOTH, freezeDate, type Import } from 'test-support';
import { codeOf, FactorsApp, outcomeOf } from '../factors/app.js';
import { Challenges, EmailCodeModule } from '../recipes/email-code.module.js';

/** Solutions are used up: this step passes once for each. */
@Injectable()
class CaptchaStep implements LoginStep {
  readonly solved = new Set<string>();

  async afterFirstFactor({ user }: VerifiedLogin): Promise<undefined> {
    if (!this.solved.delete(user.username)) {
      throw new AuthException(AuthErrorCode.BAD_REQUEST, { reason: 'captcha' });
    }
  }
}

@Module({
  providers: [CaptchaStep, { provide: LOGIN_STEP, useExisting: CaptchaStep }],
})
class CaptchaModule {}

/** Stops each first login until the user has accepted the terms of service. */
@Injectable()
class TermsStep implements LoginStep {
  readonly accepted = new Set<string>();
  readonly waiting = new Map<string, VerifiedLogin>();

  async afterFirstFactor(login: VerifiedLogin): Promise<undefined> {
    const { username } = login.user;
    if (!this.accepted.has(username)) {
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
    const { username } = readTexts(request, ['username']);
    const login = this.terms.waiting.get(username) as VerifiedLogin;
    this.terms.accepted.add(username);
    return this.flow.complete(login, { ...begun, username });
  }
}

@Module({
  controllers: [TermsController],
  providers: [TermsStep, { provide: LOGIN_STEP, useExisting: TermsStep }],
})
class TermsModule {}

interface Kind {
  readonly platform: (typeof BOTH)[number];
  readonly provider: 'jwt' | 'session';
  /** Whether the module with the second factor is the first or the last of the imports. */
  readonly factors: 'first' | 'last';
}

const KINDS: readonly Kind[] = [
  { platform: 'express', provider: 'jwt', factors: 'first' },
  { platform: 'fastify', provider: 'session', factors: 'last' },
];

/** Steps have the same order, so they run in that of the imports. */
class StepsApp extends FactorsApp {
  constructor({ platform, provider, factors }: Kind, ...modules: Import[]) {
    super({ platform, provider, [factors === 'last' ? 'before' : 'imports']: modules });
  }
}

describe.each(KINDS)('two steps of a login, the second factor $factors, with $provider', (kind) => {
  let time = 1_900_000_000_000;

  beforeEach(() => {
    time += 60_000;
    freezeDate(time);
  });

  /** Logs in, and shows whatever is asked for. @returns what was asked for, and the last answer */
  const logIn = async (app: StepsApp, username: string, device: { readonly secret: string }) => {
    const create = jest.spyOn(app.get(Challenges), 'create');
    const asked: string[] = [];
    let answer: Answer = await app.login(username);
    for (let requests = 1; answer.status === 401 && requests < 5; requests++) {
      const { challenge, factors } = answer.json as { challenge: string; factors?: string[] };
      asked.push(factors === undefined ? 'mail' : 'totp');
      if (factors === undefined) {
        const code = (create.mock.results.at(-1)!.value as { code: string }).code;
        answer = await app.call(undefined, 'POST', 'login/code', { challenge, code });
      } else {
        answer = await app.answer(challenge, codeOf(device));
      }
    }
    return { asked: asked.sort(), answer };
  };

  it('asks for both of two second factors, and keeps both in the proof', async () => {
    const app = await new StepsApp(kind, EmailCodeModule).start();
    const user = await app.user();
    const { device } = await app.enrol(await app.tokenOf(user));
    await app.users.save({ ...user, roles: [await app.roles.findOneByOrFail({ code: SUPER_ADMIN })] });
    freezeDate((time += 60_000));
    const { asked, answer } = await logIn(app, user.username, device);
    expect(asked).toEqual(['mail', 'totp']);
    expect(answer.status).toBe(200);
    const seconds = time / 1000;
    expect(await app.proofOf(answer.json.token)).toEqual({
      password: seconds,
      email: seconds,
      totp: seconds,
    });
    expect(app.eventsOf(user).filter((type) => type === 'login')).toHaveLength(2);
  });

  it('asks for terms of service, however many requests the login takes', async () => {
    const app = await new StepsApp(kind, TermsModule).start();
    const { accepted } = app.get(TermsStep);
    const user = await app.user();
    accepted.add(user.username);
    const { device } = await app.enrol(await app.tokenOf(user));
    accepted.clear();
    freezeDate((time += 60_000));
    const accept = () => app.call(undefined, 'POST', 'login/terms', { username: user.username });
    const first = await app.login(user.username);
    if (kind.factors === 'last') {
      expect(outcomeOf(first)).toBe('40300 terms');
      const second = await accept();
      expect(outcomeOf(second)).toBe('40112');
      expect(outcomeOf(await app.answer(second.json.challenge, codeOf(device)))).toBe('200');
    } else {
      expect(outcomeOf(first)).toBe('40112');
      expect(outcomeOf(await app.answer(first.json.challenge, codeOf(device)))).toBe('40300 terms');
      expect(outcomeOf(await accept())).toBe('200');
    }
  });

  it('asks for a captcha once', async () => {
    const app = await new StepsApp(kind, CaptchaModule).start();
    const { solved } = app.get(CaptchaStep);
    const user = await app.user();
    solved.add(user.username);
    const { device } = await app.enrol(await app.tokenOf(user));
    freezeDate((time += 60_000));
    if (kind.factors === 'last') {
      expect(outcomeOf(await app.login(user.username))).toBe('40000 captcha');
    }
    solved.add(user.username);
    const challenge = await app.challenge(user);
    expect(outcomeOf(await app.answer(challenge, codeOf(device)))).toBe('200');
    expect(solved.size).toBe(0);
  });
});
