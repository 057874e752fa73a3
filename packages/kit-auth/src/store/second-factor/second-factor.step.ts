import { Injectable } from '@nestjs/common';
import type { LoginAttempt, LoginStep, VerifiedLogin } from '../../contract/login-step.js';
import { AuthErrorCode } from '../../errors/auth-error-code.js';
import { AuthException } from '../../errors/auth.exception.js';
import { OneTimeTokens } from '../one-time/one-time.tokens.js';
import { Factors } from '../../ports/factors.js';
import { CHALLENGE, type ChallengeData, LIFETIME_SECONDS } from './challenge.js';

/** Stops a login after its first factor if its user has a second one. */
@Injectable()
export class SecondFactorStep implements LoginStep {
  constructor(
    private readonly factors: Factors,
    private readonly tokens: OneTimeTokens,
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
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
