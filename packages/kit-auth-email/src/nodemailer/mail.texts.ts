import type { AuthMail, AuthMailKind } from '../mails/auth-mail.js';

/**
 * The mails that need texts: the kinds of `AuthMail`, and `address-change` for an `address-changed` with `expiresAt`,
 * when a new address was requested.
 */
export type MailTextKind = AuthMailKind | 'address-change';

/**
 * The words of one mail. `{app}` stands for the name of the application, `{duration}` for how long the link works, for
 * example `1 hour`. A paragraph with `{duration}` is left out of a mail without an end.
 */
export interface MailText {
  /** Keep it short: phones show about 40 characters. */
  readonly subject: string;
  /** The heading. */
  readonly title: string;
  /** Paragraphs above the button: who asked, and what the button does. */
  readonly body: readonly string[];
  /** The label of the link. Required for `reset`, `verify-address`, `register`, `invite` and `login`, which always have one. */
  readonly button?: string;
  /** Stands before the code. Required for `login` and `confirm`, which always have one. */
  readonly code?: string;
  /** Paragraphs below the button: how long it works, and what to do "if that was not you". */
  readonly notes: readonly string[];
}

/** All texts of one language. */
export interface MailLanguage {
  readonly direction?: 'ltr' | 'rtl';
  /** Stands before the username. */
  readonly username: string;
  /** Stands before the full link, below the button. */
  readonly copyLink: string;
  /** Stands at the end of every mail. */
  readonly footer: string;
  readonly mails: Readonly<Record<MailTextKind, MailText>>;
}

export const LINK_KINDS = ['reset', 'verify-address', 'register', 'invite', 'login'] as const;
export const CODE_KINDS = ['login', 'confirm'] as const;

/** The placeholders of texts. */
export interface MailWords {
  readonly app: string;
  readonly duration: string | undefined;
}

export function textKindOf({ kind, expiresAt }: AuthMail): MailTextKind {
  return kind === 'address-changed' && expiresAt !== undefined ? 'address-change' : kind;
}

/** Fills in the placeholders. @returns undefined if a value is missing */
export function fill(text: string, words: MailWords): string | undefined {
  if (text.includes('{duration}') && words.duration === undefined) {
    return undefined;
  }
  // Functions, because replacement strings have special patterns such as $&.
  return text.replaceAll('{app}', () => words.app).replaceAll('{duration}', () => words.duration ?? '');
}

/** Fills all texts of a mail. */
export function fillAll(text: MailText, words: MailWords): MailText {
  const filled = (paragraphs: readonly string[]) =>
    paragraphs.flatMap((paragraph) => fill(paragraph, words) ?? []);
  return {
    subject: fill(text.subject, words) ?? '',
    title: fill(text.title, words) ?? '',
    body: filled(text.body),
    ...(text.button !== undefined && { button: fill(text.button, words) ?? '' }),
    ...(text.code !== undefined && { code: fill(text.code, words) ?? '' }),
    notes: filled(text.notes),
  };
}
