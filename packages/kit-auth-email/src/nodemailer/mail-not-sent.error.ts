/**
 * A mail was not sent. What nodemailer says contains addresses, and what servers answer may contain anything: so this
 * error has codes alone, and no cause.
 */
export class MailNotSentError extends Error {
  override readonly name = 'MailNotSentError';
  /** The code of nodemailer or of Node, such as `EAUTH`, `ECONNREFUSED` or `ETIMEDOUT`. */
  readonly code: string;
  /** What the mail server answered, such as 550. */
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
