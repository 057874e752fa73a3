import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, type UserId } from 'kit-auth';
import { ActiveLogins, ActiveProvider, RequestTokens } from 'kit-auth/login';
import { type Address, forbidden, invalidLink, parseAddress } from 'kit-auth/feature';
import { OneTimeTokens, type PeekedToken } from 'kit-auth/store';

/** The purpose of the tokens that change an address. A user has at most one. */
export const CHANGE = 'change-address';

/** The data of a token that changes an address. */
export interface ChangeData extends Address {
  /** The login that requested the change. It is not ended. */
  readonly loginId?: string | undefined;
  /** The user had a second factor at the request, and has shown it. */
  readonly hadSecondFactor?: boolean;
}

/** The parts of a request that `RequestTokens` reads. */
export type TokenRequest = Parameters<RequestTokens['principalOf']>[0];

/** Unconfirmed changes of addresses. They end with the login that requested them. */
@Injectable()
export class PendingChanges {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly logins: ActiveLogins,
    private readonly provider: ActiveProvider,
    private readonly requests: RequestTokens,
  ) {}

  /**
   * Ends the change that a user has requested.
   *
   * @param loginId ends the change only if this login has requested it
   */
  async end(userId: UserId, transaction?: unknown, loginId?: string): Promise<void> {
    const changes = await this.tokens.list({ purpose: CHANGE, userId }, transaction);
    for (const { id, data } of changes) {
      if (loginId === undefined || (data as ChangeData).loginId === loginId) {
        await this.tokens.cancel({ id }, transaction);
      }
    }
  }

  /**
   * Admits the confirmation of a change. If the login that requested it is unknown, the request needs a token of the user.
   *
   * @returns the login that requested it, or undefined if it is not known
   * @throws AuthException 40010 when that login has ended; 40100 without a token, 40101 for a token from before the
   * user was changed, 40300 for another user's token, 40304 for a credential such as an API key
   */
  async admit(change: PeekedToken, request: TokenRequest): Promise<string | undefined> {
    const loginId = await this.loginOf(change);
    if (loginId === undefined) {
      await this.requireTokenOf(change, request);
    }
    return loginId;
  }

  /**
   * Looks up the login that requested a change. In the transaction of another change, the login cannot end before the
   * commit, if ends of logins join transactions.
   *
   * @returns undefined if it is not known
   * @throws AuthException 40010 when it has ended
   */
  async loginOf({ userId, data }: PeekedToken): Promise<string | undefined> {
    const { loginId } = data as ChangeData;
    if (userId === undefined || loginId === undefined || !this.logins.areKnown()) {
      return undefined;
    }
    let liveId: string | undefined;
    try {
      liveId = await this.logins.liveIdOf(userId, loginId);
    } catch (error) {
      if (error instanceof AuthException && error.code === AuthErrorCode.NOT_IMPLEMENTED) {
        return undefined;
      }
      throw error;
    }
    if (liveId === undefined) {
      throw invalidLink();
    }
    return liveId;
  }

  private async requireTokenOf({ userId, stamp }: PeekedToken, request: TokenRequest): Promise<void> {
    const principal = await this.requests.principalOf(request);
    if (principal === undefined) {
      throw AuthException.refusal(AuthErrorCode.TOKEN_MISSING, {
        message: 'Log in to confirm the address, and send the token with the confirmation',
      });
    }
    if (!this.provider.hasResolved(principal)) {
      throw AuthException.refusal(AuthErrorCode.KEY_NOT_ALLOWED);
    }
    if (principal.user.userId !== userId || principal.proof.actor !== undefined) {
      throw forbidden('This link belongs to another user');
    }
    this.provider.requireIssuedFor(principal, stamp);
  }
}

/**
 * Returns the recipient of a notice about a new address: the current address of the user, or else a username that is an
 * address.
 *
 * @param wanted the new address. It gets its own mail
 */
export function addressForNotices(
  username: string,
  present: Address | undefined,
  wanted: Address,
): string | undefined {
  const found = present ?? parseAddress(username);
  return found?.key === wanted.key ? undefined : found?.address;
}
