import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ErrorTexts, KIT_AUTH_SETTINGS, KitAuthContext, type KitAuthSettings, type UserId } from 'kit-auth';
import { Deadline } from 'kit-auth/tools';
import { Ports } from 'kit-auth/feature';
import { type AuthMail, canonicalTag } from './auth-mail.js';
import { safeReason } from './safe-reason.js';

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

/** Reasons may contain ids, so they are not logged without end. */
const MAX_REASONS = 10;

/** The language of the request that causes a mail. */
export interface RequestLocale {
  readonly locale: string;
  /** The user who acts. Undefined without a login. */
  readonly askerId: UserId | undefined;
}

/** Finds the language of mails that have none. */
@Injectable()
export class MailLocales implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');
  private readonly deadline: Deadline;
  private readonly logged = new Set<string>();
  private users: LocalesOfUsers | undefined;

  constructor(
    private readonly ports: Ports,
    private readonly context: KitAuthContext,
    private readonly texts: ErrorTexts,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {
    this.deadline = new Deadline('LocalesOfUsers', core.extensionTimeoutMs);
  }

  /** @throws IllegalStateException for several contributions, or one that does not implement the port */
  onModuleInit(): void {
    if (this.core.enabled) {
      this.users = this.ports.only<LocalesOfUsers>(LOCALES_OF_USERS, 'LocalesOfUsers', ['localeOf']);
    }
  }

  /** Reads the language of the current request. Mails are prepared outside of it. */
  asked(): RequestLocale | undefined {
    // Only while the client is connected; otherwise this is a default, not a choice.
    const client = this.context.client();
    const locale = client === undefined || client.hasLeft() ? undefined : this.texts.language();
    if (locale === undefined) {
      return undefined;
    }
    const asker = this.context.proof()?.actor ?? this.context.get();
    return { locale, askerId: asker?.userId };
  }

  /**
   * Adds the language of the recipient, or else of the recipient's own request. The language of an administrator does not count.
   *
   * @param recipientId undefined or null if the recipient has no account yet
   */
  async fill(
    mail: AuthMail,
    recipientId: UserId | null | undefined,
    asked: RequestLocale | undefined,
  ): Promise<AuthMail> {
    if (mail.locale !== undefined) {
      return mail;
    }
    const isOwnRequest = asked?.askerId === undefined || asked.askerId === recipientId;
    const locale = (await this.localeOf(recipientId)) ?? (isOwnRequest ? asked?.locale : undefined);
    return locale === undefined ? mail : { ...mail, locale };
  }

  private async localeOf(userId: UserId | null | undefined): Promise<string | undefined> {
    const { users } = this;
    if (users === undefined || userId === undefined || userId === null) {
      return undefined;
    }
    try {
      const tag: unknown = await this.deadline.within(async () => users.localeOf(userId));
      const locale = canonicalTag(tag);
      if (tag !== undefined && locale === undefined) {
        throw new TypeError("the result is neither a language tag, such as 'de-AT', nor undefined");
      }
      return locale;
    } catch (error) {
      this.warn(safeReason(error));
      return undefined;
    }
  }

  private warn(reason: string): void {
    if (!this.logged.has(reason) && this.logged.size < MAX_REASONS) {
      this.logged.add(reason);
      this.logger.warn(
        `[auth] localeOf() of LocalesOfUsers failed, so a mail may have another language: ${reason}. Not logged again.`,
      );
    }
  }
}
