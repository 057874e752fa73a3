import { connect } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import { AuthErrorCode, AuthException, PASSWORD_HASHER, type PasswordHasher } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/extend';
import { AuthOneTime } from 'kit-auth/one-time';
import { BOTH, PASSWORD, requestOf, sharedTestApp, sweepOf, until } from 'test-support';
import { RegistrationApp, withoutDelays } from '../registration/app.js';

const HOME = '192.0.2.1';
const ELSEWHERE = '203.0.113.1';
const PLACES = 4;

/** Counts hashes of new passwords, and computes none while it is held. */
class CountingHasher implements PasswordHasher {
  begun = 0;
  private held: Promise<void> | undefined;

  async hash(password: string): Promise<string> {
    this.begun++;
    await this.held;
    return `plain:${password}`;
  }

  async verify(password: string, storedHash: string): Promise<boolean> {
    return storedHash === `plain:${password}`;
  }

  isOutdated(): boolean {
    return false;
  }

  async dummy(): Promise<void> {}

  /** @returns a function that goes on */
  hold(): () => void {
    let release = (): void => undefined;
    this.held = new Promise((resolve) => {
      release = () => {
        this.held = undefined;
        resolve();
      };
    });
    return release;
  }
}

const SOME_PLATFORMS = sweepOf(BOTH, ['express']);

describe.each(SOME_PLATFORMS)('hashes of passwords that holders of links choose, on %s', (platform) => {
  const hasher = new CountingHasher();
  @Module({ providers: [{ provide: PASSWORD_HASHER, useValue: hasher }] })
  class HasherModule {}
  const app = sharedTestApp(
    new RegistrationApp({
      platform,
      admin: true,
      trustProxy: true,
      imports: [HasherModule],
      options: { password: { concurrency: 1, queue: PLACES }, login: { throttle: false } },
    }),
  );
  let count = 0;
  let release = (): void => undefined;
  let admin: string;
  beforeAll(async () => {
    admin = (await app.login('admin', 'admin')).json.token;
  });
  beforeEach(() => {
    withoutDelays();
    hasher.begun = 0;
  });
  afterEach(() => {
    release();
    jest.restoreAllMocks();
  });

  const newAddress = () => `holder-${++count}@example.com`;
  const post = (path: string, json: object, from = HOME) =>
    app.request(`/v1/api/auth/${path}`, { method: 'POST', json, headers: [`X-Forwarded-For: ${from}`] });
  const codeOf = async (answer: ReturnType<typeof post>) => {
    const { status, json } = await answer;
    return (json?.code as number | undefined) ?? status;
  };
  const complete = (token: string, from?: string, password = PASSWORD) =>
    codeOf(post('register/complete', { token, password }, from));
  const reset = (token: string, from?: string, newPassword = PASSWORD) =>
    codeOf(post('password/reset', { token, newPassword }, from));

  async function resetLink(): Promise<string> {
    const user = await app.user();
    const address = newAddress();
    await app.addresses.assign(user.id, address, { verified: true });
    const data = { key: address };
    return (await app.tokens.issue({ purpose: 'reset', userId: user.id, data, ttlSeconds: 600 })).token;
  }
  /** Waits until a link has so many attempts. */
  async function attemptsAre(token: string, expected: number): Promise<void> {
    const { id } = await app.tokens.peek(['reset', 'register'], token);
    while ((await app.rowsOf(AuthOneTime).findOneByOrFail({ id })).attempts !== expected) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('are not computed for an invitation that its inviter could not send any more', async () => {
    const role = await app.role({ permissions: ['auth:user:write'] });
    const inviter = await app.user({ roles: [role], passwordHash: `plain:${PASSWORD}` });
    const token = (await app.login(inviter.username)).json.token;
    const link = await app.invitation(token, newAddress());
    await app.call(admin, 'PUT', `users/${inviter.id}/roles`, { roles: [] });
    const codes = await Promise.all(Array.from({ length: 10 }, () => complete(link)));
    expect([new Set(codes), hasher.begun]).toEqual([new Set([40010]), 0]);
    await app.call(admin, 'PUT', `users/${inviter.id}/roles`, { roles: [role.code] });
    expect([await complete(link), hasher.begun]).toEqual([200, 1]);
  });

  it.each(['reset', 'register'])(
    'are computed as often as a link to %s allows, weak passwords aside',
    async (purpose) => {
      const isReset = purpose === 'reset';
      const link = isReset ? await resetLink() : await app.linkTo(newAddress());
      const use = (password?: string) => (isReset ? reset : complete)(link, HOME, password);
      const users = app.get(ActiveUserStore);
      const refused = new AuthException(AuthErrorCode.CONFLICT);
      jest.spyOn(users, isReset ? 'changePassword' : 'createUser').mockRejectedValue(refused);
      const { id } = await app.tokens.peek(purpose, link);
      await app.rowsOf(AuthOneTime).update({ id }, { attempts: 19 });
      expect([await use('weak'), await use()]).toEqual([40000, 40900]);
      expect([await use(), await use(), hasher.begun]).toEqual([40010, 40010, 1]);
    },
  );

  it('are not computed for a client that has left, and do not count then', async () => {
    const link = await resetLink();
    release = hasher.hold();
    const first = complete(await app.linkTo(newAddress()), ELSEWHERE);
    await until(() => hasher.begun === 1 || undefined);
    const closed = new Promise<void>((resolve) => {
      app.server.once('connection', (socket) => socket.once('close', () => resolve()));
    });
    const socket = connect(app.port, '127.0.0.1');
    socket.write(
      requestOf('/v1/api/auth/password/reset', {
        method: 'POST',
        headers: ['Content-Type: application/json'],
        body: JSON.stringify({ token: link, newPassword: PASSWORD }),
      }),
    );
    await attemptsAre(link, 1);
    socket.resetAndDestroy();
    await closed;
    release();
    expect(await first).toBe(200);
    await attemptsAre(link, 0);
    expect([hasher.begun, await reset(link)]).toEqual([1, 204]);
  });

  it('of one client do not keep others from theirs', async () => {
    const links = await Promise.all(Array.from({ length: 12 }, () => app.linkTo(newAddress())));
    const [own, invited] = [await resetLink(), await app.linkTo(newAddress())];
    release = hasher.hold();
    let answered = 0;
    const flood = links.map(async (link) => {
      const code = await complete(link, ELSEWHERE);
      answered++;
      return code;
    });
    await until(() => answered === links.length - 1 - PLACES || undefined);
    const others = [reset(own), complete(invited)];
    await until(() => answered === links.length - 1 - PLACES + 2 || undefined); // they have taken two places
    release();
    expect(await Promise.all(others)).toEqual([204, 200]);
    expect((await Promise.all(flood)).sort()).toEqual([
      ...Array<number>(PLACES - 1).fill(200),
      ...Array<number>(links.length - PLACES + 1).fill(50300),
    ]);
  });
});
