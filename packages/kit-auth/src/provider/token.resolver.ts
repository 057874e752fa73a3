import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { AuthCredential, RequestedRoute } from '../contract/auth-credential.js';
import type { AuthProvider } from '../contract/auth-provider.js';
import type { LoginProof, Principal, ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { resolutions } from '../diagnostics/operation.js';
import { AUTH_USER_STORE, type AuthUserStore } from '../contract/user-store.js';
import { ActiveLogins } from './active.logins.js';
import { ActiveProvider } from './active.provider.js';
import { contributionsTo } from './contribution.js';
import { Contributions } from './contributions.js';
import { CREDENTIALS } from './ports.js';
import { requireDistinct } from './token-prefixes.js';
import { isPromiseLike } from '../errors/promise-like.js';
import { checkedLogin } from './resolved-login.js';

const NO_PROOF: LoginProof = Object.freeze({ factors: Object.freeze({}) });

/**
 * Resolves a token to a principal: with the credential whose prefix it has, otherwise with the provider. Returns no
 * promise when nothing has to be waited for.
 */
@Injectable()
export class TokenResolver implements OnModuleInit {
  private credentials: readonly AuthCredential[] = [];
  private idType: 'number' | 'string' = 'number';

  constructor(
    private readonly contributions: Contributions,
    private readonly discovery: DiscoveryService,
    private readonly active: ActiveProvider,
    private readonly logins: ActiveLogins,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  /** @throws IllegalStateException for a credential without a usable prefix, and when one prefix begins with another */
  onModuleInit(): void {
    if (!this.settings.enabled) {
      return;
    }
    const store = contributionsTo(this.discovery, AUTH_USER_STORE)[0]?.instance as AuthUserStore | undefined;
    this.idType = store?.idType ?? 'number';
    this.credentials = this.contributions.allTo(CREDENTIALS);
    requireDistinct(this.credentials, this.active.get());
  }

  /** @throws AuthException 40101 for an invalid token, 50300 when that cannot be found out */
  resolve(token: string): Principal | Promise<Principal> {
    const credential = this.credentialOf(token);
    return resolutions.isObserved
      ? resolutions.run({ scheme: this.schemeOf(credential) }, () => this.resolveWith(credential, token))
      : this.resolveWith(credential, token);
  }

  /** Asks the credential of a principal whether it may call a route. @throws AuthException when it may not */
  authorize(principal: Principal, route: () => RequestedRoute): void | Promise<void> {
    const credential = this.credentialOf(principal.token);
    return credential?.authorize?.(principal, route());
  }

  /** Tells the credential of a principal that its request has met all requirements. @returns what they answered */
  admitted(principal: Principal, checked: true | Promise<true>): true | Promise<true> {
    const credential = this.credentialOf(principal.token);
    if (credential?.admitted === undefined) {
      return checked;
    }
    const tell = (): true => {
      credential.admitted?.(principal);
      return true;
    };
    return isPromiseLike(checked) ? checked.then(tell) : tell();
  }

  /** Whether a token belongs to a credential rather than to the provider. */
  isOfCredential(token: string): boolean {
    return this.credentialOf(token) !== undefined;
  }

  private credentialOf(token: string): AuthCredential | undefined {
    return this.credentials.find(({ prefix }) => token.startsWith(prefix));
  }

  private resolveWith(credential: AuthCredential | undefined, token: string): Principal | Promise<Principal> {
    const login =
      credential === undefined ? askProvider(this.active.get(), token) : credential.resolve(token);
    return isPromiseLike(login)
      ? Promise.resolve(login).then((resolved) => this.principal(resolved, credential, token))
      : this.principal(login, credential, token);
  }

  private schemeOf(credential: AuthCredential | undefined): string {
    return credential?.scheme ?? this.active.get().extensionName;
  }

  private principal(
    login: ResolvedLogin,
    credential: AuthCredential | undefined,
    token: string,
  ): Principal | Promise<Principal> {
    const scheme = this.schemeOf(credential);
    const { user, proof } = checkedLogin(login, scheme, this.idType);
    const principal = { user, proof, scheme, token };
    const check = credential === undefined ? this.logins.check(principal) : undefined;
    return isPromiseLike(check) ? Promise.resolve(check).then(() => principal) : principal;
  }
}

function askProvider(provider: AuthProvider, token: string): ResolvedLogin | Promise<ResolvedLogin> {
  if (provider.resolve !== undefined) {
    return provider.resolve(token);
  }
  const user = provider.resolveToken(token);
  return isPromiseLike(user) ? Promise.resolve(user).then(withoutProof) : withoutProof(user);
}

function withoutProof(user: LoginUser): ResolvedLogin {
  return { user, proof: NO_PROOF };
}
