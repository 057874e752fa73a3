import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { Ports } from '../ports/ports.js';
import { ActiveUserStore, type OptionalMethod } from '../users/active.user-store.js';

/** The features that applications miss first. `kit.auth.jwt.checkStamp`, which needs `stampOf`, is off by default. */
const FEATURES: readonly (readonly [feature: string, ...methods: OptionalMethod[]])[] = [
  ['POST login', 'findByUsername'],
  ['POST password', 'findByUsername', 'changePassword'],
  ['the default administrator', 'ensureAdministrator'],
  ['the renewal of outdated password hashes', 'findByUsername', 'renewHash'],
];

/** Logs at start-up the features that are off or less safe, because the user store lacks methods. */
@Injectable()
export class StoreFeatures implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');

  constructor(
    private readonly users: ActiveUserStore,
    private readonly ports: Ports,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  onModuleInit(): void {
    if (!this.settings.enabled) {
      return;
    }
    const off = FEATURES.map(([feature, ...methods]) => ({
      feature,
      missing: methods.filter((method) => !this.users.has(method)),
    }))
      .filter(({ missing }) => missing.length > 0)
      .map(({ feature, missing }) => `${feature} (${missing.join(', ')})`);
    const { name } = this.users.get().constructor;
    if (off.length > 0) {
      this.logger.log(`[auth] off, because the user store ${name} lacks methods: ${off.join('; ')}`);
    }
    this.warnOfRaces(name);
  }

  /** The password is always among the factors. */
  private warnOfRaces(name: string): void {
    const missing = (['transaction', 'renewStamp'] as const).filter((method) => !this.users.has(method));
    if (missing.length > 0 && this.ports.factors.length > 1) {
      this.logger.warn(
        `[auth] the user store ${name} lacks ${missing.join(' and ')}: what an administrator removes, such as passkeys, may ` +
          'come back with a request at the same moment. Add the method to the store',
      );
    }
  }
}
