import { Injectable } from '@nestjs/common';
import { AuthEvents, AuthManager, KitAuthContext, type Principal } from 'kit-auth';
import { ActiveLogins } from 'kit-auth/login';
import { ProviderConnections } from '../providers/provider.connections.js';
import { Providers, type ProviderSettings } from '../providers/providers.js';
import { Destinations } from '../start/destinations.js';
import { IdentityStore } from '../stores/identity.store.js';
import { ProviderLogins } from '../stores/provider-logins.js';

/** Logs the current user out, here and at the provider (OpenID Connect RP-Initiated Logout 1.0). */
@Injectable()
export class ProviderLogout {
  constructor(
    private readonly manager: AuthManager,
    private readonly logins: ActiveLogins,
    private readonly providerLogins: ProviderLogins,
    private readonly identities: IdentityStore,
    private readonly providers: Providers,
    private readonly connections: ProviderConnections,
    private readonly destinations: Destinations,
    private readonly context: KitAuthContext,
    private readonly events: AuthEvents,
  ) {}

  /** @returns the URL at which the user also logs out of the provider. Undefined if it has none, or does not answer */
  async end(): Promise<string | undefined> {
    const action = this.events.begin();
    const principal = this.context.principal() as Principal;
    const provider = await this.providerOf(principal);
    await this.manager.logout(principal.token);
    action.note({ type: 'logout', subjectId: principal.user.userId, subject: principal.user.username });
    const { page } = this.destinations;
    return provider === undefined || page === undefined
      ? undefined
      : // The login has ended here, even if the provider fails.
        this.connections.logoutUrl(provider, page).catch(() => undefined);
  }

  /** Finds the provider of a login: the stored one, or the provider of the identity that was used last. */
  private async providerOf({ user, proof, token }: Principal): Promise<ProviderSettings | undefined> {
    if (proof.factors['oidc'] === undefined) {
      return undefined;
    }
    const loginId = this.logins.idOf(token, proof);
    const known = loginId === undefined ? undefined : await this.providerLogins.find(loginId);
    const linked = known === undefined ? await this.identities.listOf(user.userId) : [];
    const [last] = linked.sort((a, b) => (b.lastUsedAt ?? 0) - (a.lastUsedAt ?? 0));
    const name = (known ?? last)?.provider;
    return name === undefined ? undefined : this.providers.find(name);
  }
}
