import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  type AccountChange,
  AuthErrorCode,
  AuthException,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
} from 'kit-auth';
import { ActiveUserStore, areAdministrative, isAdminPermission } from 'kit-auth/feature';
import { describeError, withinDeadline } from 'kit-auth/tools';
import {
  oidcOptions,
  type OidcSettings,
  type ResolvedOidcOptions,
  type SignUp,
  type SignUpPolicy,
} from '../oidc.options.js';
import type { ExternalIdentity } from '../providers/external-identity.js';
import { externalLoginFailed } from '../refusals.js';
import { AccountAddresses } from './account.addresses.js';

/** Admits unknown identities, and chooses the roles of their accounts. A sign-up must not create administrators. */
@Injectable()
export class SignUpRules implements OnApplicationBootstrap {
  private readonly logger = new Logger('KitAuth');
  private readonly settings: OidcSettings;
  private policy: SignUpPolicy | undefined;

  constructor(
    private readonly users: ActiveUserStore,
    private readonly addresses: AccountAddresses,
    private readonly moduleRef: ModuleRef,
    @Inject(oidcOptions.token) { settings }: ResolvedOidcOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {
    this.settings = settings;
  }

  /** @throws IllegalStateException if `signUp` or `roles` cannot be used in this application */
  async onApplicationBootstrap(): Promise<void> {
    const { signUp, roles } = this.settings;
    if (!this.core.enabled || signUp === 'off') {
      return;
    }
    this.users.require('kit.auth.oidc.signUp', 'createUser', 'stampOf');
    if (typeof signUp === 'function') {
      this.policy = this.resolve(signUp);
    } else if (!this.addresses.areKnown) {
      throw new IllegalStateException(
        "kit.auth.oidc.signUp must not be 'open' in an application that does not know the addresses of its users: it could " +
          'create a second account for the same person. Import KitAuthEmailModule, provide AUTH_ADDRESSES, or use a policy of your own.',
      );
    }
    const problem = roles.length === 0 ? undefined : await this.problemWith(roles);
    if (problem !== undefined) {
      throw new IllegalStateException(`kit.auth.oidc.roles ${problem}`);
    }
  }

  /** @throws AuthException 40114 `no-account` and `not-allowed`, 50300 if the policy fails */
  async decide(identity: ExternalIdentity): Promise<SignUp> {
    const { signUp, roles } = this.settings;
    if (signUp === 'off') {
      throw externalLoginFailed('no-account');
    }
    const { policy } = this;
    if (policy === undefined) {
      return { roles };
    }
    const decision = await this.ask(policy, identity);
    if (decision === undefined) {
      throw externalLoginFailed('not-allowed');
    }
    return decision;
  }

  /**
   * Checks the current permissions of the roles of a new account.
   *
   * @throws AuthException 50300 if a role does not exist, or is administrative
   */
  async rolesOf({ roles = [] }: SignUp, change?: AccountChange): Promise<readonly string[]> {
    const problem = roles.length === 0 ? undefined : await this.problemWith(roles, change);
    if (problem !== undefined) {
      this.logger.error(`[oidc] a sign-up is not possible: it ${problem}`);
      throw AuthException.refusal(AuthErrorCode.AUTH_UNAVAILABLE);
    }
    return roles;
  }

  private resolve(type: Exclude<OidcSettings['signUp'], string>): SignUpPolicy {
    try {
      return this.moduleRef.get<SignUpPolicy>(type, { strict: false });
    } catch {
      throw new IllegalStateException(
        `kit.auth.oidc.signUp names the class ${type.name}, which no module provides. Add it to the providers of one.`,
      );
    }
  }

  private async ask(policy: SignUpPolicy, identity: ExternalIdentity): Promise<SignUp | undefined> {
    try {
      const decision = Promise.resolve(policy.decide(identity));
      return (await withinDeadline(this.core.extensionTimeoutMs, decision)) ?? undefined;
    } catch (error) {
      this.logger.error(`[oidc] ${policy.constructor.name}.decide() failed: ${describeError(error)}`);
      throw AuthException.refusal(AuthErrorCode.AUTH_UNAVAILABLE);
    }
  }

  private async problemWith(roles: readonly string[], change?: AccountChange): Promise<string | undefined> {
    this.users.require('kit.auth.oidc.roles', 'grantsOf');
    for (const role of roles) {
      const grants = await this.users.grantsOf([role], change);
      if (grants === undefined) {
        return `names the role ${role}, which does not exist. Create it, for example in a migration.`;
      }
      if (areAdministrative(grants)) {
        const permission = grants.superAdmin ? 'everything' : grants.permissions.find(isAdminPermission);
        return `names the role ${role}, which grants ${permission}. New accounts would be administrators.`;
      }
    }
    return undefined;
  }
}
