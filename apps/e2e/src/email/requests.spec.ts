import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { AuthErrorCode, AuthException, LOGIN_STEP, type LoginStep } from 'kit-auth';
import { LoginThrottle } from 'kit-auth/extend';
import { OneTimeTokens } from 'kit-auth/one-time';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { MailQueue } from 'kit-auth-email/extend';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { type Answer, BOTH, freezeDate, PASSWORD, sharedTestApp, until } from 'test-support';
import { EmailApp, loginDuringReset, NEW_PASSWORD, postAsEvilHost } from './app.js';

const FORGOT = '/v1/api/auth/password/forgot';

/** What an answer consists of, but for its time. */
const bytesOf = ({ status, lines, text }: Answer) => ({
  status,
  lines: lines.filter((line) => !/^date:/i.test(line)),
  text,
});

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe.each(BOTH)('requests about addresses on %s', (platform) => {
  const app = sharedTestApp(new EmailApp({ platform, admin: true }));
  beforeEach(() => app.sendAtOnce());

  it('are answered with the same bytes for known, unknown, disabled and refused addresses', async () => {
    const known = await app.addressed();
    const disabled = await app.addressed({ status: AuthUserStatus.DISABLED });
    const emails = [known.address, 'nobody@example.com', disabled.address, known.address.toUpperCase()];
    const answers: Answer[] = [];
    for (const email of emails) {
      answers.push(await app.forgot(email));
    }
    expect(answers[0]).toMatchObject({ status: 202, text: '', headers: { 'cache-control': 'no-store' } });
    answers.forEach((answer) => expect(bytesOf(answer)).toEqual(bytesOf(answers[0]!)));
    await app.mailsSent();
    const sent = app.mailbox.mails.filter(({ kind }) => kind === 'reset');
    expect(sent.map(({ to }) => to)).toEqual([known.address]);
  });

  it('are refused with 40000 for wrong bodies', async () => {
    for (const json of [
      {},
      [{ email: 'ada@example.com' }],
      { email: ['ada@example.com'] },
      { email: 'a'.repeat(2 ** 20) },
    ]) {
      const answer = await app.request(FORGOT, { method: 'POST', json });
      expect([answer.status, answer.json.code]).toEqual([400, 40000]);
    }
  });

  it('consume a token with POST alone', async () => {
    const user = await app.addressed();
    const token = await app.resetToken(user);
    for (const path of ['password/reset', 'email/confirm', 'password/forgot']) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT']) {
        const target = `/v1/api/auth/${path}?token=${token}&newPassword=${encodeURIComponent(NEW_PASSWORD)}`;
        const { status } = await app.request(target, { method });
        expect([401, 404, 405]).toContain(status);
      }
    }
    const asQuery = await app.request(`/v1/api/auth/password/reset?token=${token}`, { method: 'POST' });
    expect(asQuery.json.code).toBe(40000);
    const asForm = await app.request('/v1/api/auth/password/reset', {
      method: 'POST',
      headers: ['Content-Type: application/x-www-form-urlencoded'],
      body: `token=${token}&newPassword=${encodeURIComponent(NEW_PASSWORD)}`,
    });
    expect([400, 415]).toContain(asForm.status);
    expect((await app.reset(token)).status).toBe(204);
  });
});

describe('requests', () => {
  const app = sharedTestApp(new EmailApp());
  beforeEach(() => app.sendAtOnce());

  it('for another address need a fresh login', async () => {
    freezeDate();
    const user = await app.addressed();
    const token = await app.tokenOf(user);
    const change = () => app.call(token, 'POST', 'email', { email: `new.${user.address}` });
    jest.setSystemTime(Date.now() + 11 * 60_000);
    expect((await change()).json.code).toBe(40120);
    jest.setSystemTime(Date.now() - 11 * 60_000);
    expect((await change()).status).toBe(202);
  });

  it('make links of the options alone', async () => {
    const user = await app.addressed();
    const { status } = await postAsEvilHost(app, FORGOT, { email: user.address });
    expect(status).toBe(202);
    const mail = await until(() => app.mailbox.to(user.address)[0]);
    expect(mail.link).toMatch(/^https:\/\/app\.example\/reset#kato_/);
    expect(JSON.stringify(mail)).not.toContain('evil');
  });

  it('with wrong tokens hash nothing', async () => {
    const user = await app.addressed();
    const token = await app.resetToken(user);
    const hashes = [jest.spyOn(bcrypt, 'hash'), jest.spyOn(bcrypt, 'compare')];
    const other = token.replace(/_[^_]{8}/, '_AAAAAAAA');
    for (const wrong of [other, `${token}x`, token.slice(0, -1), 'x', "' or 1=1 --", `${token}\0`]) {
      expect(await app.outcomeOf(app.reset(wrong))).toBe(40010);
      expect(await app.outcomeOf(app.confirm(wrong))).toBe(40010);
    }
    expect(await app.outcomeOf(app.reset([token]))).toBe(40000);
    expect(await app.outcomeOf(app.reset({ token }))).toBe(40000);
    const moveDate = freezeDate();
    moveDate(60 * 60_000);
    const expired = await app.reset(token);
    expect([expired.json.code, expired.json.reason]).toEqual([40010, 'expired']);
    moveDate(-60 * 60_000);
    await app.get(OneTimeTokens).cancel({ userId: user.id });
    expect(await app.outcomeOf(app.reset(token))).toBe(40010);
    expect(hashes.map((hash) => hash.mock.calls.length)).toEqual([0, 0]);
  });
});

describe('limits', () => {
  it('answer the 21st request of a client address with 42900', async () => {
    const app = await new EmailApp({ email: { requestsPerHour: 20 }, trustProxy: true }).start();
    const ask = (address: string, email = 'nobody@example.com') =>
      app.request(FORGOT, { method: 'POST', json: { email }, headers: [`X-Forwarded-For: ${address}`] });
    expect((await ask('192.0.2.1', 'x')).status).toBe(400);
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++) {
      statuses.push((await ask('192.0.2.1')).status);
    }
    expect(new Set(statuses)).toEqual(new Set([202]));
    const user = await app.addressed();
    const [unknown, known] = [await ask('192.0.2.1'), await ask('192.0.2.1', user.address)];
    expect([unknown.status, unknown.json.code]).toEqual([429, 42900]);
    expect(Number(unknown.headers['retry-after'])).toBeGreaterThan(3500);
    expect(bytesOf(known)).toEqual(bytesOf(unknown));
    expect((await ask('192.0.2.2')).status).toBe(202);
    expect((await ask('2001:db8::1')).status).toBe(202);
    const token = await app.tokenOf(user);
    const mine = await app.request('/v1/api/auth/email/verify', {
      method: 'POST',
      token,
      headers: ['X-Forwarded-For: 192.0.2.1'],
    });
    expect(mine.json.code).toBe(42900);
    await app.mailsSent();
    expect(app.mailbox.mails).toEqual([]);
  });

  it('end with a reset for the login, which is unlocked', async () => {
    const app = await new EmailApp().start();
    const user = await app.addressed();
    freezeDate();
    const throttle = app.get(LoginThrottle);
    for (let i = 0; (await throttle.lockedUntil(user.username)) === null; i++) {
      await app.login(user.username, `a wrong one ${i}`);
    }
    expect((await app.reset(await app.resetToken(user))).status).toBe(204);
    expect(await throttle.lockedUntil(user.username)).toBeNull();
    expect((await app.login(user.username, NEW_PASSWORD)).status).toBe(200);
  });
});

