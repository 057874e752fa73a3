import { Inject, Injectable, Logger } from '@nestjs/common';
import type { BegunLogin, LoginAttempt, LoginStep, NamedLogin, UserId } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { describeError, withinDeadline } from 'kit-auth/tools';
import { type LoginAnswer, LoginFlow } from 'kit-auth/login';
import { oidcOptions, type OidcSettings, type ResolvedOidcOptions } from '../oidc.options.js';
import type { ExternalLogin } from '../providers/external-identity.js';
import type { ProviderSettings } from '../providers/providers.js';
import { externalLoginFailed } from '../refusals.js';
import { IdentityStore } from '../stores/identity.store.js';
import { ProviderLogins } from '../stores/provider-logins.js';

/** The first factor, before the name of the provider. */
const FIRST = 'oidc:';
const LISTENER_MS = 2000;
/** For logins without a known end. */
const LONGEST_MS = 400 * 24 * 60 * 60 * 1000;

/** Facts about the provider login that are stored with ours. They are small, and contain no tokens. */
export interface ProviderLogin {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /**
   * For the proof: when the provider asked its user, in seconds since 1970. 0 if unknown: such a login is never fresh. `mfa` if
   * the provider asked for a second factor, and is trusted with it.
   */
  readonly factors: { readonly oidc: number; readonly mfa?: number };
  /** The `sub` and the `sid` of the ID token, for back-channel logout. */
  readonly sub?: string | undefined;
  readonly sid?: string | undefined;
  /** When we redeemed the code, in milliseconds since 1970. A later logout at the provider ends the login. */
  readonly askedAt: number;
}

/** Stored with the pending login. */
export type LoginMemo = Omit<ProviderLogin, 'factors'>;

export function providerLoginOf(
  { mfa, fresh }: ProviderSettings,
  { identity, authTime = 0, sub, sid, methods }: ExternalLogin,
  askedAt: number,
): ProviderLogin {
  const { provider, issuer, subject } = identity;
  const time = fresh ? authTime : 0;
  const hasSecondFactor = methods.some((method) => mfa.includes(method));
  const factors = { oidc: time, ...(hasSecondFactor && { mfa: time }) };
  return { provider, issuer, subject, factors, sub, sid, askedAt };
}

/** Logs users in with linked identities. */
@Injectable()
export class IdentityLogin implements LoginStep {
  private readonly logger = new Logger('KitAuth');
  private readonly onLogin: OidcSettings['onLogin'];

  constructor(
    private readonly flow: LoginFlow,
    private readonly users: ActiveUserStore,
    private readonly identities: IdentityStore,
    private readonly providerLogins: ProviderLogins,
    @Inject(oidcOptions.token) { settings }: ResolvedOidcOptions,
  ) {
    this.onLogin = settings.onLogin;
  }

  /**
   * Begins a login. Call this before the first `await`.
   *
   * @param request its body has the fields of login steps
   */
  begin(request?: { readonly body?: unknown }): BegunLogin {
    return this.flow.begin(FIRST, request);
  }

  /**
   * @throws AuthException 40111 for a disabled user, 40112 for a user with a second factor, 50300, and the refusals of login
   * steps
   */
  logIn(userId: UserId, { factors, ...memo }: ProviderLogin, begun: BegunLogin): Promise<LoginAnswer> {
    return this.flow.logInAs(userId, factors, { ...begun, first: FIRST + memo.provider, memo });
  }

  /** Calls `onLogin` of the application. Never rejects. */
  async callOnLogin({ identity, tokens }: ExternalLogin, userId: UserId): Promise<void> {
    const { onLogin } = this;
    if (onLogin === undefined) {
      return;
    }
    try {
      const user = await this.users.loadLoginUser(userId);
      if (user !== undefined) {
        await withinDeadline(LISTENER_MS, Promise.resolve(onLogin(identity, tokens, user)));
      }
    } catch (error) {
      this.logger.error(`[oidc] onLogin failed: ${describeError(error)}`);
    }
  }

  /**
   * Stores the login for back-channel logout.
   *
   * @throws AuthException 40114 `state` if the identity was removed since the login began, or the provider logged its user out
   */
  async opened({ user, loginId, endsAt }: NamedLogin, { first, memo }: LoginAttempt): Promise<void> {
    if (memo === undefined || !first.startsWith(FIRST)) {
      return;
    }
    const { provider, issuer, subject, sub, sid, askedAt } = memo as LoginMemo;
    const isStored = loginId !== undefined && sub !== undefined;
    if (isStored) {
      await this.providerLogins.insert({
        id: loginId,
        userId: String(user.userId),
        provider,
        issuer,
        subject: sub,
        sid: sid ?? null,
        expiresAt: endsAt === undefined ? Date.now() + LONGEST_MS : endsAt * 1000,
      });
    }
    // After the row is stored: a logout that is not found yet will find the row.
    const isLoggedOut = isStored && (await this.providerLogins.isLoggedOut({ issuer, sub, sid }, askedAt));
    const identity = isLoggedOut ? undefined : await this.identities.find({ issuer, subject });
    if (identity?.userId !== user.userId) {
      await this.providerLogins.remove(isStored ? [loginId] : []);
      throw externalLoginFailed('state');
    }
  }
}
