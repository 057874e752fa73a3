import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, type LoginUser, type UserId } from 'kit-auth';
import { ActiveLogins, ActiveProvider, type ResolvedPrincipal, TokenResolver } from 'kit-auth/login';
import { ActiveUserStore, invalidToken } from 'kit-auth/feature';
import type { Bearer } from '../connections/connection.js';
import { endOf } from '../connections/socket-end.js';

/** Regular checks of a user's tokens share a look-up that is at most this old. */
const SHARED_MS = 1000;

/** Re-resolves a login: is it live, and who is its user? */
@Injectable()
export class LoginState {
  constructor(
    private readonly resolver: TokenResolver,
    private readonly provider: ActiveProvider,
    private readonly logins: ActiveLogins,
    private readonly store: ActiveUserStore,
  ) {}

  /**
   * The principal of a token as it is now. Where logins are known, the login counts, not the token: it ends earlier, and
   * is replaced when its user confirms the login or changes the password.
   *
   * @throws AuthException 40101 with the reason why the login is over, 50300 when that cannot be found out
   */
  async now(bearer: Bearer, keepAfterToken: boolean): Promise<ResolvedPrincipal> {
    const { token, principal, request } = bearer;
    if (!this.provider.hasResolved(principal)) {
      const found = await this.resolver.resolve(token, request);
      if (found.user.userId !== principal.user.userId) {
        throw invalidToken('revoked'); // its identity is linked to another user by now
      }
      return found;
    }
    const isKept = keepAfterToken || (principal.proof.expiresAt ?? Infinity) > Date.now() / 1000;
    const loginId = isKept ? this.loginIdOf(principal) : undefined;
    // The user comes first: a change of the user that ends the login is then seen as the end of the login.
    const user = await this.userOf(bearer);
    const found =
      loginId === undefined
        ? await this.resolver.resolve(token, request)
        : await this.liveLogin(bearer, loginId);
    return { ...found, user };
  }

  /** Whether two principals are the same user in the same login, which `POST fresh` may have replaced. */
  async isSame(a: ResolvedPrincipal, b: ResolvedPrincipal): Promise<boolean> {
    const [before, after] = [this.loginIdOf(a), this.loginIdOf(b)];
    return (
      a.user.userId === b.user.userId &&
      a.scheme === b.scheme &&
      (before === after ||
        (before !== undefined && (await this.logins.liveIdOf(a.user.userId, before)) === after))
    );
  }

  private loginIdOf({ token, proof }: ResolvedPrincipal): string | undefined {
    return this.logins.areKnown() ? this.logins.idOf(token, proof) : undefined;
  }

  private async liveLogin(bearer: Bearer, loginId: string): Promise<ResolvedPrincipal> {
    const { token, principal, request } = bearer;
    // A message is a sign of life for sessions that end when they are idle, so the token itself is resolved.
    if (bearer.isActive && !this.logins.areKept()) {
      try {
        return await this.resolver.resolve(token, request);
      } catch (error) {
        if (endOf(error).code !== 4401) {
          throw error;
        }
        // The user may have confirmed the login, which then continues with another token.
      }
    }
    try {
      if ((await this.logins.liveIdOf(principal.user.userId, loginId)) !== undefined) {
        return principal;
      }
    } catch (error) {
      // Stateless sessions are not stored.
      if (!(error instanceof AuthException) || error.code !== AuthErrorCode.NOT_IMPLEMENTED) {
        throw error;
      }
      return this.resolver.resolve(token, request);
    }
    await this.resolver.resolve(token, request); // throws the reason
    throw invalidToken('revoked');
  }

  /** Shares a look-up that began after the last hint for the bearer. */
  private async userOf({ user, hints, principal }: Bearer): Promise<LoginUser> {
    const now = Date.now();
    const { lookup } = user;
    if (lookup !== undefined && lookup.hints >= hints && Math.abs(now - lookup.at) < SHARED_MS) {
      return lookup.user;
    }
    const begun = { hints: user.hints, at: now, user: this.load(principal.user.userId) };
    user.lookup = begun;
    try {
      return await begun.user;
    } catch (error) {
      if (user.lookup === begun) {
        user.lookup = undefined;
      }
      throw error;
    }
  }

  private async load(userId: UserId): Promise<LoginUser> {
    const user = await this.store.loadLoginUser(userId);
    if (user === undefined) {
      throw invalidToken('disabled');
    }
    return Object.freeze(user);
  }
}
