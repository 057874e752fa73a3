import { type FactoryProvider, Module, type Type } from '@nestjs/common';
import {
  defineOptions,
  Option,
  FreshLogins,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';

export const adminOptions = defineOptions('kit.auth.admin', {
  /**
   * Days until an event of the audit log is deleted, 1 to 3650.
   *
   * The log is cleaned up after start-up and about every hour.
   * @default 365
   */
  auditRetentionDays: Option.integer({ min: 1, max: 3650, default: 365 }),
  /**
   * Requires a fresh login for dangerous changes, so that a stolen token is not enough.
   *
   * Dangerous changes grant administrative permissions, set a password, enable, disable, unlock or delete a user, end
   * sessions, or change or delete a role. A login that is not fresh gets 40120. The option applies only to the
   * endpoints of this package. It has no effect with implementations that keep no proof of logins.
   * @default true
   */
  freshAdmin: Option.flag({ default: true }),
});

/** Injection token of the argument of `KitAuthAdminModule.forRoot()`. */
export const ADMIN_MODULE_OPTIONS = Symbol.for('kit.auth.admin (module options)');

/** The argument of `KitAuthAdminModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthAdminOptions extends OptionsOf<typeof adminOptions> {}
export type ResolvedAdminOptions = ResolvedOptions<SettingsOf<typeof adminOptions>>;

/** The options `kit.auth.admin`, which all modules of the package share. */
@Module({
  providers: [adminOptions.provider(ADMIN_MODULE_OPTIONS)],
  exports: [adminOptions.token],
})
export class AdminOptionsModule {}

/** Switches `@RequireFresh()` off for controllers while `freshAdmin` is false. */
export function freshIfWanted(...controllers: Type[]): FactoryProvider {
  return {
    provide: Symbol('fresh logins of administrators'),
    inject: [adminOptions.token, FreshLogins],
    useFactory: ({ settings }: ResolvedAdminOptions, freshLogins: FreshLogins) => {
      if (!settings.freshAdmin) {
        freshLogins.switchOffFor(...controllers);
      }
    },
  };
}

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthAdminModule`, which its `forRoot()` overrides key by key. */
    admin?: KitAuthAdminOptions | undefined;
  }
}
