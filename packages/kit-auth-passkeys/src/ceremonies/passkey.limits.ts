import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Client, KIT_AUTH_SETTINGS, type KitAuthSettings, type UserId } from 'kit-auth';
import { Counters, networkOfClient, ownerOf, type RateLimit } from 'kit-auth/extend';

const PER_MINUTE = 60;
const MINUTE_SECONDS = 60;

/**
 * Limits the logins with passkeys, and the ceremonies for them, by the network of the client. Nothing that strangers do is
 * counted against an account, so they can lock nobody out. Ceremonies of users who are logged in are limited by user.
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

  /** One of a user who is logged in, whom others in the network must not lock out. @throws AuthException 42900 after 60 in a minute */
  countCeremonyOf(userId: UserId): Promise<void> {
    return this.ceremonies.count(`user ${ownerOf(userId)}`);
  }
}
