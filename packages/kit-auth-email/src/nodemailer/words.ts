import type { UserSummary } from 'kit-auth';
import { escapeHtml as escaped } from 'kit-auth/feature';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Mails may be sent a little late. A link that lives an hour should still say "1 hour", not "59 minutes". */
const SLACK = 2 * MINUTE;

/** The time until a link expires, in words, for example `1 hour` or `7 Tage`. Rounded down; below one hour, to the nearest minute. */
export function durationUntil(end: Date, locale: string): string {
  const left = end.getTime() - Date.now();
  const [unit, count] =
    left + SLACK >= 2 * DAY
      ? (['day', Math.floor((left + SLACK) / DAY)] as const)
      : left + SLACK >= HOUR
        ? (['hour', Math.floor((left + SLACK) / HOUR)] as const)
        : (['minute', Math.max(1, Math.round(left / MINUTE))] as const);
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

/**
 * Returns the username if a mail may show it. Users choose usernames, and mail programs make links of them. So a mail shows only
 * letters, digits, `_` and `-`, or the address of the recipient.
 */
export function harmlessName(user: UserSummary | undefined, recipient: string): string | undefined {
  const name = user?.username ?? '';
  const isOwnAddress = name.toLowerCase() === recipient.toLowerCase();
  return isOwnAddress || /^[\p{L}\p{M}\p{N}_-]{1,64}$/u.test(name) ? name : undefined;
}

/** @example `pt-BR`, `pt` */
export function languagesOf(locale: string): string[] {
  const parts = locale.split('-');
  return parts.map((_part, index) => parts.slice(0, parts.length - index).join('-'));
}

/** Escapes a string for HTML, also in the value of an attribute. */
export const escapeHtml: (text: string) => string = escaped;

/** One line: control characters, among them those that end a header, become spaces. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
