import { Injectable } from '@nestjs/common';
import {
  type AuthAction,
  AuthErrorCode,
  AuthEvents,
  AuthException,
  type Client,
  KitAuthContext,
  type LoginUser,
  type Principal,
} from 'kit-auth';
import { ActiveLogins, ActiveProvider, ActiveUserStore, invalidToken } from 'kit-auth/extend';

/** The current user, who changes their own factors. */
export interface OwnChange {
  readonly action: AuthAction;
  readonly client: Client | undefined;
  readonly principal: Principal;
  /** The session of the request. */
  readonly loginId: string | undefined;
  /**
   * Loads the user again: a stateless token stays valid after a password change, but must no longer change factors.
   *
   * @throws AuthException 40101 when the user is no longer enabled, or the token is from before the security stamp changed
   */
  readonly current: () => Promise<{ readonly user: LoginUser; readonly stamp: string }>;
}

@Injectable()
export class OwnChanges {
  constructor(
    private readonly users: ActiveUserStore,
    private readonly provider: ActiveProvider,
    private readonly logins: ActiveLogins,
    private readonly context: KitAuthContext,
    private readonly events: AuthEvents,
  ) {}

  /** Call this before the first `await`. @throws AuthException 40100 when the request has no user */
  begin(): OwnChange {
    const principal = this.context.principal();
    if (principal === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_MISSING);
    }
    const { userId } = principal.user;
    return {
      action: this.events.begin(),
      client: this.context.client(),
      principal,
      loginId: this.logins.currentId(),
      current: async () => {
        const stamp = await this.users.stampOf(userId);
        const user = await this.users.loadLoginUser(userId);
        if (stamp === undefined || user === undefined) {
          throw invalidToken('disabled');
        }
        this.provider.requireIssuedFor(principal, stamp);
        return { user, stamp };
      },
    };
  }
}
