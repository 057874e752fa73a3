import type { AuthMail } from '../mail/auth-mail.js';
import type { MailLanguage, MailText, MailWords } from './mail.texts.js';

/** A mail as it is sent. */
export interface RenderedMail {
  readonly subject: string;
  /** The part for clients that show no HTML. It should have the same content. */
  readonly text: string;
  readonly html: string;
}

/** The values that a layout gets besides the mail and its texts. */
export interface MailContext extends MailWords {
  /** The language of the texts, which may differ from `mail.locale`. */
  readonly locale: string;
  readonly language: MailLanguage;
  /** The username. Undefined if mail programs could turn it into a link. */
  readonly username: string | undefined;
  /** Six hexadecimal digits after `#`. */
  readonly accentColor: string;
}

/**
 * Renders a mail from its texts. The placeholders are already filled in. The texts are plain text: escape them for HTML
 * with `escapeHtml`.
 *
 * @example
 * ```ts
 * const invite: MailLayout = (mail, text, context) =>
 *   standardLayout(mail, { ...text, title: `Welcome to ${context.app}` }, context);
 * ```
 */
export type MailLayout = (mail: AuthMail, text: MailText, context: MailContext) => RenderedMail;
