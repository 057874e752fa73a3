import { Injectable } from '@nestjs/common';
import { AuthException, type Principal } from 'kit-auth';
import { ActiveLogins, ActiveProvider, ActiveUserStore, RequestTokens } from 'kit-auth/extend';
import type { AskingLogin } from '../attempts/attempts.js';
import { externalLoginFailed } from '../contract/refusals.js';

/** Finds the login again that has asked for a link or a confirmation. */
@Injectable()
export class AskingLogins {
  constructor(
    private readonly requests: RequestTokens,
    private readonly logins: ActiveLogins,
    private readonly provider: ActiveProvider,
    private readonly users: ActiveUserStore,
  ) {}

  /**
   * @returns the login of the request
   * @throws AuthException 40114 `state` when it is another one, or over
   */
  async require({ userId, loginId }: AskingLogin, request: object): Promise<Principal> {
    const principal = await this.requests.principalOf(request).catch(endedIfRefused);
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

/** An invalid token is as good as none. */
function endedIfRefused(error: unknown): undefined {
  if (error instanceof AuthException && error.getStatus() === 401) {
    return undefined;
  }
  throw error;
}
