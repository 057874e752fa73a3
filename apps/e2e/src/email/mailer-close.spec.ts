import { describe, expect, it } from '@jest/globals';
import { NodemailerMailer } from 'kit-auth-email/nodemailer';
import { MailServer, until } from 'test-support';
import { EmailApp } from './app.js';

describe('the mailer of an application that ends', () => {
  it('has no connection left, neither idle nor with a mail that the server does not take', async () => {
    const server = await MailServer.start();
    const transport = { url: server.url, pool: true as const };
    const mailer = new NodemailerMailer({ transport, from: 'app@example.com', appName: 'App' });
    const app = new EmailApp({ email: { mailer } });
    await app.start();
    const users = [await app.addressed(), await app.addressed()];
    await app.forgot(users[0]!.address);
    const mail = await server.waitFor(({ to }) => to.includes(users[0]!.address));
    expect(mail.link).toMatch(/^https:\/\/app\.example\/reset#kato_/);
    server.hang();
    await app.forgot(users[1]!.address);
    await until(() => server.attempts === 2 || undefined);
    expect(server.connections).toBeGreaterThan(0);
    await app.close();
    await until(() => server.connections === 0 || undefined);
    await server.close();
  });

  it.each<[string, () => Promise<void>, string]>([
    [
      'fails to close',
      () => Promise.reject(new Error('cannot close for ann@example.com')),
      'Error: cannot close for ...',
    ],
    [
      'hangs when it closes',
      () => new Promise(() => undefined),
      'DeadlineExceeded: the mailer gave no answer in 1000 ms',
    ],
  ])('does not keep the application from ending when it %s', async (_, close, reason) => {
    const app = new EmailApp({ email: { mailer: { send: async () => undefined, close } } });
    await app.start();
    await app.close();
    expect(app.logs.ours()).toContain(`warn [auth] the mailer was not closed: ${reason}`);
  });
});
