import {
  defineOptions,
  flag,
  integer,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/extend';

export const adminOptions = defineOptions('kit.auth.admin', {
  /**
   * Days until an event of the audit log is deleted, 1 to 3650.
   *
   * The log is cleaned up after start-up and about every hour.
   * @default 365
   */
  auditRetentionDays: integer({ min: 1, max: 3650, default: 365 }),
  /**
   * Whether dangerous changes need a fresh login, so that a stolen token is not enough for them.
   *
   * Dangerous changes grant administrative permissions, set a password, enable, disable, unlock or delete a user, end
   * sessions, or change or delete a role. A login that is not fresh gets 40120. The option applies only to the
   * endpoints of this package. It has no effect with implementations that keep no proof of logins.
   * @default true
   */
  freshAdmin: flag({ default: true }),
});

/** Injection token of the argument of `KitAuthAdminModule.forRoot()`. */
export const ADMIN_MODULE_OPTIONS = Symbol.for('kit.auth.admin (module options)');

/** The argument of `KitAuthAdminModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthAdminOptions extends OptionsOf<typeof adminOptions> {}
export type ResolvedAdminOptions = ResolvedOptions<SettingsOf<typeof adminOptions>>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthAdminModule`, which its `forRoot()` overrides key by key. */
    admin?: KitAuthAdminOptions | undefined;
  }
}
