import { Logger } from '@nestjs/common';
import type { AuthMail, AuthMailer } from './auth-mail.js';

/**
 * Writes mails to the log instead of sending them, with their links. For development: start-up refuses it with
 * `NODE_ENV=production`, because anyone who can read the log could use the links.
 *
 * @example
 * ```ts
 * KitAuthEmailModule.forRoot({ mailer: new LogMailer(), links });
 * ```
 */
export class LogMailer implements AuthMailer {
  private readonly logger = new Logger('KitAuthEmail');

  async send({ kind, to, link }: AuthMail): Promise<void> {
    this.logger.log(`[auth] mail ${kind} to ${to}${link === undefined ? '' : `: ${link}`}`);
  }
}
