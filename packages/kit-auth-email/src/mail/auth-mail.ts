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

/** What a mail is about. Those with a link need one in `KitAuthEmailModule.forRoot({ links })`. */
export type AuthMailKind =
  /** A link to choose a new password. */
  | 'reset'
  /** A link that proves an address. */
  | 'verify-address'
  /** To the former address: another one was asked for (with `expiresAt`), or has taken its place. */
  | 'address-changed'
  | 'password-changed'
  /** A link to register. */
  | 'register'
  /** A registration used the address of an account. */
  | 'already-registered'
  /** A link to accept an invitation. */
  | 'invite'
  /** A second factor was added or removed. */
  | 'factor-changed'
  /** An API key was created. */
  | 'key-created';

/** A mail to send. Its link contains a token: never log it. */
export interface AuthMail {
  readonly kind: AuthMailKind;
  /** A single ASCII address. */
  readonly to: string;
  readonly link?: string;
  /** The end of the link. */
  readonly expiresAt?: Date;
  /** The account that the mail is about. Undefined before there is one. */
  readonly user?: UserSummary;
  /** The language that a client asked for at registration, for example `de` or `pt-BR`. */
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
   * Called in the background, never while a request waits. A mail that is not sent within ten seconds, or rejects, is
   * tried three more times, after 1, 10 and 60 seconds.
   */
  send(mail: AuthMail): Promise<void>;

  /**
   * Called once when the application shuts down, after the last mail: ends what would keep the process alive, such as a
   * pool of connections.
   */
  close?(): void | Promise<void>;
}
