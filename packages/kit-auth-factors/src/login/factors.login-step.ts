import { Inject, Injectable } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type LoginAttempt,
  type LoginStep,
  type LoginUser,
  type ResolvedLogin,
  type ShownFactor,
  type VerifiedLogin,
} from 'kit-auth';
import { ActiveUserStore, invalidToken } from 'kit-auth/extend';
import { OneTimeTokens } from 'kit-auth/one-time';
import { factorsOptions, type ResolvedFactorsOptions } from '../config/factors.options.js';
import { FactorGuesses } from '../codes/factor.guesses.js';
import { FactorStore } from '../stores/factor.store.js';
import { DeviceCodes } from '../codes/device.codes.js';
import { CHALLENGE, type ChallengeData, LIFETIME_SECONDS } from './challenge.js';
import { hasSecondFactor } from './second-factors.js';

/** Stops a login after the password if its user has a second factor, and confirms logins with one. */
@Injectable()
export class FactorsLoginStep implements LoginStep {
  /** Undefined if no role requires a second factor. */
  readonly needsEnrolment?: (login: ResolvedLogin) => boolean;

  constructor(
    private readonly store: FactorStore,
    private readonly users: ActiveUserStore,
    private readonly tokens: OneTimeTokens,
    private readonly codes: DeviceCodes,
    private readonly guesses: FactorGuesses,
    @Inject(factorsOptions.token) { settings }: ResolvedFactorsOptions,
  ) {
    const requiredFor = new Set(settings.requiredFor);
    if (requiredFor.size > 0) {
      this.needsEnrolment = ({ user, proof }) =>
        user.roles.some((role) => requiredFor.has(role)) && !hasSecondFactor(proof);
    }
  }

  /** @throws AuthException 40112 with the challenge for `POST login/factor` */
  async afterPassword({ user, stamp, proof, passed }: VerifiedLogin): Promise<undefined> {
    const { userId } = user;
    if (!(await this.hasFactor(user))) {
      return;
    }
    const { factors, expiresAt: loginEnd } = proof;
    const data: ChallengeData = {
      factors,
      ...(loginEnd && { expiresAt: loginEnd }),
      ...(passed && { passed }),
    };
    const wanted = { purpose: CHALLENGE, userId, stamp, data, ttlSeconds: LIFETIME_SECONDS };
    const { token, expiresAt } = await this.tokens.issue(wanted);
    throw AuthException.refusal(AuthErrorCode.SECOND_FACTOR_REQUIRED, {
      details: {
        challenge: token,
        factors: ['totp', 'recovery'],
        expiresAt: seconds(expiresAt.getTime()),
      },
    });
  }

  async secondFactorsOf(user: LoginUser): Promise<readonly string[]> {
    return (await this.hasFactor(user)) ? ['totp'] : [];
  }

  /** Recovery codes cannot confirm a login. */
  async verifyFactor(
    { user: { userId }, factor, code }: ShownFactor,
    { action }: LoginAttempt,
  ): Promise<VerifiedLogin | undefined> {
    if (factor !== 'totp') {
      return undefined;
    }
    const stamp = await this.users.stampOf(userId);
    const user = await this.users.loadLoginUser(userId);
    if (stamp === undefined || user === undefined) {
      throw invalidToken('disabled');
    }
    await this.guesses.count({ user, factor, action }, () => this.codes.use(userId, code));
    return { user, stamp, proof: { factors: { totp: seconds(Date.now()) } } };
  }

  private async hasFactor({ userId }: LoginUser): Promise<boolean> {
    return (await this.store.read(userId, (factors) => factors.confirmed())).length > 0;
  }
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