it('leaves the second factor of a user, whom a reset does not log in', async () => {
  const step: LoginStep = {
    afterFirstFactor: async () => {
      throw new AuthException(AuthErrorCode.SECOND_FACTOR_REQUIRED);
    },
  };
  const app = await new EmailApp({ providers: [{ provide: LOGIN_STEP, useValue: step }] }).start();
  const user = await app.addressed();
  const { status, text } = await app.reset(await app.resetToken(user));
  expect([status, text]).toEqual([204, '']);
  expect((await app.login(user.username, NEW_PASSWORD)).json.code).toBe(40112);
});

describe('a reset during a login with stateless sessions', () => {
  const session = { mode: 'stateless' as const, secret: 'a secret of at least 32 bytes, for tests' };
  const app = sharedTestApp(new EmailApp({ provider: 'session', session }));

  it.each(['before', 'after'] as const)('ends the login %s its token is issued', async (when) => {
    const user = await app.addressed();
    const { code, token } = await loginDuringReset(app, when, user, await app.resetToken(user));
    expect([code, await app.codeOf(token)]).toEqual([40110, 40101]);
  });
});

it('sends no link to a new address, and no notice, where the queue has no place for both', async () => {
  const app = await new EmailApp().start();
  const user = await app.addressed();
  const session = await app.tokenOf(user);
  const queue = app.get(MailQueue);
  let release = (): void => undefined;
  const released = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined);
  });
  while (queue.size < 999) {
    queue.add({ kind: 'reset' }, () => released);
  }
  expect((await app.call(session, 'POST', 'email', { email: 'elsewhere@example.com' })).status).toBe(503);
  release();
  await app.mailsSent();
  expect(app.mailbox.mails).toEqual([]);
  expect(await app.tokensOf(user)).toEqual([]);
});

describe('a mailer that hangs', () => {
  it('changes no answer, until the queue is full for everybody', async () => {
    const app = await new EmailApp().start();
    const user = await app.addressed();
    const queue = app.get(MailQueue);
    let hanging = 0;
    let release = (): void => undefined;
    const released = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    app.mailbox.behave = () => {
      hanging++;
      return released;
    };
    const both = async () => [await app.forgot(user.address), await app.forgot('nobody@example.com')];
    const answers = await both();
    const isAloneInQueue = () => (hanging === 1 && queue.size === 1) || undefined;
    await until(isAloneInQueue);
    answers.push(...(await both()));
    expect(answers[0]!.status).toBe(202);
    answers.forEach((answer) => expect(bytesOf(answer)).toEqual(bytesOf(answers[0]!)));
    await until(isAloneInQueue); // There is no mail to the unknown address, and no second one to the known.
    while (queue.size < 1000) {
      queue.add({ kind: 'reset' }, () => released);
    }
    const full = await both();
    expect([full[0]!.status, full[0]!.json.code]).toEqual([503, 50300]);
    expect(full[0]!.headers['retry-after']).toBeDefined();
    expect(bytesOf(full[0]!)).toEqual(bytesOf(full[1]!));
    release();
  });
});

it('tells the users of changes of their password', async () => {
  const app = await new EmailApp().start();
  const user = await app.addressed({ verified: false });
  const token = await app.tokenOf(user);
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  expect((await app.call(token, 'POST', 'password', body)).status).toBe(204);
  const mail = await until(() => app.mailbox.to(user.address, 'password-changed')[0]);
  expect(mail).toEqual({
    kind: 'password-changed',
    to: user.address,
    user: expect.objectContaining({ userId: user.id }),
  });
  const without = await app.user();
  await app.call(await app.tokenOf(without), 'POST', 'password', body);
  await app.mailsSent();
  expect(app.mailbox.mails).toHaveLength(1);
});

it('tells the owners of new keys', async () => {
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
  expect(mail?.link).toBeUndefined();
});
