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
