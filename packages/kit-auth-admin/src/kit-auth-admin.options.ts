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
   * Whether dangerous changes need a fresh login, so that a stolen token is not enough.
   *
   * This is to grant administrative permissions, to set a password, to enable, disable, unlock or delete a user, to end
   * sessions, and to change or delete a role. A login that is not fresh gets 40120. The option applies to the endpoints of
   * this package only. Implementations that keep no proof of logins do without.
   * @default true
   */
  freshAdmin: flag({ default: true }),
});

/** Injection token of what `KitAuthAdminModule.forRoot()` was given. */
export const ADMIN_MODULE_OPTIONS = Symbol.for('kit.auth.admin (module options)');

/** What `KitAuthAdminModule.forRoot()` takes. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthAdminOptions extends OptionsOf<typeof adminOptions> {}
export type ResolvedAdminOptions = ResolvedOptions<SettingsOf<typeof adminOptions>>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthAdminModule`, which its `forRoot()` overrides key by key. */
    admin?: KitAuthAdminOptions | undefined;
  }
}
