import { describeError } from 'kit-auth/extend';

const MAX_LENGTH = 200;
/** What is looked at: the pattern takes long for a long text without spaces. */
const MAX_READ = 1000;
/** Addresses, links, and whatever is as long as a part of a token. */
const PRIVATE = /\S*(?:@|%40|:\/\/|kato|[\w-]{25})\S*/gi;

/** Describes the error of a mailer for a log. It may quote the mail, so all that may be an address or a link is left out. */
export function safeReason(error: unknown): string {
  const { code, responseCode } = (error ?? {}) as Record<'code' | 'responseCode', unknown>;
  const codes = [code, responseCode].filter(isCode);
  const reason = describeError(error).slice(0, MAX_READ).replace(PRIVATE, '...').slice(0, MAX_LENGTH);
  return codes.length === 0 ? reason : `${reason} (${codes.join(', ')})`;
}

function isCode(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && /^\w{1,24}$/.test(value));
}
