import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { LOCALES_OF_USERS, type LocalesOfUsers } from 'kit-auth-email';
import { ENGLISH, GERMAN, NodemailerMailer } from 'kit-auth-email/nodemailer';
import { KitAuthLanguagesModule } from 'kit-auth-languages';
import { MailServer, type TestApp, until } from 'test-support';
import { EmailApp } from './app.js';

/** The languages that users have chosen. */
@Injectable()
class ChosenLocales implements LocalesOfUsers {
  readonly byId = new Map<UserId, string>();

  async localeOf(userId: UserId): Promise<string | undefined> {
    return this.byId.get(userId);
  }
}

@Module({
  providers: [ChosenLocales, { provide: LOCALES_OF_USERS, useExisting: ChosenLocales }],
})
class ChosenLocalesModule {}

/** Posts in a language. */
function post(app: TestApp, language: string, path: string, json: object, token?: string) {
  return app.request(`/v1/api/auth/${path}`, {
    method: 'POST',
    token,
    json,
    headers: [`Accept-Language: ${language}`],
  });
}

const subjectOf = (language: typeof GERMAN, kind: 'reset' | 'password-changed') =>
  language.mails[kind].subject.replace('{app}', 'App');

describe('mails', () => {
  let server: MailServer;
  let app: EmailApp;
  beforeAll(async () => {
    server = await MailServer.start();
    const mailer = new NodemailerMailer({
      transport: { url: server.url, pool: true },
      from: 'app@example.com',
      appName: 'App',
      locales: { de: GERMAN },
    });
    app = new EmailApp({
      imports: [KitAuthLanguagesModule, ChosenLocalesModule],
      email: { mailer },
    });
    await app.start();
  });
  beforeEach(() => app.sendAtOnce());
  afterAll(async () => {
    await server.close();
  });

  const subjectTo = async (address: string) =>
    (await server.waitFor(({ to }) => to.includes(address))).subject;
  const choose = ({ id }: { id: number }, locale: string) => app.get(ChosenLocales).byId.set(id, locale);

  it.each([
    ['de-AT, en;q=0.5', GERMAN, 'de'],
    ['fr', ENGLISH, 'en'],
  ])('have the language of the request if nobody is logged in: %s', async (accepted, language, tag) => {
    const { address } = await app.addressed();
    expect((await post(app, accepted, 'password/forgot', { email: address })).status).toBe(202);
    expect(await subjectTo(address)).toBe(subjectOf(language, 'reset'));
    expect(server.mails.at(-1)?.html).toContain(`<html lang="${tag}"`);
  });

  it('have the language that the user has chosen, before that of the request', async () => {
    const user = await app.addressed();
    choose(user, 'de-CH');
    await post(app, 'en', 'password/forgot', { email: user.address });
    expect(await subjectTo(user.address)).toBe(subjectOf(GERMAN, 'reset'));
  });

  it('leave no connection behind when the application ends', async () => {
    expect(server.connections).toBeGreaterThan(0);
    await app.close();
    await until(() => server.connections === 0 || undefined);
  });
});

describe('the locale of mails', () => {
  it('is undefined without kit-auth-languages, as before', async () => {
    const app = await new EmailApp().start();
    const { address, id, username } = await app.addressed();
    await post(app, 'de', 'password/forgot', { email: address });
    const mail = await until(() => app.mailbox.to(address)[0]);
    expect(mail).toEqual({
      kind: 'reset',
      to: address,
      link: expect.any(String),
      expiresAt: expect.any(Date),
      user: expect.objectContaining({ userId: id, username }),
    });
  });
});
