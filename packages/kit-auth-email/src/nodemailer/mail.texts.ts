import type { AuthMail, AuthMailKind } from '../mail/auth-mail.js';

/**
 * The mails that need a text: the kinds of `AuthMail`, and `address-change` for an `address-changed` with `expiresAt`,
 * which says that another address was asked for.
 */
export type MailTextKind = AuthMailKind | 'address-change';

/**
 * The words of one mail. `{app}` stands for the name of the application, `{duration}` for how long the link works, for
 * example `1 hour`. A paragraph with `{duration}` is left out of a mail without an end.
 */
export interface MailText {
  /** Short: telephones show about 40 characters. */
  readonly subject: string;
  /** The heading. */
  readonly title: string;
  /** Paragraphs above the button: who asked, and what the button does. */
  readonly body: readonly string[];
  /** The label of the link. Required in mails that always have one: `reset`, `verify-address`, `register`, `invite`. */
  readonly button?: string;
  /** Paragraphs below the button: how long it works, and what to do when it was not you. */
  readonly notes: readonly string[];
}

/** All words of one language. */
export interface MailLanguage {
  readonly direction?: 'ltr' | 'rtl';
  /** Before the user name. */
  readonly username: string;
  /** Before the link in full, below the button. */
  readonly copyLink: string;
  /** At the end of every mail. */
  readonly footer: string;
  readonly mails: Readonly<Record<MailTextKind, MailText>>;
}

export const LINK_KINDS = ['reset', 'verify-address', 'register', 'invite'] as const;

/** The placeholders of texts. */
export interface MailWords {
  readonly app: string;
  readonly duration: string | undefined;
}

export function textKindOf({ kind, expiresAt }: AuthMail): MailTextKind {
  return kind === 'address-changed' && expiresAt !== undefined ? 'address-change' : kind;
}

/** @returns undefined for a text whose words are not known */
export function fill(text: string, words: MailWords): string | undefined {
  if (text.includes('{duration}') && words.duration === undefined) {
    return undefined;
  }
  // Functions, because replacements that are texts have placeholders of their own: $& and others.
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
    notes: filled(text.notes),
  };
}
