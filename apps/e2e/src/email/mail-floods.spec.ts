import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { enrolFactor } from 'kit-auth-factors/testing';
import { PASSWORD, sharedTestApp, until } from 'test-support';
import { EmailApp, NEW_PASSWORD, type UserWithAddress } from './app.js';

const NOTICES = 12; // more than a user gets in an hour

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
  });

  it('of one user leaves the mails of others alone, and is told ten times', async () => {
    const other = await app.addressed();
    const third = await app.addressed();
    for (let sent = 0; sent < NOTICES; sent++) {
      expect((await app.call(session, 'POST', 'factors/recovery')).status).toBe(200);
      await app.mailsSent();
    }
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
});
