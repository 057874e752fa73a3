import { randomInt, randomUUID } from 'node:crypto';
import { HttpCode, Injectable, Logger, Module, Post, Req, Res } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  LOGIN_STEP,
  type LoginAttempt,
  type LoginStep,
  Public,
  type VerifiedLogin,
} from 'kit-auth';
import { type JsonRequest, KitAuthController, readBody, TEXT } from 'kit-auth/feature';
import { LoginFlow, TransportExchanges } from 'kit-auth/login';

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

@KitAuthController('login')
export class EmailCodeController {
  constructor(
    private readonly challenges: Challenges,
    private readonly flow: LoginFlow,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post('code')
  @Public()
  @HttpCode(200)
  async complete(
    @Req() request: JsonRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<object> {
    const begun = this.flow.begin('password', request); // before the first await
    const { challenge, code } = readBody({ challenge: TEXT, code: TEXT }, request);
    const { login, first } = this.challenges.claim(challenge, code);
    const { proof, user } = login;
    const factors = { ...proof.factors, email: Math.floor(Date.now() / 1000) };
    const answer = await this.flow.resume(
      { ...login, proof: { ...proof, factors } },
      { ...begun, first, username: user.username },
    );
    return this.exchanges.write(answer, request, response); // lets a token transport set its cookie
  }
}

/** Replace this with your mailer. */
async function sendMail(to: string, text: string): Promise<void> {
  new Logger('EmailCode').log(`To ${to}: ${text}`);
}

@Module({
  controllers: [EmailCodeController],
  providers: [Challenges, { provide: LOGIN_STEP, useClass: EmailCodeStep }],
})
export class EmailCodeModule {}
