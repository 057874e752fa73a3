import { Inject, Injectable } from '@nestjs/common';
import { notFound } from 'kit-auth/feature';
import { oidcOptions, type ResolvedOidcOptions } from '../oidc.options.js';
import type { OidcProvider } from './provider.options.js';

/** The options with defaults. */
type Completed = 'title' | 'authMethod' | 'scopes' | 'subject' | 'emailVerified' | 'mfa' | 'fresh';

/** A provider with the defaults of its options. */
export type ProviderSettings = Omit<OidcProvider, Completed> & {
  readonly [Key in Completed]-?: NonNullable<OidcProvider[Key]>;
} & {
  /** The URL of the callback. */
  readonly redirectUri: string;
};

/** The providers of the application. */
@Injectable()
export class Providers {
  readonly all: readonly ProviderSettings[];

  constructor(@Inject(oidcOptions.token) { settings }: ResolvedOidcOptions) {
    this.all = settings.providers.map((provider) => ({
      ...provider,
      title: provider.title ?? provider.name,
      authMethod: provider.authMethod ?? 'client_secret_basic',
      scopes: provider.scopes ?? 'openid email profile',
      subject: provider.subject ?? 'sub',
      emailVerified: provider.emailVerified ?? 'claim',
      mfa: settings.secondFactor === 'trust' ? (provider.mfa ?? []) : [],
      fresh: provider.fresh ?? provider.oauth2 === undefined,
      redirectUri: `${settings.redirectBase}/v1/api/auth/oidc/${provider.name}/callback`,
    }));
  }

  /** @throws AuthException 40400 */
  get(name: string): ProviderSettings {
    const found = this.find(name);
    if (found === undefined) {
      throw notFound('Provider');
    }
    return found;
  }

  /** Finds the provider of an identity. Undefined if it was removed from the options, or has another issuer now. */
  ofIdentity({
    provider,
    issuer,
  }: {
    readonly provider: string;
    readonly issuer: string;
  }): ProviderSettings | undefined {
    const found = this.find(provider);
    return found?.issuer === issuer ? found : undefined;
  }

  /** Undefined if the provider was removed from the options. */
  find(name: string): ProviderSettings | undefined {
    return this.all.find((provider) => provider.name === name);
  }
}
