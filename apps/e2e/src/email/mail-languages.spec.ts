import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { LOCALES_OF_USERS, type LocalesOfUsers } from 'kit-auth-email';
import { ENGLISH, GERMAN, NodemailerMailer } from 'kit-auth-email/nodemailer';
import { KitAuthLanguagesModule } from 'kit-auth-languages';
import { MailServer, PASSWORD, type TestApp, until } from 'test-support';
import { EmailApp, NEW_PASSWORD } from './app.js';
import { RegistrationApp } from '../registration/app.js';

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
  let admin: string;
  beforeAll(async () => {
    server = await MailServer.start();
    const mailer = new NodemailerMailer({
      transport: server.url,
      from: 'app@example.com',
      appName: 'App',
      locales: { de: GERMAN },
    });
    app = new EmailApp({
      admin: true,
      imports: [KitAuthLanguagesModule, ChosenLocalesModule],
      email: { mailer, adminSetsPasswords: true },
    });
    await app.start();
    admin = await app.adminToken();
  });
  beforeEach(() => app.sendAtOnce());
  afterAll(async () => {
    await app.close();
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

  it('have the language of the request about what users change themselves', async () => {
    const user = await app.addressed();
    const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await post(app, 'de', 'password', passwords, await app.tokenOf(user))).status).toBe(204);
    expect(await subjectTo(user.address)).toBe(subjectOf(GERMAN, 'password-changed'));
  });

  it('have the language of the user, and never that of the administrator, about what the latter changes', async () => {
    const [known, unknown] = [await app.addressed(), await app.addressed()];
    choose(known, 'de');
    const newPassword = NEW_PASSWORD;
    expect((await post(app, 'en', `users/${known.id}/password`, { newPassword }, admin)).status).toBe(204);
    expect((await post(app, 'de', `users/${unknown.id}/password`, { newPassword }, admin)).status).toBe(204);
    expect(await subjectTo(known.address)).toBe(subjectOf(GERMAN, 'password-changed'));
    expect(await subjectTo(unknown.address)).toBe(subjectOf(ENGLISH, 'password-changed'));
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

  it('is that of the user without kit-auth-languages, too', async () => {
    const app = await new EmailApp({ imports: [ChosenLocalesModule] }).start();
    const { address, id } = await app.addressed();
    app.get(ChosenLocales).byId.set(id, 'pt-br');
    await post(app, 'de', 'password/forgot', { email: address });
    expect((await until(() => app.mailbox.to(address)[0])).locale).toBe('pt-BR');
  });

  it('is the one that was sent with a registration or an invitation, and no administrator brings theirs', async () => {
    const app = new RegistrationApp({ admin: true, imports: [KitAuthLanguagesModule] });
    await app.start();
    const admin = await app.adminToken();
    const locales = ['pt-BR', undefined];
    for (const locale of locales) {
      const name = locale ?? 'none';
      await post(app, 'de', 'register', { email: `register.${name}@example.com`, locale });
      await post(app, 'de', 'invitations', { email: `invite.${name}@example.com`, roles: [], locale }, admin);
    }
    const mails = await until(() => (app.box.mails.length === 4 ? app.box.mails : undefined));
    expect(mails.map(({ kind, locale }) => `${kind} ${locale}`).sort()).toEqual([
      'invite pt-BR',
      'invite undefined',
      'register de',
      'register pt-BR',
    ]);
  });
});
