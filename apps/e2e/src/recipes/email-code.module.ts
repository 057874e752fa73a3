import { randomInt, randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type LoginAttempt,
  type LoginStep,
  type VerifiedLogin,
} from 'kit-auth';
import { authFeature, type Call, Endpoint, endpoints, KitAuthController, TEXT } from 'kit-auth/feature';
import { type LoginAnswer, LoginFlow } from 'kit-auth/login';

const LIFETIME_MS = 5 * 60_000;
const MAX_ATTEMPTS = 5;

interface Challenge {
  readonly login: VerifiedLogin;
  readonly first: string;
  readonly code: string;
  readonly expiresAt: number;
  attempts: number;
}

/** Logins that wait for their code. In memory: with several instances, use a table or Redis instead. */
@Injectable()
export class Challenges {
  private readonly waiting = new Map<string, Challenge>();

  create(login: VerifiedLogin, first: string): { id: string; code: string } {
    this.removeExpired();
    const id = randomUUID();
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    this.waiting.set(id, { login, first, code, expiresAt: Date.now() + LIFETIME_MS, attempts: 0 });
    return { id, code };
  }

  /** Returns a challenge once. Counts the attempt first, so parallel guesses are limited too. */
  claim(id: string, code: string): Challenge {
    this.removeExpired();
    const challenge = this.waiting.get(id);
    if (challenge === undefined || ++challenge.attempts > MAX_ATTEMPTS || challenge.code !== code) {
      throw new AuthException(AuthErrorCode.FACTOR_FAILED);
    }
    this.waiting.delete(id);
    return challenge;
  }

  private removeExpired(): void {
    for (const [id, { expiresAt }] of this.waiting) {
      if (expiresAt <= Date.now()) {
        this.waiting.delete(id);
      }
    }
  }
}

/** Stops the login after the right password. */
@Injectable()
export class EmailCodeStep implements LoginStep {
  constructor(private readonly challenges: Challenges) {}

  async afterFirstFactor(login: VerifiedLogin, { first }: LoginAttempt): Promise<undefined> {
    if (login.user.superAdmin) {
      const { id, code } = this.challenges.create(login, first);
      await sendMail(login.user.username, `Your code is ${code}`);
      throw new AuthException(AuthErrorCode.SECOND_FACTOR_REQUIRED, { details: { challenge: id } });
    }
  }
}

const emailCodeApi = endpoints({
  'POST login/code': {
    id: 'logInWithEmailCode',
    summary: 'Completes a login with the code of the mail',
    isPublic: true,
    body: { challenge: TEXT, code: TEXT },
    login: true,
    status: 200,
    errors: [AuthErrorCode.FACTOR_FAILED],
  },
});

@KitAuthController()
export class EmailCodeController {
  constructor(
    private readonly challenges: Challenges,
    private readonly flow: LoginFlow,
  ) {}

  @Endpoint(emailCodeApi, 'POST login/code')
  complete({
    body: { challenge, code },
    request,
  }: Call<typeof emailCodeApi, 'POST login/code'>): Promise<LoginAnswer> {
    const begun = this.flow.begin('password', request); // before the first await
    const { login, first } = this.challenges.claim(challenge, code);
    const { proof, user } = login;
    const factors = { ...proof.factors, email: Math.floor(Date.now() / 1000) };
    return this.flow.resume(
      { ...login, proof: { ...proof, factors } },
      { ...begun, first, username: user.username },
    );
  }
}

/** Replace this with your mailer. */
async function sendMail(to: string, text: string): Promise<void> {
  new Logger('EmailCode').log(`To ${to}: ${text}`);
}

export class EmailCodeModule extends authFeature('email-code', {
  endpoints: emailCodeApi,
  controllers: [EmailCodeController],
  steps: [EmailCodeStep],
  providers: [Challenges],
}) {}
