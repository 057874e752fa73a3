import type { UserSummary } from 'kit-auth';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Mails may be sent a little late. A link that lives an hour should still say "1 hour", not "59 minutes". */
const SLACK = 2 * MINUTE;

/** How long a link still works, in words, for example `1 hour` or `7 Tage`. Rounded down; below one hour, to the nearest minute. */
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
 * The username, if a mail may show it. Users choose usernames, and mail programs turn whatever looks like a link into
 * one. So only letters, digits, `_` and `-` are shown, or the address of the recipient.
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
