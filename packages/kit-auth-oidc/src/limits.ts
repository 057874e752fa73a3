import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Client, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { Counters, type RateLimit } from 'kit-auth/login';
import { networkOfClient } from 'kit-auth/tools';

const PER_MINUTE = 60;
const MINUTE_SECONDS = 60;
const LOGOUTS_PER_SECOND = 20;

/** Limits attempts by the network of the client, because each is stored, and logouts by provider and network. */
@Injectable()
export class OidcLimits implements OnModuleInit {
  private attempts!: RateLimit;
  private logouts!: RateLimit;

  constructor(
    private readonly counters: Counters,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
  ) {}

  /** @throws IllegalStateException if `kit.auth.login.throttle.limiter` does not return a limiter */
  onModuleInit(): void {
    if (this.settings.enabled) {
      this.attempts = this.counters.limit('oidc', PER_MINUTE, MINUTE_SECONDS, 'oidc');
      this.logouts = this.counters.limit('oidc:logout', LOGOUTS_PER_SECOND, 1, 'oidc');
    }
  }

  /** @throws AuthException 42900 after 60 in a minute */
  async countAttempt(client: Client | undefined): Promise<void> {
    await this.attempts.count(networkOfClient({ address: client?.address }));
  }

  /** Counts by network, too: strangers cannot use up the limit of the provider. @throws AuthException 42900 after 20 in a second */
  async countLogout(provider: string, client: Client | undefined): Promise<void> {
    await this.logouts.count(`${provider} ${networkOfClient({ address: client?.address })}`);
  }
}
