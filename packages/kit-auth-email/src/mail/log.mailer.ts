import { Logger } from '@nestjs/common';
import type { AuthMail, AuthMailer } from './auth-mail.js';

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
