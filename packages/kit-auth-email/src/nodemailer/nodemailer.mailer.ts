import { parseAddress } from 'kit-auth/feature';
import type { AuthMail, AuthMailer } from '../mails/auth-mail.js';
import { ENGLISH } from './english.js';
import { fillAll, textKindOf } from './mail.texts.js';
import { type MailerSettings, type NodemailerMailerOptions, settingsOf } from './nodemailer.options.js';
import { type MailContext, type RenderedMail, standardLayout } from './standard.layout.js';
import { transporterFor } from './transport.js';
import { durationUntil, harmlessName, languagesOf, oneLine } from './words.js';

/** Mails to unverified addresses. They contain nothing that users choose. */
const FOR_STRANGERS = ['verify-address', 'register', 'invite'] as const;
/** Shorter than the timeout of the queue, so that a late attempt cannot deliver the mail a second time. */
const TIMEOUT_MS = 9_500;
/** Tells auto-responders, such as vacation notices, not to answer. */
const HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/**
 * Sends mails with nodemailer 10, as text and HTML. Older versions also send mails, but cannot end an attempt that
 * hangs.
 *
 * @example
 * ```ts
 * const mailer = new NodemailerMailer({
 *   transport: 'smtps://user:password@smtp.example',
 *   from: 'Shop <no-reply@shop.example>',
 *   appName: 'Shop',
 * });
 * KitAuthEmailModule.forRoot({ mailer, links });
 * ```
 */
export class NodemailerMailer implements AuthMailer {
  private readonly settings: MailerSettings;
  private readonly transporter: ReturnType<typeof transporterFor>;
  private readonly sending = new Set<AbortController>();
  private isClosed = false;

  /** @throws IllegalStateException for options that are missing or wrong */
  constructor(private readonly options: NodemailerMailerOptions) {
    this.settings = settingsOf(options);
    this.transporter = transporterFor(options.transport);
  }

  /** @throws MailNotSentError with codes only: it contains no address, link or answer of the server */
  async send(mail: AuthMail): Promise<void> {
    // Nodemailer would read a string with a comma as two recipients.
    const to = parseAddress(mail.to);
    if (to === undefined || to.address !== mail.to) {
      throw new MailNotSentError('EENVELOPE');
    }
    if (this.isClosed) {
      throw new MailNotSentError('ECLOSED');
    }
    const { from, replyTo } = this.settings;
    const { subject, text, html } = this.render(mail);
    await this.withinTimeout((signal) =>
      this.transporter.sendMail({
        from,
        to: { name: '', address: to.address },
        ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
        subject,
        text,
        html,
        headers: HEADERS,
        signal,
        disableFileAccess: true,
        disableUrlAccess: true,
        xMailer: false,
      }),
    );
  }

  /** The mail as it would be sent, for previews and tests. */
  render(mail: AuthMail): RenderedMail {
    const context = this.contextOf(mail);
    const text = fillAll(context.language.mails[textKindOf(mail)], context);
    const { templates, layout = standardLayout } = this.options;
    const rendered = (templates?.[mail.kind] ?? layout)(mail, text, context);
    return { ...rendered, subject: oneLine(rendered.subject) };
  }

  /** Closes connections and aborts mails that are being sent. The module calls it when the application shuts down. */
  close(): void {
    this.isClosed = true;
    this.sending.forEach((controller) => controller.abort('ECLOSED'));
    this.transporter.close({ force: true });
  }

  private contextOf(mail: AuthMail): MailContext {
    const { languages, defaultLocale, app, accentColor } = this.settings;
    const wanted = mail.locale === undefined ? [] : languagesOf(mail.locale);
    const tag = [...wanted, defaultLocale].find((candidate) => languages.has(candidate.toLowerCase()));
    const { locale, language } = languages.get((tag ?? defaultLocale).toLowerCase()) ?? {
      locale: 'en',
      language: ENGLISH,
    };
    const isStranger = (FOR_STRANGERS as readonly string[]).includes(mail.kind);
    return {
      app,
      accentColor,
      locale,
      language,
      duration: mail.expiresAt && durationUntil(mail.expiresAt, locale),
      username: isStranger ? undefined : harmlessName(mail.user, mail.to),
    };
  }

  private async withinTimeout(send: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort('ETIMEDOUT'), TIMEOUT_MS);
    this.sending.add(controller);
    try {
      await send(controller.signal);
    } catch (error) {
      const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
      throw new MailNotSentError(controller.signal.reason ?? code, responseCode);
    } finally {
      clearTimeout(timer);
      this.sending.delete(controller);
    }
  }
}

/**
 * A mail was not sent. Messages of nodemailer contain addresses, and answers of mail servers can contain anything, so
 * this error contains only codes, and no cause.
 */
export class MailNotSentError extends Error {
  override readonly name = 'MailNotSentError';
  /** The code of nodemailer or of Node, such as `EAUTH`, `ECONNREFUSED` or `ETIMEDOUT`. */
  readonly code: string;
  /** The response code of the mail server, such as 550. */
  readonly responseCode?: number;

  constructor(code: unknown, responseCode?: unknown) {
    const name = typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,39}$/.test(code) ? code : 'UNKNOWN';
    const answer = Number.isInteger(responseCode) ? (responseCode as number) : undefined;
    super(
      answer === undefined ? `the mail was not sent: ${name}` : `the mail was not sent: ${name}, ${answer}`,
    );
    this.code = name;
    if (answer !== undefined) {
      this.responseCode = answer;
    }
  }
}
