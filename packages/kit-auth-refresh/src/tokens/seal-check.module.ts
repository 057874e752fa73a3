import { Inject, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';

const UNSEALED =
  'kit.auth.jwt.secret is missing, with which kit-auth-refresh seals a column of auth_login, also where kit.auth.jwt.keys sign ' +
  'tokens. Keep the secret that signed tokens before, or set one that "npx kit-auth secret" prints.';

/** Requires a secret for `FamilySeal` at start-up. A module, because commands of `npx kit-auth` skip its hook. */
@Module({})
export class SealCheckModule implements OnModuleInit {
  constructor(@Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings) {}

  /** @throws IllegalStateException with `kit.auth.strict`, when no secret seals the families of logins */
  onModuleInit(): void {
    const { enabled, strict, jwt } = this.core;
    if (!enabled || jwt.keys === undefined || jwt.secret !== undefined) {
      return;
    }
    if (strict === true) {
      throw new IllegalStateException(`kit.auth.strict refuses this: ${UNSEALED}`);
    }
    new Logger('KitAuth').warn(`[refresh] ${UNSEALED}`);
  }
}
