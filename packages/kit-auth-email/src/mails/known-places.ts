import { hash } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Client, KIT_AUTH_SETTINGS, type KitAuthSettings, type LoginLimiter } from 'kit-auth';
import { Counters, LoginThrottle } from 'kit-auth/login';
import { networkOfClient } from 'kit-auth/tools';

/** The login throttle knows devices for the same time. */
export const KNOWN_SECONDS = 30 * 24 * 60 * 60;

/** A request for a mail. */
interface MailRequest {
  /** The address in lower case. */
  readonly key: string;
  /** The name of the user with this address, if any. */
  readonly username: string | undefined;
  readonly client: Client | undefined;
  /** The hash of the secret in the cookie of the browser. */
  readonly browser?: string;
}

/** Recognises the browsers and networks of earlier logins with an address, so that strangers do not use up its mails. */
@Injectable()
export class KnownPlaces implements OnModuleInit {
  private browsers!: LoginLimiter;

  constructor(
    private readonly counters: Counters,
    private readonly throttle: LoginThrottle,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: Pick<KitAuthSettings, 'enabled'>,
  ) {}

  /** @throws IllegalStateException when `kit.auth.login.throttle.limiter` does not return a limiter */
  onModuleInit(): void {
    if (this.core.enabled) {
      this.browsers = this.counters.make('email:browser', 1, KNOWN_SECONDS);
    }
  }

  /** @returns the name of the place. It has a budget of its own. Undefined for a stranger */
  async placeOf({ key, username, client, browser }: MailRequest): Promise<string | undefined> {
    if (browser !== undefined && (await this.browsers.get(keyOf(key, browser))) !== null) {
      return `browser ${browser}`;
    }
    return username !== undefined && client !== undefined && (await this.throttle.knows(username, client))
      ? `network ${networkOfClient(client)}`
      : undefined;
  }

  /** Remembers a browser after a login with a link or a code. */
  async remember(key: string, browser: string): Promise<void> {
    await this.browsers.set(keyOf(key, browser), 1, KNOWN_SECONDS);
  }
}

/** The store of the counters gets no addresses. */
function keyOf(key: string, browser: string): string {
  return hash('sha256', JSON.stringify([key, browser]), 'base64url');
}
