import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import {
  describePackage,
  OpenApi,
  PASSWORD,
  type TestApp,
  testApp,
  type TestAppOptions,
  until,
} from 'test-support';
import * as api from './api.js';
import { emailApi } from './email.api.js';
import { emailOptions } from './email.options.js';
import * as index from './index.js';
import { AUTH_MAILER, type AuthMail, KitAuthEmailModule, LOCALES_OF_USERS, LogMailer } from './index.js';
import * as nodemailer from './nodemailer.js';
import * as typeorm from './typeorm.js';

const page = (name: string) => `https://app.example/${name}#{token}`;
const LINKS = { reset: page('reset'), verify: page('verify') };
const links = { ...LINKS, login: page('login') };
const mails: AuthMail[] = [];
const mailer = { send: async (mail: AuthMail) => void mails.push(mail) };
const missing = (name: string) =>
  `kit.auth.email.links.${name} is missing: the URL of your page, such as https://app.example/${name}#{token}`;

afterEach(() => {
  jest.restoreAllMocks();
  mails.length = 0;
});

/** The statuses of our endpoints that begin so, and whether they need no token. */
function describedBy(app: TestApp, paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    [...new OpenApi(app).ours]
      .filter(([name]) => paths.some((path) => name.split(' ')[1]!.startsWith(path)))
      .map(([name, { security, responses }]) => [
        name,
        `${security.length === 0 ? 'open ' : ''}${Object.keys(responses).join()}`,
      ]),
  );
}

describePackage({
  at: import.meta.url,
  entries: { '': index, api, nodemailer, typeorm },
  module: KitAuthEmailModule,
  definition: emailOptions,
  options: { links, mailer, loginLinks: true },
  defaults: {
    links,
    mailer,
    adminSetsPasswords: false,
    requestsPerHour: 20,
    loginLinks: { minutes: 15, signUp: false },
  },
  wrong: [
    [{}, missing('reset'), missing('verify')],
    [{ links: { verify: LINKS.verify }, loginLinks: {} }, missing('reset'), missing('login')],
    [{ links: LINKS, loginLinks: { signUp: true } }, missing('login')],
    [
      {
        links: {
          reset: 'https://app.example/secret?token={token}',
          verify: 'http://app.example/secret#{token}',
          register: '/secret#{token}',
          invite: 'https://app.example/secret',
          login: 'https://ada:secret@app.example/#{token}',
        },
        mailer: { sendMail: () => undefined },
        adminSetsPasswords: 'no',
        requestsPerHour: 0,
        loginLinks: { minutes: 61, signUp: 1 },
      },
      'kit.auth.email.links.reset must have {token} in the fragment, after the #: other parts of a URL end up in logs',
      'kit.auth.email.links.verify must be an https URL (http only for localhost)',
      'kit.auth.email.links.register must be an absolute URL',
      'kit.auth.email.links.invite must have {token} once, in the fragment: https://app.example/reset#{token}',
      'kit.auth.email.links.login must not contain credentials',
      'kit.auth.email.mailer must be an object with the method send(mail), such as new NodemailerMailer({ ... })',
      'kit.auth.email.adminSetsPasswords must be the boolean true or false',
      'kit.auth.email.requestsPerHour must be a whole number from 1 to 1000000',
      'kit.auth.email.loginLinks.minutes must be a whole number from 1 to 60',
      'kit.auth.email.loginLinks.signUp must be the boolean true or false',
    ],
  ],
  environment: [
    [
      {
        KIT_AUTH_EMAIL_LINKS_RESET: page('reset'),
        KIT_AUTH_EMAIL_LINKS_VERIFY: page('verify'),
        KIT_AUTH_EMAIL_LINKS_REGISTER: page('register'),
        KIT_AUTH_EMAIL_LINKS_INVITE: page('invite'),
        KIT_AUTH_EMAIL_LINKS_LOGIN: page('login'),
        KIT_AUTH_EMAIL_ADMIN_SETS_PASSWORDS: 'true',
        KIT_AUTH_EMAIL_REQUESTS_PER_HOUR: '50',
        KIT_AUTH_EMAIL_LOGIN_LINKS_MINUTES: '5',
        KIT_AUTH_EMAIL_LOGIN_LINKS_SIGN_UP: 'true',
      },
      {
        links: { ...links, register: page('register'), invite: page('invite') },
        adminSetsPasswords: true,
        requestsPerHour: 50,
        loginLinks: { minutes: 5, signUp: true },
      },
    ],
    [
      {
        KIT_AUTH_EMAIL_LINKS_RESET: page('reset'),
        KIT_AUTH_EMAIL_LINKS_VERIFY: page('verify'),
        KIT_AUTH_EMAIL_LOGIN_LINKS: 'false',
      },
      { links: LINKS, loginLinks: false },
    ],
  ],
  needs: {
    store: ['stampOf', 'changePassword'],
    tables: /the table auth_(one_time|user_email) is missing\. Add kitAuthMigrations of/,
    once: /There is more than one KitAuthEmailModule\.forRoot\(\)/,
  },
  requests: async (app, check) => {
    expect(describedBy(app, ['password/', 'email', 'login/link', 'users/{id}/reset'])).toEqual({
      'POST password/forgot': 'open 202,400,429,503',
      'POST password/reset': 'open 204,400,503',
      'GET email': '200,401,403,503',
      'POST email': '202,400,401,403,409,429,503',
      'DELETE email/pending': '204,401,403,503',
      'POST email/verify': '202,401,403,409,429,503',
      'POST email/confirm': 'open 204,400,401,403,409,503',
      'POST login/link': 'open 202,400,429,503',
      'POST login/link/complete': 'open 200,400,401,409,429,503',
      'POST users/{id}/reset-link': '202,401,403,404,409,429,503',
    });
    jest.spyOn(Math, 'random').mockReturnValue(0); // mails leave after the shortest delay
    const { id, username } = await app.user({ username: 'ada@example.com' });
    const own = await app.tokenOf(username);
    const sent = (kind: string) => until(() => mails.find((mail) => mail.kind === kind));
    const tokenOf = async (kind: string) => (await sent(kind)).link!.split('#')[1]!;
    const post = async (path: string, body: object, token?: string) =>
      check(`POST ${path}`, await app.call(token, 'POST', path, body));
    check('GET email', await app.call(own, 'GET', 'email'));
    await post('email/verify', {}, own);
    await post('email', { email: username }, own);
    const change = await tokenOf('verify-address');
    await post('email/confirm', { token: change });
    await post('email/confirm', { token: change }, own);
    await post('email/confirm', { token: change }, own);
    check('DELETE email/pending', await app.call(own, 'DELETE', 'email/pending'));
    await post('password/forgot', { email: username });
    await post('password/forgot', {});
    const token = await tokenOf('reset');
    await post('password/reset', { token, newPassword: 'short' });
    await post('password/reset', { token, newPassword: PASSWORD });
    await post('login/link', { email: username });
    await post('login/link/complete', { token: await tokenOf('login') });
    await post('login/link/complete', { email: username, code: (await sent('login')).code });
    const verified = await app.tokenOf(username);
    await post('fresh/options', { factor: 'email' }, verified);
    await post('fresh/options', { factor: 'totp' }, verified);
    const confirmation = { factor: 'email', code: (await sent('confirm')).code };
    expect((await post('fresh', confirmation, verified)).status).toBe(200);
    await post('fresh', confirmation, verified);
    const admin = await app.adminToken();
    check('POST users/{id}/reset-link', await app.call(admin, 'POST', 'users/0/reset-link'));
    check('POST users/{id}/reset-link', await app.call(admin, 'POST', `users/${id}/reset-link`));
    check('POST users/{id}/reset-link', await app.call(admin, 'POST', `users/${id}/reset-link`));
  },
});

