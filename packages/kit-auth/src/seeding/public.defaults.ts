import { Inject, Injectable } from '@nestjs/common';
import { variableOf } from '../config/define-options.js';
import { BUILT_IN_ADMIN_PASSWORD } from '../config/kit-auth.options.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { IllegalStateException } from '../errors/auth.exception.js';
import { Ports } from '../ports/ports.js';
import { ActiveUserStore } from '../users/active.user-store.js';

/** The option with the password of the administrator. */
export const ADMIN_PASSWORD_KEY = 'kit.auth.defaultAdminPassword';

/** A secret or password in use that is published in the source code of kit-auth. */
export interface PublicDefault {
  /** The key of the option in full. */
  readonly key: string;
  readonly problem: string;
  readonly cure: string;
}

/** Refuses public defaults with `kit.auth.strict`, which is on in production unless it is set. */
@Injectable()
export class PublicDefaults {
  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly ports: Ports,
    private readonly users: ActiveUserStore,
  ) {}

  /** The options that have public defaults. Reads no database. */
  options(): PublicDefault[] {
    const placeholders = this.ports.provider?.placeholders ?? [];
    const isPasswordPublic =
      this.settings.defaultAdminPassword === BUILT_IN_ADMIN_PASSWORD && this.users.has('ensureAdministrator');
    return [
      ...placeholders.map((key) =>
        publicDefault(key, 'is the built-in placeholder', 'to what "npx kit-auth secret" prints'),
      ),
      ...(isPasswordPublic
        ? [publicDefault(ADMIN_PASSWORD_KEY, 'is the built-in default', 'to a password of your own')]
        : []),
    ];
  }

  /** Called before the administrator is seeded. @throws IllegalStateException with `kit.auth.strict` */
  check(): void {
    this.refuse(this.options());
  }

  /**
   * Called after the administrator is seeded.
   *
   * @param hasDefaultPassword whether the administrator has the built-in default password
   * @throws IllegalStateException with `kit.auth.strict`
   */
  checkSeeded(hasDefaultPassword: boolean): void {
    this.refuse(hasDefaultPassword ? [STORED_PASSWORD] : []);
  }

  private refuse(found: readonly PublicDefault[]): void {
    const { strict = process.env['NODE_ENV'] === 'production' } = this.settings;
    if (strict && found.length > 0) {
      throw new IllegalStateException(
        `kit.auth.strict refuses what everybody can read in the source code. ${sentences(found)}`,
      );
    }
  }
}

/** The password of an administrator in the database. */
const STORED_PASSWORD: PublicDefault = {
  key: ADMIN_PASSWORD_KEY,
  problem: 'The administrator still has the built-in default password.',
  cure: 'Change it with "npx kit-auth user password <username>".',
};

function publicDefault(key: string, problem: string, value: string): PublicDefault {
  return { key, problem: `${key} ${problem}.`, cure: `Set it, or ${variableOf(key)}, ${value}.` };
}

function sentences(found: readonly PublicDefault[]): string {
  return found.map(({ problem, cure }) => `${problem} ${cure}`).join(' ');
}
