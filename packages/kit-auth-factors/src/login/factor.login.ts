import { Injectable } from '@nestjs/common';
import {
  type AuthAction,
  AuthErrorCode,
  AuthEvents,
  AuthException,
  KitAuthContext,
  type LoginUser,
  type VerifiedLogin,
} from 'kit-auth';
import { ActiveUserStore, badRequest, type LoginAnswer, LoginFlow } from 'kit-auth/extend';
import { OneTimeTokens } from 'kit-auth/one-time';
import { FactorGuesses, type Outcome } from '../codes/factor.guesses.js';
import { recoveryIdOf } from '../recovery/recovery-codes.js';
import { FactorStore } from '../stores/factor.store.js';
import { DeviceCodes } from '../codes/device.codes.js';
import { CHALLENGE, MAX_ATTEMPTS, readChallenge } from './challenge.js';

/** Completes logins that needed a second factor. */
@Injectable()
export class FactorLogin {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly users: ActiveUserStore,
    private readonly store: FactorStore,
    private readonly codes: DeviceCodes,
    private readonly guesses: FactorGuesses,
    private readonly flow: LoginFlow,
    private readonly events: AuthEvents,
    private readonly context: KitAuthContext,
  ) {}

  /**
   * Each guess is counted before the code is compared. A right code is consumed before the challenge, so that two
   * challenges cannot share it.
   *
   * @throws AuthException 40000 for an unknown factor, 40113 for a wrong code or with the reason `challenge-ended`, 42900
   * after too many wrong codes, 50300
   */
  async complete(challenge: string, factor: string, code: string): Promise<LoginAnswer> {
    const action = this.events.begin();
    const client = this.context.client();
    const login = await this.flow.verifying(() => this.verify(challenge, factor, code, action));
    const attempt = { username: login.user.username, isPossible: true, action, client };
    return endedIf(AuthErrorCode.LOGIN_FAILED, () => this.flow.complete(login, attempt));
  }

  private async verify(
    challenge: string,
    factor: string,
    code: string,
    action: AuthAction,
  ): Promise<VerifiedLogin> {
    if (factor !== 'totp' && factor !== 'recovery') {
      throw badRequest('"factor" must be "totp" or "recovery"');
    }
    const { userId, data, stamp } = await endedIf(AuthErrorCode.LINK_INVALID, () =>
      this.tokens.peek(CHALLENGE, challenge),
    );
    const kept = readChallenge(data);
    const user = userId === undefined ? undefined : await this.users.loadLoginUser(userId);
    if (user === undefined || kept === undefined) {
      throw challengeEnded();
    }
    const look = () =>
      factor === 'totp' ? this.codes.use(user.userId, code) : this.useRecoveryCode(user, code, action);
    await this.guesses.count({ user, factor, action }, () =>
      endedIf(AuthErrorCode.LINK_INVALID, () =>
        this.tokens.attempting(CHALLENGE, challenge, look, MAX_ATTEMPTS),
      ),
    );
    await endedIf(AuthErrorCode.LINK_INVALID, () => this.tokens.claim(CHALLENGE, challenge, undefined));
    if ((await this.users.stampOf(user.userId)) !== stamp) {
      throw challengeEnded();
    }
    const { factors, expiresAt, passed } = kept;
    const shown = { ...factors, [factor]: Math.floor(Date.now() / 1000) };
    const proof = { factors: shown, ...(expiresAt !== undefined && { expiresAt }) };
    return { user, stamp, proof, ...(passed && { passed }) };
  }

  private async useRecoveryCode(
    { userId, username }: LoginUser,
    code: string,
    action: AuthAction,
  ): Promise<Outcome> {
    const id = recoveryIdOf(String(userId), code);
    if (id === undefined) {
      return 'wrong';
    }
    if (!(await this.store.useRecoveryCode(id))) {
      return 'wrong';
    }
    action.note({ type: 'recovery-used', subjectId: userId, subject: username });
    return 'right';
  }
}

/** Maps `code` to `challenge-ended`. */
async function endedIf<T>(code: AuthErrorCode, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AuthException && error.code === code ? challengeEnded() : error;
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'recovery-used': true;
  }
}

function challengeEnded(): AuthException {
  return AuthException.refusal(AuthErrorCode.FACTOR_FAILED, {
    reason: 'challenge-ended',
    message: 'This login attempt has ended. Start again with the password',
  });
}
