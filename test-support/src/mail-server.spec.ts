import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { MailServer } from './mail-server.js';

describe('MailServer', () => {
  let server: MailServer;
  beforeAll(async () => void (server = await MailServer.start()));
  beforeEach(() => server.clear());
  afterAll(() => server.close());

  function send(to: string, text = 'See https://app.example/reset#kato_x, please') {
    const mail = { from: 'app@example.com', to, subject: 'Grüße', text, html: `<p>${text}</p>` };
    return createTransport(server.url).sendMail(mail);
  }

  it('parses what arrives, before or after somebody waits for it', async () => {
    const later = server.waitFor(({ to }) => to.includes('bob@example.com'));
    await send('ann@example.com');
    const mail = await server.waitFor(({ to }) => to.includes('ann@example.com'));
    expect(mail).toMatchObject({ from: 'app@example.com', subject: 'Grüße', secure: false, user: undefined });
    expect(mail.link).toBe('https://app.example/reset#kato_x');
    expect([mail.html, mail.header('From')]).toEqual([expect.stringMatching(/^<p>See/), ['app@example.com']]);
    await send('bob@example.com');
    expect((await later).to).toEqual(['bob@example.com']);
    await expect(server.waitFor(({ to }) => to.includes('cid@example.com'), 20)).rejects.toThrow(
      /among 2:\nann@/,
    );
  });

  it('rejects, hangs and accepts again', async () => {
    server.reject(452);
    await expect(send('ann@example.com')).rejects.toMatchObject({ responseCode: 452 });
    server.hang();
    const sent = send('ann@example.com');
    while (server.attempts < 2) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(server.mails).toEqual([]);
    server.accept();
    await sent;
    expect(server.mails).toHaveLength(1);
  });

  it('closes although clients are connected', async () => {
    const other = await MailServer.start();
    const client = connect(other.port, '127.0.0.1');
    await once(client, 'data');
    await other.close();
    client.destroy();
  });
});
