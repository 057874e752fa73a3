import { describe, expect, it } from '@jest/globals';
import type { AuthMail, AuthMailKind } from '../mails/auth-mail.js';
import { ENGLISH, GERMAN, NodemailerMailer } from '../nodemailer.js';

describe('mails in German', () => {
  const mailer = new NodemailerMailer({
    transport: { jsonTransport: true },
    from: 'Laden <nicht-antworten@laden.example>',
    appName: 'Laden',
    locales: { de: GERMAN },
  });
  const rendered = (kind: AuthMailKind, more: Partial<AuthMail> = {}) =>
    mailer.render({ kind, to: 'ann@laden.example', locale: 'de-CH', ...more });

  it('are complete: no mail has a word of English', () => {
    const english = new Set(Object.values(ENGLISH.mails).flatMap(({ body, notes }) => [...body, ...notes]));
    for (const kind of Object.keys(ENGLISH.mails)) {
      const end = { expiresAt: new Date(Date.now() + 3_600_000), link: 'https://laden.example/#x' };
      const [asked, mail] =
        kind === 'address-change'
          ? [GERMAN.mails[kind], rendered('address-changed', { expiresAt: end.expiresAt })]
          : [
              GERMAN.mails[kind as AuthMailKind],
              rendered(kind as AuthMailKind, kind === 'address-changed' ? {} : end),
            ];
      expect(mail.subject).toBe(asked.subject.replace('{app}', 'Laden'));
      expect(mail.text).toContain(asked.title.replace('{app}', 'Laden'));
      expect(mail.html).toContain('<html lang="de"');
      expect(`${mail.text}${mail.html}`).not.toMatch(/\{\w+\}|Your| hour|If you/);
      expect([...english].filter((text) => mail.text.includes(text))).toEqual([]);
    }
  });

  it('say how long a link works', () => {
    const week = new Date(Date.now() + 7 * 24 * 3_600_000);
    expect(rendered('invite', { expiresAt: week }).text).toContain('gilt 7 Tage lang.');
  });
});
