import type { Transport, TransportConfig } from 'nodemailer';
import { IllegalStateException } from 'kit-auth';
import { parseAddress } from 'kit-auth/feature';
import { type AuthMailKind, canonicalTag } from '../mails/auth-mail.js';
import { CODE_KINDS, LINK_KINDS, type MailLanguage, type MailText } from './mail.texts.js';
import { ENGLISH } from './english.js';
import type { MailLayout } from './standard.layout.js';
import { oneLine } from './words.js';

/** The argument of `new NodemailerMailer()`. */
export interface NodemailerMailerOptions {
  /**
   * The mail server: a URL such as `smtps://user:password@smtp.example`, or any other argument of nodemailer's
   * `createTransport()`. For SMTP, each timeout is ten seconds unless the options set it.
   */
  transport: string | TransportConfig | Transport<unknown>;
  /** The sender: an address, or a name and an address. */
  from: string | { readonly name: string; readonly address: string };
  /** The address for answers. Default: the sender. */
  replyTo?: string;
  /** The name of your application, as the mails show it. At most 60 characters. */
  appName: string;
  /** More languages, or other texts for `en`. The keys are language tags, such as `de` or `pt-BR`. */
  locales?: Readonly<Record<string, MailLanguage>>;
  /** The language of mails without a `locale`, or with one that is not in `locales`. Default: `en`. */
  defaultLocale?: string;
  /** Another design for all mails. */
  layout?: MailLayout;
  /** Another design for some kinds of mails. */
  templates?: { readonly [Kind in AuthMailKind]?: MailLayout };
  /** The colour of the button, such as `#2455c8`. */
  accentColor?: string;
}

/** Complete, validated options. */
export interface MailerSettings {
  readonly from: { readonly name: string; readonly address: string };
  readonly replyTo: string | undefined;
  readonly app: string;
  /** Languages by their tag in lower case. */
  readonly languages: ReadonlyMap<string, { readonly locale: string; readonly language: MailLanguage }>;
  readonly defaultLocale: string;
  readonly accentColor: string;
}

const DEFAULT_ACCENT = '#2455c8';
const PLACEHOLDERS = ['{app}', '{duration}'];

/** @throws IllegalStateException that says what to change, without addresses or credentials */
export function settingsOf(options: NodemailerMailerOptions | undefined): MailerSettings {
  // JavaScript callers may omit what TypeScript requires.
  const {
    from,
    appName,
    replyTo,
    locales = {},
    defaultLocale = 'en',
    accentColor = DEFAULT_ACCENT,
  } = (options ?? {}) as Partial<NodemailerMailerOptions>;
  if (typeof appName !== 'string' || oneLine(appName) === '' || appName.length > 60) {
    throw problem('appName must be the name of your application, with 1 to 60 characters');
  }
  if (replyTo !== undefined && parseAddress(replyTo) === undefined) {
    throw problem('replyTo is not an email address');
  }
  if (!/^#[0-9a-f]{6}$/i.test(accentColor)) {
    throw problem('accentColor must be a colour such as #2455c8');
  }
  const languages = new Map(
    Object.entries({ en: ENGLISH, ...locales }).map(([tag, language]) => {
      const locale = canonical(tag);
      checkLanguage(tag, language);
      return [locale.toLowerCase(), { locale, language }] as const;
    }),
  );
  if (!languages.has(canonical(defaultLocale).toLowerCase())) {
    throw problem(`defaultLocale is "${defaultLocale}", which is not in locales`);
  }
  return {
    from: senderOf(from),
    replyTo,
    app: oneLine(appName),
    languages,
    defaultLocale,
    accentColor,
  };
}

export function problem(text: string): IllegalStateException {
  return new IllegalStateException(`NodemailerMailer: ${text}`);
}

function senderOf(from: NodemailerMailerOptions['from'] | undefined): MailerSettings['from'] {
  if (from === undefined || from === '') {
    throw problem("from is missing: the sender, such as { name: 'Shop', address: 'no-reply@shop.example' }");
  }
  const [name = '', address] =
    typeof from === 'object'
      ? [from.name, from.address]
      : (/^([^<>@]*)<([^<>]+)>$/.exec(from)?.slice(1) ?? ['', from]);
  const parsed = parseAddress(address);
  if (parsed === undefined) {
    throw problem(
      "from must be an email address, or a name and an address such as 'Shop <no-reply@shop.example>'",
    );
  }
  return { name: oneLine(name.replaceAll('"', '')), address: parsed.address };
}

function canonical(tag: string): string {
  const locale = canonicalTag(tag);
  if (locale === undefined) {
    throw problem(`"${tag}" is not a language tag; locales and defaultLocale take those such as de or pt-BR`);
  }
  return locale;
}

/** Checks for missing texts, because JavaScript callers may omit any of them. */
function checkLanguage(tag: string, language: Partial<MailLanguage> = {}): void {
  const missing: string[] = (['username', 'copyLink', 'footer'] as const).filter(
    (name) => !isFilledString(language[name]),
  );
  const mails: Partial<Record<string, Partial<MailText>>> = language.mails ?? {};
  const texts: unknown[] = [language.footer];
  for (const kind of Object.keys(ENGLISH.mails)) {
    const { subject, title, body, button, code, notes } = mails[kind] ?? {};
    const parts = {
      subject: isFilledString(subject),
      title: isFilledString(title),
      body: areFilledStrings(body),
      notes: areFilledStrings(notes),
    };
    const needs = (kinds: readonly string[]) => kinds.includes(kind);
    const found = {
      ...parts,
      ...(needs(LINK_KINDS) && { button: isFilledString(button) }),
      ...(needs(CODE_KINDS) && { code: isFilledString(code) }),
    };
    missing.push(...Object.entries(found).flatMap(([name, there]) => (there ? [] : `mails.${kind}.${name}`)));
    texts.push(subject, title, button, code, ...(body ?? []), ...(notes ?? []));
  }
  if (missing.length > 0) {
    throw problem(`the language "${tag}" is incomplete: ${missing.join(', ')}`);
  }
  const unknown = texts.flatMap((text) => (isFilledString(text) ? (text.match(/\{\w*\}/g) ?? []) : []));
  const wrong = unknown.find((placeholder) => !PLACEHOLDERS.includes(placeholder));
  if (wrong !== undefined) {
    throw problem(`the language "${tag}" has ${wrong}; there are ${PLACEHOLDERS.join(' and ')}`);
  }
}

function isFilledString(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function areFilledStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every(isFilledString);
}
