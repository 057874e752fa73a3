import type { UserSummary } from 'kit-auth';

/**
 * Injection token of the mailer. Any module may provide it, or `KitAuthEmailModule.forRoot({ mailer })` brings it.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: AUTH_MAILER, useClass: QueueMailer }] })
 * export class MailModule {}
 * ```
 */
export const AUTH_MAILER = Symbol.for('kit-auth.mailer');

/** The kind of a mail. Kinds with a link need its page in `KitAuthEmailModule.forRoot({ links })`. */
export type AuthMailKind =
  /** A link to choose a new password. */
  | 'reset'
  /** A link that verifies an address. */
  | 'verify-address'
  /** To the old address: a new one was requested (with `expiresAt`), or has replaced it. */
  | 'address-changed'
  | 'password-changed'
  /** A link to register. */
  | 'register'
  /** Someone tried to register with the address of this account. */
  | 'already-registered'
  /** A link to accept an invitation. */
  | 'invite'
  /** A link and a code to log in. */
  | 'login'
  /** A code to confirm a login. */
  | 'confirm'
  /** A second factor or a passkey was added or removed. */
  | 'factor-changed'
  /** An API key was created. */
  | 'key-created';

/** A mail to send. Its link contains a token: never log it, and neither the code. */
export interface AuthMail {
  readonly kind: AuthMailKind;
  /** A single ASCII address. */
  readonly to: string;
  readonly link?: string;
  /** Eight capital letters: logs in where the link of `login` does not work, and confirms a login. */
  readonly code?: string;
  /** When the link and the code expire. */
  readonly expiresAt?: Date;
  /** The account of the recipient. Undefined if it does not exist yet. */
  readonly user?: UserSummary;
  /**
   * The language of the recipient, for example `de` or `pt-BR`: from the registration or the invitation, or else from
   * `LocalesOfUsers`, or else from the request. Undefined if it is unknown.
   */
  readonly locale?: string;
}

/**
 * Sends mails. `NodemailerMailer` of `kit-auth-email/nodemailer` and `LogMailer` implement it.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class QueueMailer implements AuthMailer {
 *   constructor(private readonly queue: Queue) {}
 *
 *   async send(mail: AuthMail): Promise<void> {
 *     await this.queue.add('auth-mail', mail);
 *   }
 * }
 * ```
 */
export interface AuthMailer {
  /**
   * Called in the background, never while a request waits. If it rejects, or takes longer than ten seconds, it is
   * called three more times, after 1, 10 and 60 seconds.
   */
  send(mail: AuthMail): Promise<void>;

  /**
   * Called once when the application shuts down, after the last mail. Close whatever keeps the process alive, such as a
   * connection pool.
   */
  close?(): void | Promise<void>;
}

/** @returns a tag of BCP 47 in its usual spelling, such as `pt-BR` for `pt-br`; undefined for any other value */
export function canonicalTag(value: unknown): string | undefined {
  try {
    return typeof value === 'string' ? Intl.getCanonicalLocales(value)[0] : undefined;
  } catch {
    return undefined;
  }
}
