import {
  defineOptions,
  Option,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';

export const helloOptions = defineOptions('kit.auth.hello', {
  /**
   * First word of the greeting, 1 to 40 characters.
   * @default 'Hello'
   */
  greeting: new Option<string>({
    default: 'Hello',
    check: (value) =>
      typeof value === 'string' && value !== '' && value.length <= 40
        ? undefined
        : 'must be a string of 1 to 40 characters',
    parse: (value) => value,
  }),
});

/** The argument of `KitAuthHelloModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthHelloOptions extends OptionsOf<typeof helloOptions> {}
export type ResolvedHelloOptions = ResolvedOptions<SettingsOf<typeof helloOptions>>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthHelloModule`, which its `forRoot()` overrides key by key. */
    hello?: KitAuthHelloOptions | undefined;
  }
}
