import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import {
  type AccountChange,
  AuthErrorCode,
  AuthException,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
} from 'kit-auth';
import { ActiveUserStore, areAdministrative, isAdminPermission } from 'kit-auth/feature';
import { registrationOptions, type ResolvedRegistrationOptions } from '../registration.options.js';

/** The roles of every new account. Registration must not create administrators. */
@Injectable()
export class DefaultRoles implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('KitAuth');
  private readonly roles: readonly string[];

  constructor(
    private readonly users: ActiveUserStore,
    @Inject(registrationOptions.token) { settings }: ResolvedRegistrationOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {
    this.roles = settings.roles;
  }

  /** @throws IllegalStateException for roles with a user store that has none */
  onModuleInit(): void {
    if (this.core.enabled && this.roles.length > 0) {
      this.users.require('kit.auth.registration.roles', 'grantsOf');
    }
  }

  /** @throws IllegalStateException that names a missing or administrative role */
  async onApplicationBootstrap(): Promise<void> {
    const problem = this.core.enabled ? await this.problem() : undefined;
    if (problem !== undefined) {
      throw new IllegalStateException(problem);
    }
  }

  /**
   * Returns the roles. Checks them again, because they may have changed since start-up.
   *
   * @throws AuthException 50300 when one of them does not exist, or is administrative
   */
  async get(change?: AccountChange): Promise<readonly string[]> {
    const problem = await this.problem(change);
    if (problem !== undefined) {
      this.logger.error(`[auth] registration is not possible: ${problem}`);
      throw AuthException.refusal(AuthErrorCode.AUTH_UNAVAILABLE);
    }
    return this.roles;
  }

  private async problem(change?: AccountChange): Promise<string | undefined> {
    const together = await this.users.grantsOf(this.roles, change);
    if (together !== undefined && !areAdministrative(together)) {
      return undefined;
    }
    for (const role of this.roles) {
      const grants = await this.users.grantsOf([role], change);
      if (grants === undefined) {
        return `kit.auth.registration.roles names the role ${role}, which does not exist. Create it, for example in a migration.`;
      }
      const [permission] = grants.superAdmin ? ['everything'] : grants.permissions.filter(isAdminPermission);
      if (permission !== undefined) {
        return (
          `kit.auth.registration.roles names the role ${role}, which grants ${permission}. ` +
          'Whoever registers would be an administrator: remove the role from this option.'
        );
      }
    }
    return 'kit.auth.registration.roles names roles that are being changed. Try again.';
  }
}
