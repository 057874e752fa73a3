import type { UserId } from 'kit-auth';

/**
 * Injection token of the languages of users, for mails. Optional; one module may provide it.
 *
 * @example
 * ```ts
 * @Module({ imports: [ProfilesModule], providers: [{ provide: LOCALES_OF_USERS, useClass: ProfileLocales }] })
 * export class LocalesModule {}
 * ```
 */
export const LOCALES_OF_USERS = Symbol.for('kit-auth.locales-of-users');

/**
 * Knows the languages of users. Mails that were given no `locale` have the one of their recipient.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class ProfileLocales implements LocalesOfUsers {
 *   constructor(private readonly profiles: Profiles) {}
 *
 *   localeOf(userId: UserId): Promise<string | undefined> {
 *     return this.profiles.languageOf(userId);
 *   }
 * }
 * ```
 */
export interface LocalesOfUsers {
  /**
   * Called in the background for each mail to a user, never while a request waits. If it fails, takes longer than
   * `kit.auth.extensionTimeoutMs`, or returns something else, that is logged, and the mail has the language that it would have
   * without a result.
   *
   * @returns a BCP 47 tag such as `de` or `pt-BR`, or undefined if the language of the user is unknown
   */
  localeOf(userId: UserId): string | undefined | Promise<string | undefined>;
}
