import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, type UserId } from 'kit-auth';
import { ActiveLogins, ActiveProvider, forbidden, invalidLink, RequestTokens } from 'kit-auth/extend';
import { OneTimeTokens, type PeekedToken } from 'kit-auth/one-time';
import type { Address } from '../addresses/address.js';

/** The purpose of the tokens that change an address. A user has one at most. */
export const CHANGE = 'change-address';

/** The data of such a token. */
export interface ChangeData extends Address {
  /** The login that requested the change. It is not ended. */
  readonly loginId?: string | undefined;
}

/** What `RequestTokens` reads of a request. */
export type TokenRequest = Parameters<RequestTokens['principalOf']>[0];

/** Changes of addresses that wait to be confirmed. They end with the login that requested them. */
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
   * @param loginId only if this login has requested it
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
   * Admits the confirmation of a change. Where the login that requested it is not known, the request needs a token of the
   * user.
   *
   * @returns the login that requested it. Undefined where it is not known
   * @throws AuthException 40010 when that login has ended; 40100 without a token, 40101 for one from before the user was
   * changed, 40300 for one of another user, 40304 for one of a credential
   */
  async admit(change: PeekedToken, request: TokenRequest): Promise<string | undefined> {
    const loginId = await this.loginOf(change);
    if (loginId === undefined) {
      await this.requireTokenOf(change, request);
    }
    return loginId;
  }

  /**
   * Looks the login up that has requested a change. Within the transaction of another change, it does not end before the
   * commit, if ends of logins join that.
   *
   * @returns undefined where it is not known
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
    if (principal.user.userId !== userId) {
      throw forbidden('This link belongs to another user');
    }
    this.provider.requireIssuedFor(principal, stamp);
  }
}
