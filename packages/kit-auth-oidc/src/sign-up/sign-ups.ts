import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, type AuthAction, type TransportExchange, type UserId } from 'kit-auth';
import { ACCOUNT_CREATED, type LoginAnswer } from 'kit-auth/login';
import { ActiveUserStore, conflict, isDisplayName, rolesDetail } from 'kit-auth/feature';
import { isHashOf, OneTimeTokens } from 'kit-auth/store';
import { IdentityLogin, type ProviderLogin } from '../identities/identity.login.js';
import type { SignUp } from '../oidc.options.js';
import type { ExternalIdentity } from '../providers/external-identity.js';
import { externalLoginFailed, failedIfInvalid } from '../refusals.js';
import { type Attempt, ATTEMPT_SECONDS, type Binding, BrowserCookies } from '../start/attempts.js';
import { IdentityStore, identityTaken } from '../stores/identity.store.js';
import { ProviderLogins } from '../stores/provider-logins.js';
import { AccountAddresses } from './account.addresses.js';
import { SignUpRules } from './sign-up.rules.js';

const PURPOSE = 'oidc-sign-up';
const MAX_NICKNAME = 255;

interface SignUpData {
  readonly login: ProviderLogin;
  readonly address: string;
  readonly nickname: string;
  readonly decision: SignUp;
  readonly remember: boolean;
  /** Either binds the sign-up to a browser, or to the app that has the verifier. */
  readonly browser?: Binding;
  readonly challenge?: string;
}

/** The body that completes a sign-up. */
export interface Completion {
  readonly token: string;
  readonly nickname?: string | undefined;
  /** Sent by an app, or by a page without cookies. */
  readonly verifier?: string | undefined;
}

/** Creates accounts for unknown identities, after the user has confirmed the offer. */
@Injectable()
export class SignUps {
  constructor(
    private readonly rules: SignUpRules,
    private readonly addresses: AccountAddresses,
    private readonly identities: IdentityStore,
    private readonly users: ActiveUserStore,
    private readonly tokens: OneTimeTokens,
    private readonly cookies: BrowserCookies,
    private readonly logins: IdentityLogin,
    private readonly providerLogins: ProviderLogins,
  ) {}

  /**
   * Offers an account.
   *
   * @returns the token that completes the sign-up
   * @throws AuthException 40114 `unverified`, `no-account` and `not-allowed`; 40900 `link` if an account has the verified address;
   * 50300
   */
  async offer(
    identity: ExternalIdentity,
    login: ProviderLogin,
    { challenge, remember }: Attempt,
    exchange: TransportExchange,
    action: AuthAction,
  ): Promise<string> {
    const { address, isVerified, name } = identity;
    if (address === undefined || !isVerified) {
      throw externalLoginFailed('unverified'); // before the lookup, which would reveal accounts
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
   * @param request its body has the fields of login steps
   * @throws AuthException 40114 `state`, 40900 if the address or identity was taken meanwhile, 50300, and the refusals of a login
   */
  async complete(
    { token, nickname, verifier }: Completion,
    request: { readonly body?: unknown },
    exchange: TransportExchange,
  ): Promise<LoginAnswer> {
    const begun = this.logins.begin(request); // before the first await
    const { data } = await failedIfInvalid(() => this.tokens.peek(PURPOSE, token));
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
    // Many providers send no auth_time. Without this factor, the user could never add anything to the account.
    const factors = { ...login.factors, [ACCOUNT_CREATED]: Math.floor(Date.now() / 1000) };
    return { ...(await this.logins.logIn(userId, { ...login, factors }, begun)), remember };
  }

  /**
   * Runs before the first write, because a store without transactions cannot undo one.
   *
   * @throws AuthException 40114 `state` if the sign-up was completed meanwhile, or the provider logged the user out: the new
   * account could not log in. Otherwise 40900
   */
  private async requireFree(token: string, username: string, login: ProviderLogin): Promise<void> {
    const { issuer, sub, sid, askedAt } = login;
    if (sub !== undefined && (await this.providerLogins.isLoggedOut({ issuer, sub, sid }, askedAt))) {
      throw externalLoginFailed('state');
    }
    const isAddressTaken = (await this.addresses.ownerOf(username)) !== undefined;
    if (isAddressTaken || (await this.identities.find(login)) !== undefined) {
      await failedIfInvalid(() => this.tokens.peek(PURPOSE, token));
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
      await failedIfInvalid(() => this.tokens.claim(PURPOSE, token, transaction));
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

/** Returns the name at the provider, or the local part of the address. */
function nicknameOf(name: string | undefined, address: string): string {
  return isDisplayName(name, MAX_NICKNAME) ? name : address.slice(0, address.lastIndexOf('@'));
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    registered: true;
    /** A login with a provider failed. The detail has the name of the provider, and the reason. */
    'external-login-failed': true;
  }
}
