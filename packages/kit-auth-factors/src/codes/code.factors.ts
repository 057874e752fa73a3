import { Inject, Injectable } from '@nestjs/common';
import type { Factor, FactorOutcome, LoginAttempt, LoginUser, ShownAnswer } from 'kit-auth';
import { badRequest } from 'kit-auth/feature';
import { factorsOptions, type ResolvedFactorsOptions } from '../factors.options.js';
import { recoveryIdOf } from '../secrets/recovery-codes.js';
import { FactorStore } from '../stores/factor.store.js';
import { DeviceCodes } from './device.codes.js';

/** Codes of authenticator apps, and recovery codes. Recovery codes cannot confirm a login. */
@Injectable()
export class CodeFactors implements Factor {
  readonly names = ['totp', 'recovery'];
  readonly confirms = ['totp'];
  /** Undefined if no role requires a second factor, so that requests do not ask. */
  readonly isRequiredFor?: (user: LoginUser) => boolean;

  constructor(
    private readonly store: FactorStore,
    private readonly codes: DeviceCodes,
    @Inject(factorsOptions.token) { settings: { requiredFor } }: ResolvedFactorsOptions,
  ) {
    if (requiredFor.length > 0) {
      const required = new Set(requiredFor);
      this.isRequiredFor = ({ roles }) => roles.some((role) => required.has(role));
    }
  }

  async has({ userId }: LoginUser): Promise<readonly string[]> {
    return (await this.store.read(userId, (factors) => factors.confirmed())).length > 0 ? this.names : [];
  }

  /** @throws AuthException 40000 unless the answer is a string */
  async verify({ user, factor, answer }: ShownAnswer, { action }: LoginAttempt): Promise<FactorOutcome> {
    if (typeof answer !== 'string') {
      throw badRequest(`Send a JSON object with the string "code" for the factor "${factor}"`);
    }
    return factor === 'totp'
      ? this.codes.use(user.userId, answer)
      : this.useRecoveryCode(user, answer, action);
  }

  private async useRecoveryCode(
    { userId, username }: LoginUser,
    code: string,
    action: LoginAttempt['action'],
  ): Promise<FactorOutcome> {
    const id = recoveryIdOf(String(userId), code);
    if (id === undefined || !(await this.store.useRecoveryCode(id))) {
      return 'wrong';
    }
    action.note({ type: 'recovery-used', subjectId: userId, subject: username });
    return 'right';
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'recovery-used': true;
  }
}
