import type { AuthMail } from '../mails/auth-mail.js';
import { fill, type MailLanguage, type MailText, type MailWords } from './mail.texts.js';
import { escapeHtml } from './words.js';

/** A mail as it is sent. */
export interface RenderedMail {
  readonly subject: string;
  /** The part for clients that show no HTML. It should have the same content. */
  readonly text: string;
  readonly html: string;
}

/** The values that a layout gets besides the mail and its texts. */
export interface MailContext extends MailWords {
  /** The language of the texts. It may differ from `mail.locale`. */
  readonly locale: string;
  readonly language: MailLanguage;
  /** The username. Undefined if mail programs could turn it into a link. */
  readonly username: string | undefined;
  /** Six hexadecimal digits after `#`. */
  readonly accentColor: string;
}

/**
 * Renders a mail from its texts. The placeholders are already filled in. The texts are plain text: escape them for HTML
 * with `escapeHtml`.
 *
 * @example
 * ```ts
 * const invite: MailLayout = (mail, text, context) =>
 *   standardLayout(mail, { ...text, title: `Welcome to ${context.app}` }, context);
 * ```
 */
export type MailLayout = (mail: AuthMail, text: MailText, context: MailContext) => RenderedMail;

const FONT = `-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`;
const WIDTH = 560;

/** Used by clients that support media queries. Others show the inline colours of the light theme. */
const STYLE = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  body { margin: 0; padding: 0; -webkit-text-size-adjust: 100%; }
  @media (max-width: 480px) {
    .page { padding: 20px 12px !important; }
    .card { padding: 28px 24px 12px !important; }
    .wide { width: 100% !important; }
    .button { display: block !important; text-align: center !important; }
  }
  @media (prefers-color-scheme: dark) {
    .ground { background-color: #12161d !important; }
    .card { background-color: #1b212b !important; border-color: #333c4b !important; }
    .text { color: #e8ebf0 !important; }
    .muted { color: #a3adbd !important; }
  }
`;

/** The built-in design: one card with one button, without images, and the same content as plain text. */
export const standardLayout: MailLayout = (mail, text, context) => {
  const footer = fill(context.language.footer, context) ?? '';
  const account = context.username === undefined ? [] : [`${context.language.username}: ${context.username}`];
  const paragraphs = [...text.body, ...account];
  const plain = [
    text.title,
    ...paragraphs,
    ...(mail.link === undefined
      ? []
      : [text.button === undefined ? mail.link : `${text.button}:\n${mail.link}`]),
    ...(mail.code === undefined ? [] : [[text.code ?? [], mail.code].flat().join('\n')]),
    ...text.notes,
    `-- \n${footer}`,
  ];
  const content = [
    `<h1 class="text" style="margin:0 0 20px;font-size:22px;line-height:30px;font-weight:600;color:#1c2430">${escapeHtml(text.title)}</h1>`,
    ...paragraphs.map(paragraph),
    ...(mail.link === undefined ? [] : [linkOf(mail.link, text.button, context)]),
    ...(mail.code === undefined ? [] : [codeOf(mail.code, text.code)]),
    ...text.notes.map(paragraph),
  ];
  return {
    subject: text.subject,
    text: `${plain.join('\n\n')}\n`,
    html: page(text.title, content.join('\n'), footer, context),
  };
};

function paragraph(text: string): string {
  return `<p class="text" style="margin:0 0 16px;font-size:16px;line-height:25px;color:#1c2430">${escapeHtml(text)}</p>`;
}

function codeOf(code: string, label: string | undefined): string {
  const before = label === undefined ? [] : [paragraph(label)];
  const shown = `<p class="text" dir="ltr" style="margin:0 0 24px;font-family:Menlo,Consolas,monospace;font-size:26px;line-height:34px;font-weight:600;letter-spacing:4px;color:#1c2430">${escapeHtml(code)}</p>`;
  return [...before, shown].join('\n');
}

/** Outlook for Windows ignores padding on links, hence `mso-padding-alt`. */
function linkOf(link: string, label: string | undefined, { accentColor, language }: MailContext): string {
  const href = escapeHtml(link);
  const plain = `<a class="muted" href="${href}" style="color:#586274;word-break:break-all">${href}</a>`;
  if (label === undefined) {
    return `<p class="muted" style="margin:0 0 16px;font-size:16px;line-height:25px;color:#586274">${plain}</p>`;
  }
  const color = readableOn(accentColor);
  return `<table role="presentation" class="wide" cellpadding="0" cellspacing="0" border="0" style="margin:28px 0 24px"><tr>
<td bgcolor="${accentColor}" style="border-radius:8px;mso-padding-alt:14px 26px"><a class="button" href="${href}" style="display:inline-block;padding:14px 26px;border-radius:8px;background-color:${accentColor};font-family:${FONT};font-size:16px;line-height:20px;font-weight:600;color:${color};text-decoration:none">${escapeHtml(label)}</a></td>
</tr></table>
<p class="muted" style="margin:0 0 24px;font-size:13px;line-height:20px;color:#586274">${escapeHtml(language.copyLink)}<br>${plain}</p>`;
}

function page(
  title: string,
  content: string,
  footer: string,
  { app, locale, language }: MailContext,
): string {
  const direction = language.direction ?? 'ltr';
  return `<!doctype html>
<html lang="${escapeHtml(locale)}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body class="ground" bgcolor="#f3f5f8" style="margin:0;padding:0;background-color:#f3f5f8">
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#f3f5f8" style="background-color:#f3f5f8"><tr>
<td class="page" align="center" style="padding:40px 16px">
<!--[if mso]><table role="presentation" width="${WIDTH}" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:${WIDTH}px;margin:0 auto;font-family:${FONT};text-align:start">
<tr><td class="muted" style="padding:0 4px 16px;font-size:15px;line-height:20px;font-weight:600;color:#586274">${escapeHtml(app)}</td></tr>
<tr><td class="card" bgcolor="#ffffff" style="padding:36px 40px 20px;background-color:#ffffff;border:1px solid #dfe4ec;border-radius:12px">
${content}
</td></tr>
<tr><td class="muted" style="padding:20px 4px 0;font-size:13px;line-height:20px;color:#586274">${escapeHtml(footer)}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`;
}

/** Black or white, whichever is easier to read on a colour such as `#2455c8`. */
export function readableOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  // The relative luminance of WCAG 2; at 0.179 both have the same contrast.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}
