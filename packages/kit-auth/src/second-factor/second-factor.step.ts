import { Injectable } from '@nestjs/common';
import type { LoginAttempt, LoginStep, ShownAnswer, VerifiedLogin } from '../contract/login-step.js';
import type { LoginUser } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, invalidToken } from '../errors/auth.exception.js';
import { OneTimeTokens } from '../one-time/one-time.tokens.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { CHALLENGE, type ChallengeData, LIFETIME_SECONDS } from './challenge.js';
import { FactorGuesses } from './factor.guesses.js';
import { confirmersAmong, SecondFactors } from './second-factors.js';

/** Stops a login after its first factor if its user has a second one, and confirms logins with one. */
@Injectable()
export class SecondFactorStep implements LoginStep {
  constructor(
    private readonly factors: SecondFactors,
    private readonly users: ActiveUserStore,
    private readonly tokens: OneTimeTokens,
    private readonly guesses: FactorGuesses,
  ) {}

  /** @throws AuthException 40112 with the challenge for `POST login/factor` */
  async afterFirstFactor(
    { user, stamp, proof, passed }: VerifiedLogin,
    { first, memo }: LoginAttempt,
  ): Promise<undefined> {
    const { userId } = user;
    if ([...this.factors.names(), 'mfa'].some((name) => proof.factors[name] !== undefined)) {
      return;
    }
    const asked = await this.factors.askedOf(user);
    if (asked.length === 0) {
      return;
    }
    const { factors, expiresAt: loginEnd, actor } = proof;
    const data: ChallengeData = {
      factors,
      ...(loginEnd && { expiresAt: loginEnd }),
      ...(actor && { actor }),
      ...(passed && { passed }),
      ...(first !== 'password' && { first }),
      ...(memo && { memo }),
    };
    const wanted = { purpose: CHALLENGE, userId, stamp, data, ttlSeconds: LIFETIME_SECONDS };
    const { token: challenge, expiresAt } = await this.tokens.issue(wanted);
    const hints = await Promise.all(asked.map(async ({ factor }) => factor.hint?.(user, challenge)));
    throw AuthException.refusal(AuthErrorCode.SECOND_FACTOR_REQUIRED, {
      details: {
        ...hints.reduce((all, hint) => ({ ...all, ...hint }), {}),
        challenge,
        factors: asked.flatMap(({ names }) => names),
        expiresAt: seconds(expiresAt.getTime()),
      },
    });
  }

  async secondFactorsOf(user: LoginUser): Promise<readonly string[]> {
    return confirmersAmong(await this.factors.askedOf(user));
  }

  async verifyFactor(shown: ShownAnswer, attempt: LoginAttempt): Promise<VerifiedLogin | undefined> {
    const { factor } = shown;
    const found = this.factors.find(factor);
    if (found?.confirms.includes(factor) !== true) {
      return undefined;
    }
    const { userId } = shown.user;
    const stamp = await this.users.stampOf(userId);
    const user = await this.users.loadLoginUser(userId);
    if (stamp === undefined || user === undefined) {
      throw invalidToken('disabled');
    }
    const { action } = attempt;
    await this.guesses.count({ user, factor, action }, () => found.verify({ ...shown, user }, attempt));
    return { user, stamp, proof: { factors: { [factor]: seconds(Date.now()) } } };
  }
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
