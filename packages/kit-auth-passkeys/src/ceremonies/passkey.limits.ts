import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Client, KIT_AUTH_SETTINGS, type KitAuthSettings, type UserId } from 'kit-auth';
import { Counters, ownerOf, type RateLimit } from 'kit-auth/login';
import { networkOfClient } from 'kit-auth/tools';

const PER_MINUTE = 60;
const MINUTE_SECONDS = 60;

/**
 * Limits logins with passkeys and their ceremonies by the network of the client, not by account: strangers cannot lock out a
 * user. Ceremonies of logged-in users are limited by user.
 */
@Injectable()
export class PasskeyLimits implements OnModuleInit {
  private logins!: RateLimit;
  private ceremonies!: RateLimit;

  constructor(
    private readonly counters: Counters,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
  ) {}

  /** @throws IllegalStateException when `kit.auth.login.throttle.limiter` does not return a limiter */
  onModuleInit(): void {
    if (this.settings.enabled) {
      this.logins = this.counters.limit('passkey', PER_MINUTE, MINUTE_SECONDS, 'passkey');
      this.ceremonies = this.counters.limit('passkey:options', PER_MINUTE, MINUTE_SECONDS, 'passkey');
    }
  }

  /** @throws AuthException 42900 after 60 in a minute */
  countLogin(client: Client | undefined): Promise<void> {
    return this.logins.count(networkOfClient({ address: client?.address }));
  }

  /** Each ceremony is a row. @throws AuthException 42900 after 60 in a minute */
  countCeremony(client: Client | undefined): Promise<void> {
    return this.ceremonies.count(networkOfClient({ address: client?.address }));
  }

  /** Counts by user: others in the network must not lock out a logged-in user. @throws AuthException 42900 after 60 in a minute */
  countCeremonyOf(userId: UserId): Promise<void> {
    return this.ceremonies.count(`user ${ownerOf(userId)}`);
  }
}
