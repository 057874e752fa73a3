import { Injectable } from '@nestjs/common';
import type { AccountChange, Factor, LoginUser } from 'kit-auth';
import { Providers } from '../providers/providers.js';
import { IdentityStore } from '../stores/identity.store.js';

/** Linked identities as a factor: they log in alone, and confirm logins. */
@Injectable()
export class IdentityFactor implements Factor {
  readonly names = ['oidc'];
  readonly confirms = ['oidc'];
  readonly second = 'no';

  constructor(
    private readonly identities: IdentityStore,
    private readonly providers: Providers,
  ) {}

  async has({ userId }: LoginUser): Promise<readonly string[]> {
    const linked = await this.identities.listOf(userId);
    return linked.some((identity) => this.providers.ofIdentity(identity)?.fresh === true) ? this.names : [];
  }

  /** Counts each linked identity of a provider that still exists. */
  async canLogIn({ userId }: LoginUser, { transaction }: AccountChange): Promise<readonly string[]> {
    const linked = await this.identities.latestOf(userId, transaction);
    return linked.flatMap((identity) =>
      this.providers.ofIdentity(identity) === undefined ? [] : this.names,
    );
  }
}

/**
 * Trusted second factors at providers. Without this factor, the password alone could add a second factor here, in addition to the
 * one at the provider.
 */
@Injectable()
export class TrustedIdentityFactor implements Factor {
  readonly names = ['oidc'];
  readonly confirms = ['oidc'];
  readonly second = 'elsewhere';
  private readonly isUsed: boolean;

  constructor(
    private readonly identities: IdentityStore,
    private readonly providers: Providers,
  ) {
    this.isUsed = providers.all.some(({ mfa }) => mfa.length > 0);
  }

  /** Returns no promise if no provider is trusted. */
  has({ userId }: LoginUser): readonly string[] | Promise<readonly string[]> {
    return this.isUsed ? this.trustedOf(userId) : [];
  }

  private async trustedOf(userId: LoginUser['userId']): Promise<readonly string[]> {
    const linked = await this.identities.listOf(userId);
    const isTrusted = linked.some((identity) => this.providers.ofIdentity(identity)?.mfa.length);
    return isTrusted ? this.names : [];
  }
}
