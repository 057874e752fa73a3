import { Inject, Injectable } from '@nestjs/common';
import { badRequest } from 'kit-auth/feature';
import { TransportExchanges } from 'kit-auth/login';
import { oidcOptions, type ResolvedOidcOptions } from '../oidc.options.js';
import { isAllowed } from './return-to.js';

const CHALLENGE = /^[\w-]{43}$/;

/** The page or the app where an attempt ends. */
export interface Destination {
  readonly returnTo: string;
  /** Undefined for a page with cookies. Others get a code, and exchange it with the verifier of this hash. */
  readonly challenge: string | undefined;
}

/** The pages and apps where attempts may end. */
@Injectable()
export class Destinations {
  private readonly allowed: readonly string[];
  private readonly ownOrigin: string;

  constructor(
    @Inject(oidcOptions.token) { settings }: ResolvedOidcOptions,
    private readonly exchanges: TransportExchanges,
  ) {
    this.allowed = settings.returnTo;
    this.ownOrigin = settings.redirectBase === undefined ? '' : new URL(settings.redirectBase).origin;
  }

  /** The page after a logout. Undefined if all destinations are apps. */
  get page(): string | undefined {
    return this.allowed.find((url) => /^https?:/.test(url));
  }

  /**
   * Reads the destination of an attempt.
   *
   * @throws AuthException 40000 for a URL that `kit.auth.oidc.returnTo` does not allow, for a page or an app without cookies that
   * sends no challenge, and for a page without cookies that has a query
   */
  read(returnTo: unknown = this.allowed[0], challenge?: unknown): Destination {
    if (typeof returnTo !== 'string' || !isAllowed(returnTo, this.allowed)) {
      throw badRequest('"returnTo" must be one of the URLs in kit.auth.oidc.returnTo');
    }
    if (this.hasCookies(returnTo)) {
      return { returnTo, challenge: undefined };
    }
    if (typeof challenge !== 'string' || !CHALLENGE.test(challenge)) {
      throw badRequest(
        '"challenge" must be the SHA-256 of a random verifier in base64url: this page or app gets no cookies',
      );
    }
    // An attacker may have chosen the challenge, so an open redirect would leak the code.
    if (/^https?:.*\?/.test(returnTo)) {
      throw badRequest('"returnTo" must not have a query: this page gets a code');
    }
    return { returnTo, challenge };
  }

  /** Whether cookies with `SameSite=Strict` carry the token of a page. */
  get areStrict(): boolean {
    return this.exchanges.pages?.sameSite === 'strict';
  }

  private hasCookies(returnTo: string): boolean {
    const { pages } = this.exchanges;
    const { origin } = new URL(returnTo);
    return pages !== undefined && (origin === this.ownOrigin || pages.origins.includes(origin));
  }
}
