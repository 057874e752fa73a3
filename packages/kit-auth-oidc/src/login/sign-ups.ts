import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, type AuthAction, type TransportExchange, type UserId } from 'kit-auth';
import {
  ACCOUNT_CREATED,
  ActiveUserStore,
  conflict,
  isDisplayName,
  type LoginAnswer,
  rolesDetail,
} from 'kit-auth/extend';
import { isHashOf, OneTimeTokens } from 'kit-auth/one-time';
import { type Binding, BrowserCookies, ATTEMPT_SECONDS } from '../attempts/browser-cookies.js';
import type { Attempt } from '../attempts/attempts.js';
import { endedIfInvalid } from '../attempts/ended.js';
import type { ExternalIdentity } from '../contract/external-identity.js';
import { externalLoginFailed } from '../contract/refusals.js';
import { identityTaken, IdentityStore } from '../stores/identity.store.js';
import { ProviderLogins } from '../stores/provider-logins.js';
import { ExternalLogins } from './external.logins.js';
import { KnownAddresses } from './known.addresses.js';
import type { ReturnedLogin } from './returned-login.js';
import type { SignUp } from '../contract/sign-up-policy.js';
import { SignUpRules } from './sign-up.rules.js';

const PURPOSE = 'oidc-sign-up';
const MAX_NICKNAME = 255;

interface SignUpData {
  readonly login: ReturnedLogin;
  readonly address: string;
  readonly nickname: string;
  readonly decision: SignUp;
  readonly remember: boolean;
  /** One of both says who may complete the sign-up. */
  readonly browser?: Binding;
  readonly challenge?: string;
}

/** The members of a request that completes a sign-up. */
export interface Completion {
  readonly token: string;
  readonly nickname: string | undefined;
  /** Of an app, or of a page without cookies. */
  readonly verifier: string | undefined;
}

/** Accounts for unknown identities. None is created before the user has come back and seen where it goes. */
@Injectable()
export class SignUps {
  constructor(
    private readonly rules: SignUpRules,
    private readonly addresses: KnownAddresses,
    private readonly identities: IdentityStore,
    private readonly users: ActiveUserStore,
    private readonly tokens: OneTimeTokens,
    private readonly cookies: BrowserCookies,
    private readonly logins: ExternalLogins,
    private readonly providerLogins: ProviderLogins,
  ) {}

  /**
   * Offers an account.
   *
   * @returns the token that completes the sign-up
   * @throws AuthException 40114 `unverified`, `no-account` and `not-allowed`; 40900 `link` for the verified address of an
   * account; 50300
   */
  async offer(
    identity: ExternalIdentity,
    login: ReturnedLogin,
    { challenge, remember }: Attempt,
    exchange: TransportExchange,
    action: AuthAction,
  ): Promise<string> {
    const { address, isVerified, name } = identity;
    if (address === undefined || !isVerified) {
      throw externalLoginFailed('unverified'); // before any lookup, which would tell who has an account
    }
    const owner = await this.addresses.ownerOf(address.toLowerCase());
    if (owner !== undefined) {
      const detail = `${identity.provider}: link`;
      action.note({ type: 'external-login-failed', subjectId: owner, success: false, detail });
      throw linkFirst();
    }
    const decision = await this.rules.decide(identity);
    const data: SignUpData = {
      login,
      address,
      nickname: decision.nickname ?? nicknameOf(name, address),
      decision,
      remember,
      ...(challenge === undefined ? { browser: this.cookies.bind(exchange) } : { challenge }),
    };
    return (await this.tokens.issue({ purpose: PURPOSE, ttlSeconds: ATTEMPT_SECONDS, data })).token;
  }

  /**
   * Creates the account, and logs its user in.
   *
   * @param request its body has what steps of the login ask for
   * @returns the answer of the login, and whether the browser remembers it
   * @throws AuthException 40114 `state`, 40900 for an address or identity that is taken by now, 50300, and those of a login
   */
  async complete(
    { token, nickname, verifier }: Completion,
    request: { readonly body?: unknown },
    exchange: TransportExchange,
  ): Promise<{ answer: LoginAnswer; remember: boolean }> {
    // Before the first await. The name of the provider is not known yet.
    const begun = this.logins.begin('', request);
    const { data } = await endedIfInvalid(() => this.tokens.peek(PURPOSE, token));
    const signUp = data as SignUpData;
    const { login, remember, browser, challenge } = signUp;
    const isOwn =
      browser === undefined
        ? verifier !== undefined && isHashOf(verifier, challenge as string)
        : this.cookies.isBound(exchange.request, browser);
    if (!isOwn) {
      throw externalLoginFailed('state');
    }
    const chosen = { ...signUp, nickname: nickname ?? signUp.nickname };
    const userId = await this.create(token, chosen, begun.action);
    if (browser !== undefined) {
      this.cookies.clear(exchange, browser);
    }
    const first = `oidc:${login.provider}`;
    // Many providers do not say when they have asked their user. Without this, nothing could ever be added to the account.
    const factors = { ...login.factors, [ACCOUNT_CREATED]: Math.floor(Date.now() / 1000) };
    const answer = await this.logins.logIn(userId, { ...login, factors }, { ...begun, first });
    return { answer, remember };
  }

  /**
   * Before anything that a store without transactions would keep.
   *
   * @throws AuthException 40114 `state` for a sign-up that was completed in the meantime, and for one whose user has been logged
   * out by the provider, which would refuse the login once there is an account; otherwise 40900
   */
  private async requireFree(token: string, username: string, login: ReturnedLogin): Promise<void> {
    const { issuer, sub, sid, askedAt } = login;
    if (sub !== undefined && (await this.providerLogins.isLoggedOut({ issuer, sub, sid }, askedAt))) {
      throw externalLoginFailed('state');
    }
    const isAddressTaken = (await this.addresses.ownerOf(username)) !== undefined;
    if (isAddressTaken || (await this.identities.find(login)) !== undefined) {
      await endedIfInvalid(() => this.tokens.peek(PURPOSE, token));
      throw isAddressTaken ? conflict('There is an account with this address') : identityTaken();
    }
  }

  private async create(token: string, signUp: SignUpData, action: AuthAction): Promise<UserId> {
    const { login, address, nickname, decision } = signUp;
    const { provider, issuer, subject } = login;
    const username = address.toLowerCase();
    await this.requireFree(token, username, login);
    await this.rules.rolesOf(decision);
    return this.users.transaction(action, async (change) => {
      const { transaction } = change;
      const roles = await this.rules.rolesOf(decision, change);
      await endedIfInvalid(() => this.tokens.claim(PURPOSE, token, transaction));
      const userId = await this.users.createUser({ username, nickname, roles }, change);
      await this.addresses.keepVerified(userId, address, change);
      await this.identities.insert(userId, { provider, issuer, subject, address }, true, transaction);
      const detail = `oidc:${provider}, ${rolesDetail(roles)}`;
      await change.note({ type: 'registered', subjectId: userId, subject: username, detail });
      return userId;
    });
  }
}

function linkFirst(): AuthException {
  return AuthException.refusal(AuthErrorCode.CONFLICT, {
    reason: 'link',
    message: 'There is an account with this address. Log in the way you did before, then link this identity',
  });
}

/** The name at the provider, or the part of the address before the @. */
function nicknameOf(name: string | undefined, address: string): string {
  return isDisplayName(name, MAX_NICKNAME) ? name : address.slice(0, address.lastIndexOf('@'));
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    registered: true;
    /** A login with a provider has failed. The detail has the name of the provider, and the reason. */
    'external-login-failed': true;
  }
}
