import { Injectable } from '@nestjs/common';
import { AuthException, type Principal } from 'kit-auth';
import { ActiveLogins, ActiveProvider, RequestTokens } from 'kit-auth/login';
import { ActiveUserStore } from 'kit-auth/feature';
import { externalLoginFailed } from '../refusals.js';
import type { Initiator } from '../start/attempts.js';

/** Finds the login that started a link or a re-authentication. */
@Injectable()
export class Initiators {
  constructor(
    private readonly requests: RequestTokens,
    private readonly logins: ActiveLogins,
    private readonly provider: ActiveProvider,
    private readonly users: ActiveUserStore,
  ) {}

  /**
   * @returns the login of the request
   * @throws AuthException 40114 `state` if the request has another login, or this one has ended
   */
  async require({ userId, loginId }: Initiator, request: object): Promise<Principal> {
    const principal = await this.requests.principalOf(request).catch(undefinedIfInvalid);
    const isSame =
      principal !== undefined &&
      this.provider.hasResolved(principal) &&
      principal.user.userId === userId &&
      principal.proof.actor === undefined &&
      this.logins.idOf(principal.token, principal.proof) === loginId &&
      this.provider.isIssuedFor(principal, (await this.users.stampOf(userId)) ?? '');
    if (!isSame) {
      throw externalLoginFailed('state');
    }
    return principal;
  }
}

function undefinedIfInvalid(error: unknown): undefined {
  if (error instanceof AuthException && error.getStatus() === 401) {
    return undefined;
  }
  throw error;
}
