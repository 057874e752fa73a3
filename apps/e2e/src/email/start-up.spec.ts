import { afterEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { KitAuthModule } from 'kit-auth';
import { AUTH_MAILER, KitAuthEmailModule, LOCALES_OF_USERS, LogMailer } from 'kit-auth-email';
import { CapableUsersModule, PlainUsersModule, testApp, type TestAppOptions } from 'test-support';
import { EmailApp, LINKS, Mailbox } from './app.js';
import { LOGIN_LINKS } from './login-links-app.js';

const mailer = new Mailbox();
const before = process.env['NODE_ENV'];
afterEach(() => {
  process.env['NODE_ENV'] = before;
});

const withEmail = (options: object, rest: TestAppOptions = {}) =>
  testApp({ ...rest, imports: [KitAuthEmailModule.forRoot(options), ...(rest.imports ?? [])] });

@Module({ providers: [{ provide: AUTH_MAILER, useValue: mailer }] })
class MailModule {}

@Module({ providers: [{ provide: AUTH_MAILER, useValue: { sendMail: () => undefined } }] })
class NoMailModule {}

@Module({ providers: [{ provide: LOCALES_OF_USERS, useValue: { localeOf: () => 'de' } }] })
class LocalesModule {}

@Module({ providers: [{ provide: LOCALES_OF_USERS, useValue: { languageOf: () => 'de' } }] })
class NoLocalesModule {}

describe('start-up', () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'without links',
      () => withEmail({ mailer }),
      /kit\.auth\.email\.links\.reset is missing: the URL of your page/,
    ],
    [
      'with a link that has its token in the query',
      () => withEmail({ mailer, links: { ...LINKS, reset: 'https://app.example/reset?token={token}' } }),
      /kit\.auth\.email\.links\.reset must have \{token\} in the fragment, after the #/,
    ],
    [
      'with login links and without their page',
      () => withEmail({ mailer, links: LINKS, loginLinks: { minutes: 10 } }),
      /kit\.auth\.email\.links\.login is missing: the URL of your page, such as https:\/\/app\.example\/login#\{token\}/,
    ],
    [
      'with login links that live for a day',
      () => withEmail({ mailer, links: LOGIN_LINKS, loginLinks: { minutes: 1440 } }),
      /kit\.auth\.email\.loginLinks\.minutes must be a whole number from 1 to 60/,
    ],
    [
      'with login links that create accounts, and nothing that does so',
      () => withEmail({ mailer, links: LOGIN_LINKS, loginLinks: { signUp: true } }),
      /kit\.auth\.email\.loginLinks\.signUp creates accounts .*: import KitAuthRegistrationModule, too/,
    ],
    [
      'without a mailer',
      () => withEmail({ links: LINKS }),
      /kit-auth-email has no mailer\. Pass one to KitAuthEmailModule\.forRoot\(\{ mailer \}\)/,
    ],
    [
      'with two mailers',
      () => withEmail({ links: LINKS, mailer }, { imports: [MailModule] }),
      /There are two mailers: kit\.auth\.email\.mailer, and one that a module provides as AUTH_MAILER/,
    ],
    [
      'with two modules that bring one',
      () =>
        withEmail(
          { links: LINKS },
          {
            imports: [
              MailModule,
              { module: class OtherMailModule {}, providers: [{ provide: AUTH_MAILER, useValue: mailer }] },
            ],
          },
        ),
      /There is more than one AuthMailer: .*MailModule.*OtherMailModule/,
    ],
    [
      'with two imports of the module',
      () =>
        withEmail(
          { links: LINKS, mailer },
          { imports: [KitAuthEmailModule.forRoot({ links: LINKS, mailer })] },
        ),
      /There is more than one KitAuthEmailModule\.forRoot\(\)/,
    ],
    [
      'with something that is no mailer',
      () => withEmail({ links: LINKS }, { imports: [NoMailModule] }),
      /NoMailModule\) does not implement AuthMailer: it lacks send/,
    ],
    [
      'with two modules that know the languages of users',
      () =>
        withEmail(
          { links: LINKS, mailer },
          { imports: [LocalesModule, { module: class OtherModule {}, imports: [NoLocalesModule] }] },
        ),
      /There is more than one LocalesOfUsers: .*LocalesModule.*NoLocalesModule/,
    ],
    [
      'with one that does not',
      () => withEmail({ links: LINKS, mailer }, { imports: [NoLocalesModule] }),
      /NoLocalesModule\) does not implement LocalesOfUsers: it lacks localeOf/,
    ],
    [
      'with a user store that can change no passwords',
      () => withEmail({ links: LINKS, mailer }, { core: KitAuthModule.forRoot({ users: PlainUsersModule }) }),
      /kit-auth-email needs a user store with the method stampOf, changePassword, which PlainUsers lacks/,
    ],
    [
      'without a data source',
      () =>
        withEmail(
          { links: LINKS, mailer },
          { database: false, core: KitAuthModule.forRoot({ users: CapableUsersModule }) },
        ),
      /needs a data source of TypeORM for (one-time tokens|addresses)/,
    ],
    [
      'without its tables',
      () =>
        withEmail(
          { links: LINKS, mailer },
          {
            database: { type: 'better-sqlite3', database: ':memory:', autoLoadEntities: true },
            core: KitAuthModule.forRoot({ users: CapableUsersModule }),
          },
        ),
      /The database is not ready: the table auth_(one_time|user_email) is missing\. Add kitAuthMigrations of/,
    ],
  ])('fails %s', async (_, start, message) => {
    await expect(start()).rejects.toThrow(message);
  });

  it('refuses the LogMailer in production, and accepts it otherwise', async () => {
    process.env['NODE_ENV'] = 'production';
    const options = { jwt: { secret: 'x'.repeat(64) }, defaultAdminPassword: 'a fine one for a test 1' };
    const start = () => withEmail({ links: LINKS, mailer: new LogMailer() }, { options });
    await expect(start()).rejects.toThrow(
      /LogMailer .* is refused with NODE_ENV=production\. Use a mailer that sends/,
    );
    process.env['NODE_ENV'] = 'test';
    await start();
  });

  it('takes the mailer of a module, and options from forRootAsync', async () => {
    const app = await testApp({
      imports: [MailModule, KitAuthEmailModule.forRootAsync({ useFactory: async () => ({ links: LINKS }) })],
    });
    expect((await app.call(undefined, 'POST', 'password/forgot', { email: 'ada@example.com' })).status).toBe(
      202,
    );
  });

  it('answers 404 while kit.auth.enabled is false, and needs nothing', async () => {
    const limiter = () => {
      throw new Error('there is no Redis');
    };
    const options = { enabled: false, users: PlainUsersModule, login: { throttle: { limiter } } };
    const app = await testApp({
      database: false,
      core: KitAuthModule.forRoot(options),
      imports: [KitAuthEmailModule.forRoot({ links: LINKS })],
    });
    for (const path of ['password/forgot', 'password/reset', 'email/confirm']) {
      expect((await app.call(undefined, 'POST', path, {})).status).toBe(404);
    }
  });

  it('ends without waiting for random delays', async () => {
    const app = await new EmailApp().start();
    const user = await app.addressed();
    await app.forgot(user.address);
    await app.close();
    expect(app.mailbox.to(user.address)).toHaveLength(1);
  });
});
