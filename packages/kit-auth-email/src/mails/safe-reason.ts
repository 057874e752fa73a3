import { describeError } from 'kit-auth/tools';

const MAX_LENGTH = 200;
/** Longer messages are cut: the pattern is slow for long strings without spaces. */
const MAX_READ = 1000;
/** Addresses, links, and any word that is long enough to be a part of a token. */
const PRIVATE = /\S*(?:@|%40|:\/\/|kato|[\w-]{25})\S*/gi;

/** Describes the error of a mailer for the log. It may quote the mail, so possible addresses and links are left out. */
export function safeReason(error: unknown): string {
  const { code, responseCode } = (error ?? {}) as Record<'code' | 'responseCode', unknown>;
  const codes = [code, responseCode].filter(isCode);
  const reason = describeError(error).slice(0, MAX_READ).replace(PRIVATE, '...').slice(0, MAX_LENGTH);
  return codes.length === 0 ? reason : `${reason} (${codes.join(', ')})`;
}

function isCode(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && /^\w{1,24}$/.test(value));
}
