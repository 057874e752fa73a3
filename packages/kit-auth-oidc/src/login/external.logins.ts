import { Inject, Injectable, Logger } from '@nestjs/common';
import type { LoginUser, UserId } from 'kit-auth';
import { ActiveUserStore, describeError, type LoginAnswer, LoginFlow, withinDeadline } from 'kit-auth/extend';
import { oidcOptions, type OidcSettings, type ResolvedOidcOptions } from '../config/oidc.options.js';
import type { ExternalLogin } from '../contract/external-identity.js';
import type { ReturnedLogin } from './returned-login.js';

const LISTENER_MS = 2000;

/** Logs users in with identities that they have linked. */
@Injectable()
export class ExternalLogins {
  private readonly logger = new Logger('KitAuth');
  private readonly onLogin: OidcSettings['onLogin'];

  constructor(
    private readonly flow: LoginFlow,
    private readonly users: ActiveUserStore,
    @Inject(oidcOptions.token) { settings }: ResolvedOidcOptions,
  ) {
    this.onLogin = settings.onLogin;
  }

  /**
   * Begins a login. Call this before the first `await`.
   *
   * @param request its body has what steps of the login ask for
   */
  begin(provider: string, request?: { readonly body?: unknown }): ReturnType<LoginFlow['begin']> {
    return this.flow.begin(`oidc:${provider}`, request);
  }

  /**
   * @throws AuthException 40111 for a disabled user, 40112 for one with a second factor, 50300, and what steps of the login throw
   */
  logIn(
    userId: UserId,
    { factors, ...memo }: ReturnedLogin,
    begun: ReturnType<LoginFlow['begin']>,
  ): Promise<LoginAnswer> {
    return this.flow.logInAs(userId, factors, { ...begun, memo });
  }

  /** Tells the application of the tokens of the provider. Never rejects. */
  async tell({ identity, tokens }: ExternalLogin, userId: UserId): Promise<void> {
    const { onLogin } = this;
    if (onLogin === undefined) {
      return;
    }
    try {
      const user: LoginUser | undefined = await this.users.loadLoginUser(userId);
      if (user !== undefined) {
        await withinDeadline(LISTENER_MS, Promise.resolve(onLogin(identity, tokens, user)));
      }
    } catch (error) {
      this.logger.error(`[oidc] onLogin failed: ${describeError(error)}`);
    }
  }
}
