import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { ALL_BUT_DATE, MailServer, SilentProxy } from 'test-support';
import type { AuthMail, AuthMailKind } from '../mails/auth-mail.js';
import {
  ENGLISH,
  type MailLanguage,
  NodemailerMailer,
  type NodemailerMailerOptions,
  standardLayout,
} from '../nodemailer.js';
import { LINK_KINDS } from './mail.texts.js';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const TOKEN = `kato_${'aZ09-_=.'.repeat(40)}`;
const user = { userId: 1, username: 'ann', nickname: 'Ann', superAdmin: false };

function mail(kind: AuthMailKind, more: Partial<AuthMail> = {}): AuthMail {
  const hasLink = (LINK_KINDS as readonly string[]).includes(kind);
  const link = hasLink
    ? { link: `https://app.example/p?a=1&b=2#${TOKEN}`, expiresAt: new Date(NOW + HOUR) }
    : {};
  return { kind, to: 'Ann@example.com', user, ...link, ...more };
}

const KINDS = Object.keys(ENGLISH.mails).filter((kind) => kind !== 'address-change') as AuthMailKind[];

let server: MailServer;
const opened: NodemailerMailer[] = [];
beforeAll(async () => void (server = await MailServer.start()));
beforeEach(() => {
  jest.useFakeTimers({ now: NOW, doNotFake: [...ALL_BUT_DATE] });
  server.clear();
  server.accept();
});
afterEach(() => {
  jest.useRealTimers();
  opened.splice(0).forEach((mailer) => mailer.close());
});
afterAll(() => server.close());

function mailerWith(options: Partial<NodemailerMailerOptions> = {}): NodemailerMailer {
  const base = { transport: server.url, from: 'Sunny Shop <no-reply@shop.example>', appName: 'Sunny Shop' };
  const mailer = new NodemailerMailer({ ...base, ...options });
  opened.push(mailer);
  return mailer;
}

async function sent(about: AuthMail, options: Partial<NodemailerMailerOptions> = {}) {
  await mailerWith(options).send(about);
  return server.mails.at(-1)!;
}

describe('the mails', () => {
  it.each(KINDS)('%s has both parts, and its link in each of them, as it was', async (kind) => {
    const about = mail(kind);
    const { text, html, subject, raw, link, ...received } = await sent(about);
    expect(subject).toBe(ENGLISH.mails[kind].subject.replace('{app}', 'Sunny Shop'));
    expect([received.from, received.to]).toEqual(['no-reply@shop.example', ['Ann@example.com']]);
    for (const part of [text, html]) {
      expect(part).toContain(ENGLISH.mails[kind].title.replace('{app}', 'Sunny Shop'));
      expect(part).not.toMatch(/undefined|\{\w*\}|\[object/);
    }
    expect(link).toBe(about.link);
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));
    expect(hrefs).toEqual(about.link === undefined ? [] : [about.link, about.link]);
    expect(html.includes('1 hour')).toBe(about.link !== undefined);
    // Nothing is loaded, and no line is too long for SMTP.
    expect(html).not.toMatch(/<img|<script|<link|@import|url\(|src=/i);
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThan(999);
  });

  it('have headers that keep machines from answering, and none that tell of the software', async () => {
    const { header, parsed } = await sent(mail('reset'), { replyTo: 'help@shop.example' });
    expect(header('Auto-Submitted')).toEqual(['auto-generated']);
    expect(header('X-Auto-Response-Suppress')).toEqual(['All']);
    expect([header('From'), header('To')]).toEqual([
      ['Sunny Shop <no-reply@shop.example>'],
      ['Ann@example.com'],
    ]);
    expect([header('Reply-To'), header('X-Mailer')]).toEqual([['help@shop.example'], []]);
    expect([header('Message-ID').length, header('Date').length]).toEqual([1, 1]);
    expect(parsed.attachments).toEqual([]);
  });

  it('say what the kind address-changed is about', async () => {
    const asked = await sent(mail('address-changed', { expiresAt: new Date(NOW + 24 * HOUR) }));
    expect(asked.text).toMatch(/Nothing has changed yet[^]*works for 24 hours/);
    const changed = await sent(mail('address-changed'));
    expect(changed.text).toMatch(/now has another email address/);
  });

  it.each([
    [7 * 24 * HOUR, '7 days'],
    [47 * HOUR, '47 hours'],
    [24 * HOUR - 71_000, '24 hours'],
    [HOUR - 71_000, '1 hour'],
    [HOUR / 2, '30 minutes'],
    [10, '1 minute'],
    [-HOUR, '1 minute'],
  ])('say how long a link of %d ms works: %s', (milliseconds, expected) => {
    const about = mail('invite', { expiresAt: new Date(NOW + milliseconds) });
    expect(mailerWith().render(about).text).toContain(`for ${expected}.`);
  });

  it.each(['https://evil.example', 'evil.example', 'www.evil.example/x', 'a b', '<b>x</b>', 'x'.repeat(65)])(
    'make no link and no HTML of the user name %s',
    (username) => {
      const chosen = { ...user, username, nickname: `${username} http://evil.example` };
      for (const kind of KINDS) {
        const { subject, text, html } = mailerWith().render(mail(kind, { user: chosen }));
        expect(`${subject} ${text} ${html}`).not.toMatch(/evil|a b|<b>|x{65}/);
      }
    },
  );

  it('name the account to its owner, and to nobody else', () => {
    for (const username of ['ann', 'ann@example.com', 'Änne_3-x']) {
      for (const kind of KINDS) {
        const isKnown = !['verify-address', 'register', 'invite'].includes(kind);
        const { text } = mailerWith().render(mail(kind, { user: { ...user, username } }));
        expect([kind, text.includes(`Your username: ${username}`)]).toEqual([kind, isKnown]);
      }
    }
  });

  it('escape everything for HTML, and keep subjects to one line', async () => {
    const appName = `<b>"A" & 'B'</b>\r\nBcc: x@evil.example $&`;
    const received = await sent(mail('reset', { link: 'https://app.example/#"><script>' }), { appName });
    expect(received.subject).toBe(`Choose a new password for <b>"A" & 'B'</b> Bcc: x@evil.example $&`);
    expect([received.header('Bcc'), received.to]).toEqual([[], ['Ann@example.com']]);
    expect(received.html).toContain('&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt; Bcc');
    expect(received.html).not.toMatch(/<b>|<script>|href="[^"]*#"/);
  });
});

