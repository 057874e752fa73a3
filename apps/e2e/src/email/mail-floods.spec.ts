import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { enrolFactor } from 'kit-auth-factors/testing';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { MailQueue } from 'kit-auth-email/extend';
import { freezeDate, PASSWORD, sharedTestApp, until } from 'test-support';
import { EmailApp, NEW_PASSWORD, tokenIn, type UserWithAddress } from './app.js';

const FLOOD = 1100; // more than the queue takes
const AT_ONCE = 25;
const HOUR = 60 * 60_000;

describe('a flood of mails', () => {
  const app = sharedTestApp(
    new EmailApp({
      platform: 'fastify',
      admin: true,
      imports: [
        KitAuthFactorsModule.forRoot({ keys: ['a key of at least 32 bytes, for tests'], issuer: 'X' }),
      ],
      options: { login: { throttle: false } },
    }),
  );
  let flooder: UserWithAddress;
  let session: string;

  beforeEach(async () => {
    app.sendAtOnce();
    flooder = await app.addressed();
    const token = await app.tokenOf(flooder);
    const { code } = await enrolFactor(app.nest, flooder.id);
    session = (await app.call(token, 'POST', 'fresh', { factor: 'totp', code: await code() })).json.token;
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('of one user leaves the mails of others alone, and is told ten times', async () => {
    const other = await app.addressed();
    const third = await app.addressed();
    for (let sent = 0; sent < FLOOD; sent += AT_ONCE) {
      const renewals = Array.from({ length: AT_ONCE }, () => app.call(session, 'POST', 'factors/recovery'));
      expect(new Set((await Promise.all(renewals)).map(({ status }) => status))).toEqual(new Set([200]));
    }
    expect(app.get(MailQueue).size).toBeLessThan(5);
    expect((await app.reset(await app.resetToken(other))).status).toBe(204);
    const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await app.call(await app.tokenOf(third), 'POST', 'password', passwords)).status).toBe(204);
    await until(() => app.mailbox.some(third.address, 'password-changed'));
    await app.mailsSent();
    expect(app.mailbox.to(flooder.address, 'factor-changed')).toHaveLength(10);
    const failed = app.heard('mail-failed').filter(({ subjectId }) => subjectId === flooder.id);
    expect(failed).toEqual([expect.objectContaining({ detail: 'factor-changed' })]);
    const lines = app.logs.ours().filter((line) => line.includes('the mail factor-changed was not sent'));
    expect(lines).toEqual([expect.stringContaining('10 of them within an hour')]);
    expect((await app.call(session, 'POST', 'password', passwords)).status).toBe(204);
    await until(() => app.mailbox.some(flooder.address, 'password-changed')); // another kind
  });

  it('that fills the queue gives up places for the mails of others, and for notices', async () => {
    const others = [await app.addressed(), await app.addressed()];
    const token = await app.tokenOf(others[1]!);
    const queue = app.get(MailQueue);
    let release = (): void => undefined;
    const released = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
    const { id: subjectId, username: subject } = flooder;
    const add = () => queue.add({ kind: 'verify-address', subjectId, subject }, () => released);
    const fill = () => {
      while (queue.size < 1000) {
        add();
      }
      expect(add).toThrow(expect.objectContaining({ code: 50300 }));
    };
    const displaced = () =>
      app
        .heard('mail-failed')
        .flatMap((event) => (event.detail === 'verify-address' ? [event.subjectId] : []));
    fill();
    expect((await app.forgot(others[0]!.address)).status).toBe(202);
    await until(() => app.mailbox.some(others[0]!.address, 'reset'));
    await until(() => queue.size < 1000 || undefined);
    fill();
    const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await app.call(token, 'POST', 'password', passwords)).status).toBe(204);
    await until(() => app.mailbox.some(others[1]!.address, 'password-changed'));
    await until(() => displaced().length === 2 || undefined);
    expect(displaced()).toEqual([subjectId, subjectId]);
    release();
    await app.mailsSent();
  });
});

describe('limits of', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('links that administrators send: one a minute and five a day, apart from those of strangers', async () => {
    const app = await new EmailApp({ admin: true }).start();
    const moveDate = freezeDate();
    const user = await app.addressed();
    const other = await app.addressed();
    const send = async (id: number) => app.call(await app.adminToken(), 'POST', `users/${id}/reset-link`);
    for (let i = 0; i < 6; i++) {
      await app.forgot(user.address);
      await app.mailsSent();
      moveDate(61_000);
    }
    for (let sent = 1; sent <= 5; sent++) {
      expect((await send(user.id)).status).toBe(202);
      const again = await send(user.id);
      expect([again.status, again.json.code]).toEqual([429, 42900]);
      expect(Number(again.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(again.headers['retry-after'])).toBeLessThanOrEqual(60);
      moveDate(61_000);
    }
    const refused = await send(user.id);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(HOUR / 1000);
    expect((await send(other.id)).status).toBe(202);
    await app.mailsSent();
    expect(app.mailbox.to(user.address, 'reset')).toHaveLength(5 + 5);
    moveDate(24 * HOUR);
    expect((await send(user.id)).status).toBe(202);
  });

  it('notices of new keys, which are sent to their owners', async () => {
    const app = await new EmailApp({ admin: true, imports: [KitAuthKeysModule] }).start();
    const user = await app.addressed({ roles: [await app.role({ permissions: ['note:read'] })] });
    const token = await app.tokenOf(user);
    const created = await app.call(token, 'POST', 'keys', { name: 'CI', abilities: ['note:read'] });
    expect(created.status).toBe(201);
    const [mail] = await until(() => app.mailbox.some(user.address, 'key-created'));
    expect(mail).toEqual({
      kind: 'key-created',
      to: user.address,
      user: expect.objectContaining({ userId: user.id, username: user.username }),
    });
    expect(tokenIn(mail!)).toBe('');
  });
});
