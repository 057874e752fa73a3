import { Injectable } from '@nestjs/common';
import { type AuthAction, AuthEvents, KitAuthContext } from 'kit-auth';
import { ActiveLogins } from 'kit-auth/login';
import { ActiveUserStore } from 'kit-auth/feature';
import { OidcLimits } from '../limits.js';
import { ProviderConnections } from '../providers/provider.connections.js';
import { Providers } from '../providers/providers.js';
import { notImplemented } from '../refusals.js';
import type { AuthIdentityLogin } from '../stores/identity.tables.js';
import { ProviderLogins } from '../stores/provider-logins.js';

const AT_ONCE = 20;

/** Ends logins on request of their provider. */
@Injectable()
export class BackChannelLogout {
  constructor(
    private readonly providers: Providers,
    private readonly connections: ProviderConnections,
    private readonly providerLogins: ProviderLogins,
    private readonly logins: ActiveLogins,
    private readonly users: ActiveUserStore,
    private readonly limits: OidcLimits,
    private readonly events: AuthEvents,
    private readonly context: KitAuthContext,
  ) {}

  /** Whether single logins can be ended here. */
  get isPossible(): boolean {
    return this.logins.areKnown();
  }

  /**
   * @param token the `logout_token` of the provider
   * @returns false for an invalid or used token
   * @throws AuthException 40400, 42900, 50100 if single logins cannot be ended, 50300
   */
  async end(name: string, token: string): Promise<boolean> {
    const action = this.events.begin();
    const client = this.context.client();
    const provider = this.providers.get(name);
    if (!this.isPossible) {
      throw notImplemented('Logins cannot be ended here');
    }
    await this.limits.countLogout(name, client);
    const logout = await this.connections.readLogoutToken(provider, token);
    if (logout === undefined) {
      return false;
    }
    const { issuer } = provider;
    const { sid, subject, jti, expiresAt } = logout;
    if (await this.providerLogins.isUsed(issuer, jti)) {
      return false;
    }
    const ended = {
      issuer,
      ...(sid !== undefined && { sid }),
      ...(subject !== undefined && { subject }),
    };
    await this.providerLogins.logOut(ended);
    const found = await this.providerLogins.listOf(ended);
    for (let i = 0; i < found.length; i += AT_ONCE) {
      const batch = found.slice(i, i + AT_ONCE);
      await Promise.all(batch.map((login) => this.endLogin(login, name, action)));
      await this.providerLogins.remove(batch.map(({ id }) => id));
    }
    // After the logins: the provider sends the token again if ending one of them failed.
    return this.providerLogins.useUp(issuer, jti, expiresAt * 1000);
  }

  private async endLogin(
    { id, userId }: Pick<AuthIdentityLogin, 'id' | 'userId'>,
    provider: string,
    action: AuthAction,
  ): Promise<void> {
    const subjectId = this.users.idFrom(userId);
    // A confirmation may have replaced the login.
    const liveId = subjectId === undefined ? undefined : await this.logins.liveIdOf(subjectId, id);
    if (subjectId === undefined || liveId === undefined) {
      return;
    }
    if (await this.logins.sessions().end(subjectId, liveId, 'provider-logout')) {
      action.note({ type: 'logged-out-by-provider', subjectId, detail: provider, endedSessions: liveId });
    }
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'logged-out-by-provider': true;
  }
  interface SessionEndReasons {
    /** The user logged out at the provider of this login. */
    'provider-logout': true;
  }
}
