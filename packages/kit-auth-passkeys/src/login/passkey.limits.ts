import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { AuthErrorCode, AuthException, type Client, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { Counters, networkOfClient, noteThrottled, retryAfterOf } from 'kit-auth/extend';

const PER_MINUTE = 60;
const MINUTE_SECONDS = 60;

type Counter = ReturnType<Counters['make']>;

/**
 * Limits the logins with passkeys, and the ceremonies for them, by the network of the client. Nothing is counted against
 * an account, so nobody can lock somebody else out.
 */
@Injectable()
export class PasskeyLimits implements OnModuleInit {
  private logins!: Counter;
  private ceremonies!: Counter;

  constructor(
    private readonly counters: Counters,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
  ) {}

  /** @throws IllegalStateException when `kit.auth.login.throttle.limiter` does not return a limiter */
  onModuleInit(): void {
    if (this.settings.enabled) {
      this.logins = this.counters.make('passkey', PER_MINUTE, MINUTE_SECONDS);
      this.ceremonies = this.counters.make('passkey:options', PER_MINUTE, MINUTE_SECONDS);
    }
  }

  /** @throws AuthException 42900 after 60 in a minute */
  countLogin(client: Client | undefined): Promise<void> {
    return count(this.logins, client);
  }

  /** Each ceremony is a row. @throws AuthException 42900 after 60 in a minute */
  countCeremony(client: Client | undefined): Promise<void> {
    return count(this.ceremonies, client);
  }
}

async function count(counter: Counter, client: Client | undefined): Promise<void> {
  const { consumedPoints, msBeforeNext } = await counter.penalty(
    networkOfClient({ address: client?.address }),
  );
  if (consumedPoints > PER_MINUTE) {
    noteThrottled('passkey');
    throw AuthException.refusal(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: retryAfterOf(msBeforeNext) });
  }
}
