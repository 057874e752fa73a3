import { Injectable } from '@nestjs/common';
import type { LoginAttempt, LoginUser, ShownAnswer } from 'kit-auth';
import { badRequest } from 'kit-auth/extend';
import type { FactorOutcome, SecondFactor } from 'kit-auth/second-factor';
import { recoveryIdOf } from '../recovery/recovery-codes.js';
import { FactorStore } from '../stores/factor.store.js';
import { DeviceCodes } from './device.codes.js';

/** Codes of authenticator apps, and recovery codes. Those cannot confirm a login. */
@Injectable()
export class CodeFactors implements SecondFactor {
  readonly names = ['totp', 'recovery'];
  readonly confirms = ['totp'];

  constructor(
    private readonly store: FactorStore,
    private readonly codes: DeviceCodes,
  ) {}

  async of({ userId }: LoginUser): Promise<readonly string[]> {
    return (await this.store.read(userId, (factors) => factors.confirmed())).length > 0 ? this.names : [];
  }

  /** @throws AuthException 40000 for an answer that is no code */
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
