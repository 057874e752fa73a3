import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { MailQueue } from 'kit-auth-email';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { type Answer, freezeDate, PASSWORD, sharedTestApp, until } from 'test-support';
import { EmailApp, NEW_PASSWORD } from './app.js';

/** What an answer consists of, but for its time. */
const bytesOf = ({ lines, text }: Answer) => [...lines.filter((line) => !/^date:/i.test(line)), text];

afterEach(() => {
  jest.restoreAllMocks();
});

it('keep mails for the networks of a user, however many strangers ask for a reset', async () => {
  const pass = freezeDate();
  const app = await new EmailApp({ trustProxy: true, platform: 'fastify' }).start();
  const user = await app.addressed();
  expect((await app.login(user.username, PASSWORD, 'X-Forwarded-For: 192.0.2.1')).status).toBe(200);
  const sent: number[] = [];
  for (const address of [
    '198.51.100.1',
    '198.51.100.2',
    '198.51.100.3',
    '198.51.100.4',
    '198.51.100.5',
    '198.51.100.6',
    '192.0.2.1',
  ]) {
    pass(61_000);
    const before = app.mailbox.mails.length;
    const headers = [`X-Forwarded-For: ${address}`];
    await app.request('/v1/api/auth/password/forgot', {
      method: 'POST',
      json: { email: user.address },
      headers,
    });
    await app.mailsSent();
    sent.push(app.mailbox.mails.length - before);
  }
  expect(sent).toEqual([1, 1, 1, 1, 1, 0, 1]);
});

describe('requests about addresses', () => {
  const app = sharedTestApp(new EmailApp({ platform: 'fastify', imports: [KitAuthKeysModule] }));
  beforeEach(() => app.forgetMails());

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
    expect(app.mailbox.mails.map(({ to, kind }) => [to, kind])).toEqual([[known.address, 'reset']]);
  });

  it('for another address need a fresh login', async () => {
    const pass = freezeDate();
    const user = await app.addressed();
    const token = await app.tokenOf(user);
    const change = () => app.call(token, 'POST', 'email', { email: `new.${user.address}` });
    pass(11 * 60_000);
    expect((await change()).json.code).toBe(40120);
    pass(-11 * 60_000);
    expect((await change()).status).toBe(202);
  });

  it('with wrong or expired tokens hash nothing', async () => {
    const user = await app.addressed();
    const token = await app.resetToken(user);
    const hashes = [jest.spyOn(bcrypt, 'hash'), jest.spyOn(bcrypt, 'compare')];
    expect(await app.outcomeOf(app.reset(token.slice(0, -1)))).toBe(40010);
    expect(await app.outcomeOf(app.reset([token]))).toBe(40000);
    const pass = freezeDate();
    pass(60 * 60_000);
    const { json } = await app.reset(token);
    expect([json.code, json.reason]).toEqual([40010, 'expired']);
    expect(hashes.map((hash) => hash.mock.calls.length)).toEqual([0, 0]);
    pass(-60 * 60_000);
    const asForm = await app.request('/v1/api/auth/password/reset', {
      method: 'POST',
      headers: ['Content-Type: application/x-www-form-urlencoded'],
      body: new URLSearchParams({ token, newPassword: NEW_PASSWORD }).toString(),
    });
    expect([400, 415]).toContain(asForm.status);
    expect((await app.reset(token)).status).toBe(204);
  });

  it('send no link to a new address, and no notice, where the queue has no place for both', async () => {
    const user = await app.addressed();
    const session = await app.tokenOf(user);
    await app.mailsSent();
    const queue = app.get(MailQueue);
    let release = (): void => undefined;
    const released = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    while (queue.size < 999) {
      queue.add({ kind: 'reset' }, () => released);
    }
    const answer = await app.call(session, 'POST', 'email', { email: 'elsewhere@example.com' });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, expect.any(String)]);
    release();
    await app.mailsSent();
    expect(app.mailbox.to(user.address)).toEqual([]);
    expect(await app.tokensOf(user)).toEqual([]);
  });

  it('that change a password or make a key are told to users with an address', async () => {
    const role = await app.role({ permissions: ['note:read'] });
    const user = await app.addressed({ verified: false, roles: [role] });
    const without = await app.user();
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    for (const { username } of [without, user]) {
      expect((await app.call(await app.tokenOf(username), 'POST', 'password', body)).status).toBe(204);
    }
    const token = await app.tokenOf(user.username, NEW_PASSWORD);
    const key = await app.call(token, 'POST', 'keys', { name: 'CI', abilities: ['note:read'] });
    expect(key.status).toBe(201);
    await until(() => app.mailbox.some(user.address, 'key-created'));
    await app.mailsSent();
    const about = { to: user.address, user: expect.objectContaining({ userId: user.id }) };
    const kinds = ['password-changed', 'key-created'];
    expect(app.mailbox.to(user.address)).toEqual(kinds.map((kind) => ({ kind, ...about })));
    expect(app.mailbox.mails.at(-1)?.to).toBe(user.address);
  });
});

it('limits the requests of a network, whatever the address', async () => {
  const app = await new EmailApp({ email: { requestsPerHour: 1 }, trustProxy: true }).start();
  const user = await app.addressed();
  const post = (path: string, from: string, json?: object, token?: string) =>
    app.request(`/v1/api/auth/${path}`, {
      method: 'POST',
      json,
      token,
      headers: [`X-Forwarded-For:${from}`],
    });
  const ask = (email: string, from = '192.0.2.1') => post('password/forgot', from, { email });
  expect([(await ask('x')).status, (await ask('nobody@example.com')).status]).toEqual([400, 202]);
  const [unknown, known] = [await ask('nobody@example.com'), await ask(user.address)];
  expect([unknown.status, unknown.json.code]).toEqual([429, 42900]);
  expect(Number(unknown.headers['retry-after'])).toBeGreaterThan(3500);
  expect(bytesOf(known)).toEqual(bytesOf(unknown));
  expect((await ask('nobody@example.com', '192.0.2.2')).status).toBe(202);
  const mine = await post('email/verify', '192.0.2.1', undefined, await app.tokenOf(user));
  expect(mine.json.code).toBe(42900);
});
