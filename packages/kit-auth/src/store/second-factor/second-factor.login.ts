import { Injectable } from '@nestjs/common';
import type { BegunLogin, LoginAttempt, ShownAnswer, VerifiedLogin } from '../../contract/login-step.js';
import type { LoginUser } from '../../contract/login-user.js';
import type { UserId } from '../../contract/user-id.js';
import { AuthErrorCode } from '../../errors/auth-error-code.js';
import { AuthException, badRequest } from '../../errors/auth.exception.js';
import { type LoginAnswer, LoginFlow } from '../../login/login.flow.js';
import type { PeekedToken } from '../one-time/one-time-token.js';
import { OneTimeTokens } from '../one-time/one-time.tokens.js';
import { ActiveLogins } from '../../ports/active.provider.js';
import { Factors } from '../../ports/factors.js';
import { FactorGuesses } from '../../throttle/factor.guesses.js';
import { ActiveUserStore } from '../../users/active.user-store.js';
import { CHALLENGE, type ChallengeData, MAX_ATTEMPTS, readChallenge } from './challenge.js';

/** An answer that completes a login. */
export type CompletingAnswer = Omit<ShownAnswer, 'user'> & { readonly challenge: string };

interface Challenged {
  readonly user: LoginUser;
  readonly stamp: PeekedToken['stamp'];
  readonly kept: ChallengeData;
}

/** Completes logins that needed a second factor. */
@Injectable()
export class SecondFactorLogin {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly users: ActiveUserStore,
    private readonly factors: Factors,
    private readonly guesses: FactorGuesses,
    private readonly flow: LoginFlow,
    private readonly logins: ActiveLogins,
  ) {}

  /**
   * Each guess is counted before the answer is checked. A right answer is used up before the challenge, so that two
   * challenges cannot share it.
   *
   * @param request its body has what steps ask for
   * @throws AuthException 40000 for an unknown factor, 40113 for a wrong answer or with the reason `challenge-ended`, 42900
   * after too many wrong answers, 50300
   */
  async complete(shown: CompletingAnswer, request: { readonly body?: unknown }): Promise<LoginAnswer> {
    const begun = this.flow.begin('password', request);
    const { login, attempt } = await this.flow.verifying(() => this.verify(shown, begun, request));
    return endedIf(AuthErrorCode.LOGIN_FAILED, () => this.flow.resume(login, attempt));
  }

  /**
   * The user whose login waits for a second factor.
   *
   * @throws AuthException 40113 with the reason `challenge-ended`
   */
  async userOf(challenge: string): Promise<LoginUser> {
    return (await this.find(challenge)).user;
  }

  /**
   * Ends the logins of a user that wait for a second factor.
   *
   * @param transaction of a change, for example `AccountChange.transaction`
   */
  async cancelOf(userId: UserId, transaction?: unknown): Promise<void> {
    await this.tokens.cancel({ purpose: CHALLENGE, userId }, transaction);
  }

  private async verify(
    shown: CompletingAnswer,
    begun: BegunLogin,
    request: object,
  ): Promise<{ login: VerifiedLogin; attempt: LoginAttempt }> {
    const { challenge, factor } = shown;
    const found = this.factors.find(factor);
    if (found === undefined) {
      throw badRequest(`"factor" must be ${listOf(this.factors.names())}`);
    }
    const { user, stamp, kept } = await this.find(challenge);
    const first = kept.first ?? begun.first;
    const attempt = { ...begun, first, memo: kept.memo, username: user.username };
    const { factors, expiresAt, actor, passed } = kept;
    const proven = { ...factors, [factor]: Math.floor(Date.now() / 1000) };
    const proof = { factors: proven, ...(expiresAt !== undefined && { expiresAt }), ...(actor && { actor }) };
    await begun.action.run(() => this.logins.requireWritable({ user, proof }, request));
    await this.guesses.count({ user, factor, action: begun.action }, () =>
      endedIf(AuthErrorCode.LINK_INVALID, () =>
        this.tokens.attempting(
          CHALLENGE,
          challenge,
          () => found.verify({ ...shown, user }, attempt),
          MAX_ATTEMPTS,
        ),
      ),
    );
    await endedIf(AuthErrorCode.LINK_INVALID, () => this.tokens.claim(CHALLENGE, challenge, undefined));
    if ((await this.users.stampOf(user.userId)) !== stamp) {
      throw challengeEnded();
    }
    return { login: { user, stamp, proof, ...(passed && { passed }) }, attempt };
  }

  private async find(challenge: string): Promise<Challenged> {
    const { userId, data, stamp } = await endedIf(AuthErrorCode.LINK_INVALID, () =>
      this.tokens.peek(CHALLENGE, challenge),
    );
    const kept = readChallenge(data);
    const user = userId === undefined ? undefined : await this.users.loadLoginUser(userId);
    if (user === undefined || kept === undefined) {
      throw challengeEnded();
    }
    return { user, stamp, kept };
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

function challengeEnded(): AuthException {
  return AuthException.refusal(AuthErrorCode.FACTOR_FAILED, {
    reason: 'challenge-ended',
    message: 'This login attempt has ended. Start again with the password',
  });
}

/** `"a"`, `"a" or "b"`, `"a", "b" or "c"` */
function listOf(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  const last = quoted.pop();
  return quoted.length === 0 ? String(last) : `${quoted.join(', ')} or ${last}`;
}
