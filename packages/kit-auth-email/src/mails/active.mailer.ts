import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { Ports } from 'kit-auth/feature';
import { Deadline } from 'kit-auth/tools';
import { emailOptions, type ResolvedEmailOptions } from '../email.options.js';
import { AUTH_MAILER, type AuthMail, type AuthMailer } from './auth-mail.js';
import { safeReason } from './safe-reason.js';

const CLOSE_MS = 1000;

/**
 * Writes mails to the log instead of sending them, with their links and codes. For development: start-up refuses it with
 * `NODE_ENV=production`, because anyone who can read the log could use them.
 *
 * @example
 * ```ts
 * KitAuthEmailModule.forRoot({ mailer: new LogMailer(), links });
 * ```
 */
export class LogMailer implements AuthMailer {
  private readonly logger = new Logger('KitAuthEmail');

  async send({ kind, to, link, code }: AuthMail): Promise<void> {
    const contents = [link, code && `code ${code}`].filter(Boolean).join(', ');
    this.logger.log(`[auth] mail ${kind} to ${to}${contents === '' ? '' : `: ${contents}`}`);
  }
}

/** The only mailer of the application. Start-up fails without one, and with more than one. */
@Injectable()
export class ActiveMailer implements OnModuleInit, OnApplicationShutdown {
  private mailer: AuthMailer | undefined;

  constructor(
    private readonly ports: Ports,
    @Inject(emailOptions.token) private readonly options: ResolvedEmailOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {}

  onModuleInit(): void {
    if (this.core.enabled) {
      this.mailer = this.find();
    }
  }

  async send(mail: AuthMail): Promise<void> {
    await this.mailer?.send(mail);
  }

  /** Runs after the queue has given up its last mail. An error here must not prevent the shutdown. */
  async onApplicationShutdown(): Promise<void> {
    try {
      await new Deadline('the mailer', CLOSE_MS).within(async () => this.mailer?.close?.());
    } catch (error) {
      new Logger('KitAuth').warn(`[auth] the mailer was not closed: ${safeReason(error)}`);
    }
  }

  private find(): AuthMailer {
    const given = this.options.settings.mailer;
    const provided = this.ports.only<AuthMailer>(AUTH_MAILER, 'AuthMailer', ['send']);
    if (given !== undefined && provided !== undefined) {
      throw new IllegalStateException(
        'There are two mailers: kit.auth.email.mailer, and one that a module provides as AUTH_MAILER. Remove one of them.',
      );
    }
    const mailer = given ?? provided;
    if (mailer === undefined) {
      throw new IllegalStateException(
        'kit-auth-email has no mailer. Pass one to KitAuthEmailModule.forRoot({ mailer }), such as a NodemailerMailer of ' +
          "'kit-auth-email/nodemailer', or provide AUTH_MAILER. For development there is the LogMailer.",
      );
    }
    if (mailer instanceof LogMailer && process.env['NODE_ENV'] === 'production') {
      throw new IllegalStateException(
        'LogMailer writes links to the log. Anyone who can read the log could take over accounts, so it is refused with ' +
          "NODE_ENV=production. Use a mailer that sends, such as NodemailerMailer of 'kit-auth-email/nodemailer'.",
      );
    }
    return mailer;
  }
}
