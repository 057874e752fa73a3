import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { TransportExchange, TransportRequest, UserId } from 'kit-auth';
import { bindingsIn, bindToBrowser, isBoundTo, OneTimeTokens, unbindBrowser } from 'kit-auth/store';
import { oidcOptions, type ResolvedOidcOptions } from '../oidc.options.js';
import { externalLoginFailed, failedIfInvalid } from '../refusals.js';

/** The lifetime of an attempt. */
export const ATTEMPT_SECONDS = 600;
const PURPOSE = 'oidc-attempt';
const SECRET_BYTES = 32;
const COOKIE_PREFIX = 'kit-auth-oidc-';
/** Browsers limit the size of all cookies together. */
const MAX_COOKIES = 5;
/** 8 characters in base64url. */
const NAME_BYTES = 6;

/** The login that started a link or a re-authentication. */
export interface Initiator {
  readonly userId: UserId;
  /** Undefined if the implementation does not name logins. */
  readonly loginId: string | undefined;
}

export interface NewAttempt {
  readonly provider: string;
  /** `fresh` is a re-authentication. */
  readonly purpose: 'login' | 'link' | 'fresh';
  /** The page or the app where the attempt ends. */
  readonly returnTo: string;
  readonly remember: boolean;
  /** The hash of the verifier of an app, or of a page without cookies. They get a code. Undefined for pages with cookies. */
  readonly challenge: string | undefined;
  /** Undefined for a login. */
  readonly initiator: Initiator | undefined;
}

/** A visit to a provider: the user is there, and the browser has not come back. */
export interface Attempt extends NewAttempt {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
}

type AttemptData = Omit<Attempt, 'state' | 'initiator'> & {
  readonly loginId?: string;
  readonly browser?: Binding;
};

/** Stored for the cookie that binds an attempt or a sign-up to a browser. */
export interface Binding {
  readonly name: string;
  /** The hash of the secret. */
  readonly hash: string;
}

/** Binds each attempt to a browser by a cookie of its own, so that two tabs do not disturb each other. */
@Injectable()
export class BrowserCookies {
  private readonly isSecure: boolean;

  constructor(@Inject(oidcOptions.token) { settings }: ResolvedOidcOptions) {
    this.isSecure = settings.redirectBase?.startsWith('http:') !== true;
  }

  /** Sets a cookie, and clears the oldest of more than five. */
  bind(exchange: TransportExchange): Binding {
    const { isSecure } = this;
    const bound = bindingsIn(exchange.request, { name: COOKIE_PREFIX, isSecure });
    bound.slice(0, Math.max(0, bound.length - MAX_COOKIES + 1)).forEach((name) => {
      unbindBrowser(exchange, { name, isSecure });
    });
    const name = COOKIE_PREFIX + randomBytes(NAME_BYTES).toString('base64url');
    return { name, hash: bindToBrowser(exchange, { name, isSecure, seconds: ATTEMPT_SECONDS }) };
  }

  isBound(request: TransportRequest, { name, hash }: Binding): boolean {
    return isBoundTo(request, { name, isSecure: this.isSecure }, hash);
  }

  clear(exchange: TransportExchange, { name }: Binding): void {
    unbindBrowser(exchange, { name, isSecure: this.isSecure });
  }
}

/** Stores attempts. Each is a one-time token, its `state`. */
@Injectable()
export class Attempts {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly cookies: BrowserCookies,
  ) {}

  /**
   * @param exchange gets the cookie that binds the attempt to the browser. Undefined for a link or a re-authentication of an app:
   * its browser is another client, and only the app can complete the attempt, with its verifier
   */
  async begin(
    { initiator, ...wanted }: NewAttempt,
    exchange: TransportExchange | undefined,
  ): Promise<Attempt> {
    const attempt = { ...wanted, nonce: newSecret(), verifier: newSecret() };
    const data: AttemptData = {
      ...attempt,
      ...(initiator?.loginId !== undefined && { loginId: initiator.loginId }),
      ...(exchange && { browser: this.cookies.bind(exchange) }),
    };
    const { token } = await this.tokens.issue({
      purpose: PURPOSE,
      ttlSeconds: ATTEMPT_SECONDS,
      data,
      ...(initiator && { userId: initiator.userId }),
    });
    return { ...attempt, initiator, state: token };
  }

  /**
   * Reads an attempt. `end()` uses it up.
   *
   * @throws AuthException 40114 `state` if it has ended, or belongs to another provider or browser
   */
  async find(
    provider: string,
    state: string,
    exchange: TransportExchange,
  ): Promise<Attempt & { end(): Promise<void> }> {
    const { userId, data } = await failedIfInvalid(() => this.tokens.peek(PURPOSE, state));
    const { browser, loginId, ...attempt } = data as AttemptData;
    if (attempt.provider !== provider || (browser && !this.cookies.isBound(exchange.request, browser))) {
      throw externalLoginFailed('state');
    }
    const end = async () => {
      await failedIfInvalid(() => this.tokens.claim(PURPOSE, state, undefined));
      if (browser !== undefined) {
        this.cookies.clear(exchange, browser);
      }
    };
    return { ...attempt, initiator: userId === undefined ? undefined : { userId, loginId }, state, end };
  }
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
