import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TransportExchange, UserId } from 'kit-auth';
import { OneTimeTokens } from 'kit-auth/one-time';
import { ATTEMPT_SECONDS, type Binding, BrowserCookies } from './browser-cookies.js';
import { endedIfInvalid } from './ended.js';
import { externalLoginFailed } from '../contract/refusals.js';

const PURPOSE = 'oidc-attempt';
const SECRET_BYTES = 32;

/** A login that asks for a link, or for a confirmation. */
export interface AskingLogin {
  readonly userId: UserId;
  /** Undefined if the implementation does not name logins. */
  readonly loginId: string | undefined;
}

export interface NewAttempt {
  readonly provider: string;
  /** What the user does with the provider. */
  readonly purpose: 'login' | 'link' | 'fresh';
  /** Where the browser goes in the end. */
  readonly returnTo: string;
  readonly remember: boolean;
  /**
   * The hash of the verifier of an app, or of a page without cookies, which gets a code in the end. Undefined for pages with
   * cookies.
   */
  readonly challenge: string | undefined;
  /** Undefined for a login. */
  readonly asking: AskingLogin | undefined;
}

/** A user is at the provider, and the browser has not come back. */
export interface Attempt extends NewAttempt {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
}

type AttemptData = Omit<Attempt, 'state' | 'asking'> & {
  readonly loginId?: string;
  readonly browser?: Binding;
};

/** The attempts. Each is a one-time token, its `state`. */
@Injectable()
export class Attempts {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly cookies: BrowserCookies,
  ) {}

  /**
   * @param exchange gets the cookie that binds the attempt to the browser. Undefined for an app, whose browser is another
   * client: only the app can complete the attempt, with its verifier
   */
  async begin({ asking, ...wanted }: NewAttempt, exchange: TransportExchange | undefined): Promise<Attempt> {
    const attempt = { ...wanted, nonce: newSecret(), verifier: newSecret() };
    const data: AttemptData = {
      ...attempt,
      ...(asking?.loginId !== undefined && { loginId: asking.loginId }),
      ...(exchange && { browser: this.cookies.bind(exchange) }),
    };
    const { token } = await this.tokens.issue({
      purpose: PURPOSE,
      ttlSeconds: ATTEMPT_SECONDS,
      data,
      ...(asking && { userId: asking.userId }),
    });
    return { ...attempt, asking, state: token };
  }

  /**
   * Looks at an attempt, and leaves it as it is.
   *
   * @throws AuthException 40114 `state` when it is over, of another provider or of another browser
   */
  async find(
    provider: string,
    state: string,
    exchange: TransportExchange,
  ): Promise<Attempt & { end(): Promise<void> }> {
    const { userId, data } = await endedIfInvalid(() => this.tokens.peek(PURPOSE, state));
    const { browser, loginId, ...attempt } = data as AttemptData;
    if (attempt.provider !== provider || (browser && !this.cookies.isBound(exchange.request, browser))) {
      throw externalLoginFailed('state');
    }
    const end = async () => {
      await endedIfInvalid(() => this.tokens.claim(PURPOSE, state, undefined));
      if (browser !== undefined) {
        this.cookies.clear(exchange, browser);
      }
    };
    return { ...attempt, asking: userId === undefined ? undefined : { userId, loginId }, state, end };
  }
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
