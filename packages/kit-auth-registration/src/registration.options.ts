import type {} from 'kit-auth';
import {
  Option,
  defineOptions,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';

export const registrationOptions = defineOptions('kit.auth.registration', {
  /**
   * Registration is open to everyone (`'open'`), or only to invited users (`'invited'`).
   * @default 'open'
   */
  mode: Option.choice(['open', 'invited'], { default: 'open' }),
  /**
   * The roles of every new account. Start-up fails if one grants `auth`, `auth:...`, or a permission that begins with `*`.
   *
   * Invited users get these roles in addition to those of the invitation.
   * @default none
   */
  roles: new Option<readonly string[]>({
    default: [],
    check: (value) =>
      Array.isArray(value) && value.every((role) => typeof role === 'string' && role.trim() !== '')
        ? undefined
        : 'must be a list of role codes',
    parse: Option.parseList,
  }),
});

/** The argument of `KitAuthRegistrationModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthRegistrationOptions extends OptionsOf<typeof registrationOptions> {}
export type RegistrationSettings = SettingsOf<typeof registrationOptions>;
export type ResolvedRegistrationOptions = ResolvedOptions<RegistrationSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthRegistrationModule`, which its `forRoot()` overrides key by key. */
    registration?: KitAuthRegistrationOptions | undefined;
  }
}
