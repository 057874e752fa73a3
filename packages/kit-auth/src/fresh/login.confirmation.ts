import { Injectable } from '@nestjs/common';
import { currentExchange } from '../context/kit-auth.context.js';
import type { LoginProof, Principal } from '../contract/login-proof.js';
import type { LoginAttempt, VerifiedLogin } from '../contract/login-step.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, forbidden } from '../errors/auth.exception.js';
import { type LoginAnswer, summaryOf, TokenIssuer } from '../login/login.flow.js';
import { ActiveLogins, ActiveProvider } from '../ports/active.provider.js';
import { isFactor } from '../ports/port.js';
import { TokenResolver } from '../ports/token.resolver.js';

/**
 * Re-authenticates a login and issues a fresh token.
 *
 * @example
 * // In an endpoint that takes a factor of the current user:
 * const former = this.context.principal() as Principal;
 * this.confirmation.require(former);
 * const shown = await this.codes.check(former.user, code, attempt); // a VerifiedLogin
 * return this.confirmation.confirm(former, shown, attempt);
 */
@Injectable()
export class LoginConfirmation {
  constructor(
    private readonly active: ActiveProvider,
    private readonly logins: ActiveLogins,
    private readonly resolver: TokenResolver,
    private readonly tokens: TokenIssuer,
  ) {}

  /**
   * @throws AuthException 50100 when the implementation cannot confirm logins, 40300 for a token without a login, such
   * as an API key
   */
  require(former: Principal): void {
    if (this.active.get().keepsProof !== true || !this.logins.canRenew()) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED);
    }
    if (!this.active.hasResolved(former)) {
      throw forbidden('Only a login can be confirmed');
    }
  }

  /**
   * Issues a token with the factors of the login and those that were shown now, and ends the former token. Factors of a token
   * from before the user was changed do not count: an administrator may have removed them.
   *
   * @throws AuthException 40110 for another user, or one who was changed in the meantime, 40101 when the login has
   * ended
   */
  async confirm(
    former: Principal,
    shown: VerifiedLogin,
    { action, client }: Pick<LoginAttempt, 'action' | 'client'>,
  ): Promise<LoginAnswer> {
    const { user, stamp } = shown;
    if (user.userId !== former.user.userId) {
      throw new AuthException(AuthErrorCode.LOGIN_FAILED);
    }
    // Before anything is replaced: a refusal here leaves the login as it is.
    await this.tokens.noteLogin(shown, action);
    const kept = this.active.isIssuedFor(former, stamp) ? former.proof.factors : {};
    const login = { user, proof: confirmed({ ...former.proof, factors: kept }, shown.proof) };
    const { proof, answer, endsAt } = await action.run(() =>
      this.logins.renew(login, client, currentExchange()?.request),
    );
    const verified = { user, stamp, proof };
    const token = await (
      this.logins.areKept()
        ? this.tokens.issue(verified, action)
        : this.tokens.issue(verified, action, () => this.replace(former, verified))
    ).catch(async (error: unknown) => {
      if (former.proof.loginId === undefined) {
        await this.logins.end(verified); // This login was created by the confirmation.
      }
      throw error;
    });
    action.note({ type: 'login-confirmed', subjectId: user.userId, subject: user.username });
    return { ...answer, token, user: summaryOf(user), ...(endsAt !== undefined && { endsAt }) };
  }

  private async replace({ token: former }: Principal, { user, proof }: VerifiedLogin): Promise<string> {
    const provider = this.active.get();
    if (provider.replaceToken !== undefined) {
      return provider.replaceToken(former, user, proof);
    }
    const token = await provider.issueToken(user, proof);
    try {
      await this.resolver.resolve(former);
    } catch (error) {
      await provider.invalidate(token); // The user has logged out meanwhile.
      throw error;
    }
    await provider.invalidate(former);
    return token;
  }
}

/** Leaves out invalid factors of the old login, which do not fit into tokens. */
function confirmed(former: LoginProof, shown: LoginProof): LoginProof {
  const kept = Object.entries(former.factors).filter(([name, time]) => isFactor(name, time));
  return { ...former, factors: { ...Object.fromEntries(kept), ...shown.factors } };
}
