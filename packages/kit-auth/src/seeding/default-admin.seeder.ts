import { Inject, Injectable, Logger } from '@nestjs/common';
import { ResolvedOptions } from '../config/define-options.js';
import { BUILT_IN_ADMIN_PASSWORD, kitAuthOptions } from '../config/kit-auth.options.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { PasswordHashing } from '../passwords/password.hashing.js';

/**
 * Creates the default administrator when the application is ready. Changes nothing if there is an administrator
 * already.
 */
@Injectable()
export class DefaultAdminSeeder {
  private readonly logger = new Logger('KitAuth');

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    @Inject(kitAuthOptions.token) private readonly options: ResolvedOptions<KitAuthSettings>,
    private readonly users: ActiveUserStore,
    private readonly hashing: PasswordHashing,
  ) {}

  /**
   * Called at start-up.
   *
   * @returns whether the administrator has the built-in default password
   * @throws IllegalStateException when the user store fails, or lacks a method that an option needs
   */
  async seed(): Promise<boolean> {
    for (const key of ['defaultAdminUsername', 'defaultAdminPassword'] as const) {
      if (this.options.given[key] !== undefined) {
        this.users.require(`kit.auth.${key}`, 'ensureAdministrator');
      }
    }
    if (!this.users.has('ensureAdministrator')) {
      return false;
    }
    const started = performance.now();
    const hasDefaultPassword = await this.ensureAdministrator();
    const took = Math.round(performance.now() - started);
    this.logger.debug(`[auth] default administrator initialization finished, took ${took}ms`);
    if (hasDefaultPassword) {
      this.logger.warn(
        '[auth] the administrator still has the built-in default password; change it, and override ' +
          'kit.auth.defaultAdminPassword in production',
      );
    }
    return hasDefaultPassword;
  }

  /** @returns whether the administrator has the built-in default password */
  private async ensureAdministrator(): Promise<boolean> {
    const { defaultAdminUsername: username, defaultAdminPassword: password } = this.settings;
    const administrator = await this.users.get().ensureAdministrator?.({
      username,
      hash: () => this.hashing.hash(password),
      verify: (storedHash) => this.hashing.verify(password, storedHash),
    });
    switch (administrator?.outcome) {
      case 'present':
        return this.hashing.verify(BUILT_IN_ADMIN_PASSWORD, administrator.passwordHash);
      case 'created':
        this.logger.debug(`[auth] default administrator account created: ${username}`);
        return password === BUILT_IN_ADMIN_PASSWORD;
      case 'bound':
        return password === BUILT_IN_ADMIN_PASSWORD;
      default:
        this.logger.warn(
          '[auth] there is no administrator: the account named kit.auth.defaultAdminUsername is not bound to ' +
            'SUPER_ADMIN, and it is not bound now because it does not have the password kit.auth.defaultAdminPassword',
        );
        return false;
    }
  }
}
