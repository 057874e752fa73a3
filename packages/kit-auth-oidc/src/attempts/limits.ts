import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { AuthErrorCode, AuthException, type Client, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { Counters, networkOfClient, noteThrottled, retryAfterOf } from 'kit-auth/extend';

const PER_MINUTE = 60;
const MINUTE_SECONDS = 60;
const LOGOUTS_PER_SECOND = 20;

type Counter = ReturnType<Counters['make']>;

/** Limits attempts, each of which is a row, by the network of the client, and logouts by their provider. */
@Injectable()
export class OidcLimits implements OnModuleInit {
  private attempts!: Counter;
  private logouts!: Counter;

  constructor(
    private readonly counters: Counters,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
  ) {}

  /** @throws IllegalStateException when `kit.auth.login.throttle.limiter` does not return a limiter */
  onModuleInit(): void {
    if (this.settings.enabled) {
      this.attempts = this.counters.make('oidc', PER_MINUTE, MINUTE_SECONDS);
      this.logouts = this.counters.make('oidc:logout', LOGOUTS_PER_SECOND, 1);
    }
  }

  /** @throws AuthException 42900 after 60 in a minute */
  async countAttempt(client: Client | undefined): Promise<void> {
    await count(this.attempts, networkOfClient({ address: client?.address }), PER_MINUTE);
  }

  /** By network too, so that nobody else can use up what the provider needs. @throws AuthException 42900 after 20 in a second */
  async countLogout(provider: string, client: Client | undefined): Promise<void> {
    const key = `${provider} ${networkOfClient({ address: client?.address })}`;
    await count(this.logouts, key, LOGOUTS_PER_SECOND);
  }
}

async function count(counter: Counter, key: string, most: number): Promise<void> {
  const { consumedPoints, msBeforeNext } = await counter.penalty(key);
  if (consumedPoints > most) {
    noteThrottled('oidc');
    throw AuthException.refusal(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: retryAfterOf(msBeforeNext) });
  }
}