it('needs two links and a mailer, which stays as it is, and nothing else', () => {
  const { settings, problems } = emailOptions.resolve({ links: LINKS }, { mailer });
  expect([problems, settings.loginLinks]).toEqual([[], false]);
  expect(settings.mailer).toBe(mailer);
  expect(Object.isFrozen(mailer)).toBe(false);
});

describe('the mailer of an application', () => {
  @Module({ providers: [{ provide: AUTH_MAILER, useValue: mailer }] })
  class MailModule {}
  @Module({ providers: [{ provide: AUTH_MAILER, useValue: { sendMail: () => undefined } }] })
  class NoMailModule {}

  const start = (options: object, ...imports: NonNullable<TestAppOptions['imports']>): Promise<TestApp> =>
    testApp({ imports: [KitAuthEmailModule.forRoot({ links: LINKS, ...options }), ...imports] });

  it('comes from the options or from one module', async () => {
    await start({}, MailModule);
    await expect(start({})).rejects.toThrow(
      /kit-auth-email has no mailer\. Pass one to KitAuthEmailModule\.forRoot\(\{ mailer \}\)/,
    );
    await expect(start({ mailer }, MailModule)).rejects.toThrow(
      /There are two mailers: kit\.auth\.email\.mailer, and one that a module provides as AUTH_MAILER/,
    );
    await expect(start({}, MailModule, NoMailModule)).rejects.toThrow(
      /There is more than one AuthMailer: .*MailModule.*NoMailModule/,
    );
    await expect(start({}, NoMailModule)).rejects.toThrow(
      /NoMailModule\) does not implement AuthMailer: it lacks send/,
    );
  });

  it('is no LogMailer in production, but may be one otherwise', async () => {
    const before = process.env['NODE_ENV'];
    const options = { jwt: { secret: 'x'.repeat(64) }, defaultAdminPassword: 'a fine one for a test 1' };
    const withLogs = () =>
      testApp({ options, imports: [KitAuthEmailModule.forRoot({ links: LINKS, mailer: new LogMailer() })] });
    try {
      process.env['NODE_ENV'] = 'production';
      await expect(withLogs()).rejects.toThrow(
        /LogMailer .* is refused with NODE_ENV=production\. Use a mailer that sends/,
      );
      process.env['NODE_ENV'] = 'test';
      await withLogs();
    } finally {
      process.env['NODE_ENV'] = before;
    }
  });
});

it('learns the languages of users from one module', async () => {
  @Module({ providers: [{ provide: LOCALES_OF_USERS, useValue: { localeOf: () => 'de' } }] })
  class LocalesModule {}
  @Module({ providers: [{ provide: LOCALES_OF_USERS, useValue: { languageOf: () => 'de' } }] })
  class NoLocalesModule {}
  const start = (...imports: NonNullable<TestAppOptions['imports']>) =>
    testApp({ imports: [KitAuthEmailModule.forRoot({ links: LINKS, mailer }), ...imports] });

  await start(LocalesModule);
  await expect(start(LocalesModule, NoLocalesModule)).rejects.toThrow(
    /There is more than one LocalesOfUsers: .*LocalesModule.*NoLocalesModule/,
  );
  await expect(start(NoLocalesModule)).rejects.toThrow(
    /NoLocalesModule\) does not implement LocalesOfUsers: it lacks localeOf/,
  );
});

it('describes remember for pages with cookies alone', () => {
  const json = emailApi['POST login/link'].body.remember.json as (application: object) => unknown;
  expect([json({ cookies: true }), json({ cookies: false })]).toEqual([{ type: 'boolean' }, undefined]);
});