describe('languages and templates', () => {
  const german: MailLanguage = {
    username: 'Ihr Benutzername',
    copyLink: 'Oder kopieren Sie diesen Link:',
    footer: 'Automatisch gesendet von {app}.',
    mails: {
      ...ENGLISH.mails,
      reset: {
        subject: 'Neues Passwort für {app}',
        title: 'Neues Passwort wählen',
        body: ['Jemand möchte ein neues Passwort.'],
        button: 'Passwort wählen',
        notes: ['Der Link gilt {duration} lang.'],
      },
    },
  };

  it('sends the language that was asked for, or the next best', async () => {
    const locales = { de: german, 'zh-Hant': { ...german, footer: 'zh-Hant' } };
    const received = await sent(mail('reset', { locale: 'DE-at', expiresAt: new Date(NOW + 168 * HOUR) }), {
      locales,
    });
    expect(received.subject).toBe('Neues Passwort für Sunny Shop');
    expect(received.text).toMatch(/Der Link gilt 7 Tage lang\.[^]*Automatisch gesendet von Sunny Shop\./);
    expect(received.html).toContain('<html lang="de" dir="ltr">');
    expect(received.link).toBe(mail('reset').link);
    const mailer = mailerWith({ locales });
    const languageOf = (locale?: string) =>
      /lang="(.*?)"/.exec(mailer.render(mail('reset', locale === undefined ? {} : { locale })).html)?.[1];
    const found = [undefined, 'fr', 'zh-hant-TW', 'zh', '', '*'].map(languageOf);
    expect(found).toEqual(['en', 'en', 'zh-Hant', 'en', 'en', 'en']);
    const other = mailerWith({ locales: { de: { ...german, direction: 'rtl' } }, defaultLocale: 'de' });
    expect(other.render(mail('reset')).html).toContain('<html lang="de" dir="rtl">');
    expect(other.render(mail('reset', { locale: 'en' })).html).toContain('<html lang="en" dir="ltr">');
  });

  it('leaves out a sentence about the end of a link that has none', () => {
    const { expiresAt, ...about } = mail('reset');
    expect(mailerWith().render(about).text).not.toContain('works once');
  });

  it('replaces single kinds, the texts of English, or the layout', async () => {
    const options: Partial<NodemailerMailerOptions> = {
      templates: {
        invite: (about, text, context) =>
          standardLayout(about, { ...text, title: `Welcome to ${context.app}` }, context),
        register: ({ link }) => ({ subject: 'Mine\r\nBcc: x@y.z', text: link!, html: '<p>mine</p>' }),
      },
      locales: { en: { ...ENGLISH, footer: 'Ours.' } },
    };
    const invitation = await sent(mail('invite'), options);
    expect(invitation.html).toContain('>Welcome to Sunny Shop</h1>');
    expect(invitation.text).toMatch(/An administrator of Sunny Shop[^]*for 1 hour/);
    expect(await sent(mail('register'), options)).toMatchObject({
      subject: 'Mine Bcc: x@y.z',
      html: expect.stringMatching(/^<p>mine<\/p>\s*$/),
    });
    expect((await sent(mail('reset'), options)).text).toContain('Ours.');
    const layout = (_: unknown, { title }: { title: string }) => ({
      subject: title,
      text: title,
      html: title,
    });
    expect((await sent(mail('reset'), { layout })).subject).toBe('Choose a new password');
  });

  it('shows the code of a login in both parts, below its words', async () => {
    const { text, html, link } = await sent(mail('login', { code: 'BKTWRJHX' }));
    expect(text).toMatch(
      /Log in:\nhttps:[^]*enter this code there:\nBKTWRJHX\n\nThe link and the code work once/,
    );
    expect(html).toMatch(/enter this code there:<\/p>\n<p [^>]*letter-spacing[^>]*>BKTWRJHX<\/p>/);
    expect(link).toContain(TOKEN);
    const bare: NodemailerMailerOptions['layout'] = (about, { code: _, ...words }, context) =>
      standardLayout(about, words, context);
    const without = await sent(mail('login', { code: 'BKTWRJHX' }), { layout: bare });
    expect(without.text).toMatch(/\n\nBKTWRJHX\n\n/);
  });

  it('shows a label on the button that can be read', () => {
    const labelOn = (accentColor: string) =>
      /class="button".*?;color:(#\w+)/.exec(mailerWith({ accentColor }).render(mail('reset')).html)?.[1];
    const labels = ['#2455c8', '#ffdd00', '#FFFFFF', '#000000'].map(labelOn);
    expect(labels).toEqual(['#ffffff', '#000000', '#000000', '#ffffff']);
  });
});

describe('options that are wrong', () => {
  const reset = { ...ENGLISH.mails.reset, button: ' ' };
  const incomplete = { ...ENGLISH, mails: { ...ENGLISH.mails, reset } };
  const { code: _, ...uncoded } = ENGLISH.mails.login;
  it.each<[string, object, RegExp]>([
    [
      'a language without words for codes',
      { locales: { de: { ...ENGLISH, mails: { ...ENGLISH.mails, login: uncoded } } } },
      /"de" is incomplete: mails.login.code$/,
    ],
    ['no sender', { from: undefined }, /from is missing/],
    ['a sender that is none', { from: 'Shop' }, /from must be an email address/],
    ['a header', { from: { name: 'x', address: 'a@b.example\r\nBcc: c' } }, /from must be an email address/],
    ['no name', { appName: undefined }, /appName/],
    ['a long name', { appName: 'x'.repeat(61) }, /appName/],
    ['an address for answers that is none', { replyTo: 'nobody' }, /replyTo/],
    ['no transport', { transport: undefined }, /transport is missing/],
    ['another protocol', { transport: 'https://user:hunter2@x.example' }, /begin with smtp:/],
    ['no host', { transport: { url: 'smtp://' } }, /begin with smtp:/],
    ['no colour', { accentColor: 'red;' }, /accentColor/],
    ['no language', { locales: { german: undefined } }, /incomplete: username, .*mails\.invite\.notes/],
    ['a tag that is none', { locales: { 'd!': ENGLISH } }, /"d!" is not a language tag/],
    ['an empty text', { locales: { de: incomplete } }, /"de" is incomplete: mails.reset.button$/],
    ['a placeholder', { locales: { de: { ...ENGLISH, footer: 'By {name}.' } } }, /"de" has \{name\}/],
    ['a default language that is not there', { defaultLocale: 'de' }, /defaultLocale is "de"/],
  ])('%s: says so', (_name, options, expected) => {
    const construct = () => mailerWith(options);
    expect(construct).toThrow(expect.objectContaining({ name: 'IllegalStateException' }));
    expect(construct).toThrow(expected);
    expect(construct).not.toThrow(/hunter2/);
  });

  it('says so where JavaScript gives none at all', () => {
    expect(() => new NodemailerMailer(undefined as never)).toThrow(/appName must be/);
  });
});

describe('what goes wrong on the way', () => {
  async function failure(sending: Promise<void>): Promise<Record<string, unknown>> {
    const error: any = await sending.then(
      () => undefined,
      (error: unknown) => error,
    );
    // Everything that a log might print of it.
    expect(`${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toMatch(
      /example\.com|kato_|hunter2|such user/,
    );
    return { ...error };
  }

  it.each(['a@b.c, d@e.f', 'a@b.example\r\nBcc: c@d.example', ''])('refuses the recipient %j', async (to) => {
    const error = { name: 'MailNotSentError', code: 'EENVELOPE' };
    expect(await failure(mailerWith().send(mail('reset', { to })))).toEqual(error);
    expect(server.attempts).toBe(0);
  });

  it('says with codes alone what the server has against a mail', async () => {
    server.reject(550);
    expect(await failure(mailerWith().send(mail('reset')))).toMatchObject({
      code: 'EENVELOPE',
      responseCode: 550,
    });
    server.reject(451);
    expect(await failure(mailerWith().send(mail('reset')))).toMatchObject({ responseCode: 451 });
  });

  it('says that there is no server', async () => {
    const gone = await MailServer.start();
    await gone.close();
    const mailer = mailerWith({ transport: gone.url });
    expect(await failure(mailer.send(mail('reset')))).toEqual({ name: 'MailNotSentError', code: 'ESOCKET' });
  });

  it('gives up when the server falls silent, before and after the connection', async () => {
    const proxy = new SilentProxy(server.port);
    await proxy.listen();
    const transport = { host: '127.0.0.1', port: proxy.port, greetingTimeout: 100, socketTimeout: 100 };
    server.hang();
    expect(await failure(mailerWith({ transport }).send(mail('reset')))).toMatchObject({ code: 'ETIMEDOUT' });
    const connected = proxy.nextConnection();
    const sending = failure(mailerWith({ transport }).send(mail('reset')));
    await connected;
    proxy.silence();
    expect(await sending).toMatchObject({ code: 'ETIMEDOUT' });
    await proxy.close();
  });

  it('gives up a mail in all after less than ten seconds', async () => {
    const transport = { url: server.url, pool: true as const, socketTimeout: 60_000 };
    const mailer = mailerWith({ transport });
    await mailer.send(mail('reset')); // The server greets new connections after a timer only.
    jest.useFakeTimers({ doNotFake: ALL_BUT_DATE.filter((name) => name !== 'setTimeout') });
    server.hang();
    const sending = failure(mailer.send(mail('reset')));
    while (server.attempts === 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    jest.advanceTimersByTime(9_600);
    expect(await sending).toEqual({ name: 'MailNotSentError', code: 'ETIMEDOUT' });
  });
});

describe('transports', () => {
  it('takes the options of nodemailer: a login, and TLS', async () => {
    const safe = await MailServer.start({
      disabledCommands: [],
      onAuth: ({ username, password }, _session, callback) =>
        password === 'hunter2' ? callback(null, { user: username }) : callback(new Error('535 hunter2')),
    });
    const transport = {
      host: '127.0.0.1',
      port: safe.port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: 'app', pass: 'hunter2' },
    };
    await mailerWith({ transport }).send(mail('reset'));
    expect(safe.mails).toMatchObject([{ secure: true, user: 'app' }]);
    // The certificate is nobody's: not trusted unless the options say so.
    const trusting = mailerWith({ transport: safe.url }).send(mail('reset'));
    await expect(trusting).rejects.toMatchObject({ code: 'ESOCKET' });
    const wrong = { ...transport, auth: { user: 'app', pass: 'hunter3' } };
    await expect(mailerWith({ transport: wrong }).send(mail('reset'))).rejects.toMatchObject({
      code: 'EAUTH',
      responseCode: 535,
      message: 'the mail was not sent: EAUTH, 535',
    });
    await safe.close();
  });

  it('takes a transport of its own kind', async () => {
    const seen: unknown[] = [];
    const { transporter } = createTransport({ jsonTransport: true });
    const send: typeof transporter.send = (message, done) => {
      seen.push(message.data.to);
      transporter.send(message, done);
    };
    await mailerWith({ transport: { name: 'own', version: '1', send } }).send(mail('reset'));
    expect(seen).toEqual([{ name: '', address: 'Ann@example.com' }]);
  });

  it.each([true, false])('leaves no connection open when it closes; pool: %s', async (pool) => {
    const mailer = mailerWith({
      transport: { url: server.url, pool } as NodemailerMailerOptions['transport'],
    });
    await mailer.send(mail('reset'));
    server.hang();
    server.attempts = 0;
    const sending = expect(mailer.send(mail('reset'))).rejects.toMatchObject({ code: 'ECLOSED' });
    while (server.attempts === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    mailer.close();
    mailer.close();
    await sending;
    while (server.connections > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect(mailer.send(mail('reset'))).rejects.toMatchObject({ code: 'ECLOSED' });
  });
});
