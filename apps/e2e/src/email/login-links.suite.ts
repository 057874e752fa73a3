import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { enrolFactor } from 'kit-auth-factors/testing';
import { AuthOneTime } from 'kit-auth/store';
import { freezeDate, nameOf, PASSWORD, type Place, sharedInstances } from 'test-support';
import { NEW_PASSWORD, type UserWithAddress } from './app.js';
import { KEY } from '../factors/app.js';
import { LoginLinkApp, otherThan } from './login-links-app.js';

const AT_ONCE = 20;

/** Login links on a database, with two instances of an application. */
export function describeLoginLinks(place: Place): void {
  describe(`login links ${nameOf(place)}`, () => {
    const factors = KitAuthFactorsModule.forRoot({
      keys: [KEY],
      issuer: 'Example',
      requiredFor: ['secured'],
    });
    const [app, second] = sharedInstances(
      place,
      ({ imports, ...options }) =>
        new LoginLinkApp({
          ...options,
          admin: true,
          imports: [...imports, factors],
          options: { jwt: { checkStamp: true } },
        }),
    );
    let user: UserWithAddress;
    beforeAll(async () => {
      await app.role({ code: 'secured' });
    });
    afterAll(() => {
      jest.restoreAllMocks();
    });
    beforeEach(async () => {
      user = await app.addressed();
    });

    const of = (instances: number) => [app, second][instances % 2]!;

    it('log in where they were asked for, once', async () => {
      const answer = await app.ask(user.address);
      expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([202, '', 'no-store']);
      expect(answer.cookies).toEqual([
        expect.stringMatching(
          /^__Host-kit-auth-login-link=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=900$/,
        ),
      ]);
      const link = await app.linkTo((user = await app.addressed()).address);
      expect(link.mail).toEqual({
        kind: 'login',
        to: user.address,
        link: expect.stringMatching(/^https:\/\/app\.example\/login#kato_[\w-]+$/),
        code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/),
        expiresAt: expect.any(Date),
        user: expect.objectContaining({ userId: user.id }),
      });
      const { status, json, headers, cookies } = await second.complete({ token: link.token }, link.cookie);
      expect(cookies).toEqual([expect.stringMatching(/; Max-Age=2592000$/)]);
      expect([status, headers['cache-control'], json.user.userId]).toEqual([200, 'no-store', user.id]);
      const factors = await app.request('/v1/proof', { token: json.token });
      expect(factors.json).toEqual({ email: expect.any(Number) });
      expect(await app.open(link)).toBe('40010');
      expect(second.eventsOf(user)).toEqual(['login']);
      expect(second.heard('login').find(({ subjectId }) => subjectId === user.id)?.detail).toBe('email');
      expect(await app.tokensOf(user)).toEqual([]);
    });

    it('log in with the code everywhere, also users without a password', async () => {
      await app.users.update(user.id, { passwordHash: null });
      const { code } = await app.linkTo(user.address);
      const { status, json } = await second.complete({ email: user.address.toUpperCase(), code });
      expect([status, json.user.userId]).toEqual([200, user.id]);
      expect(await app.outcome({ email: user.address, code })).toBe('40010');
    });

    it('are not used up by scanners, and of no use to whom they are forwarded', async () => {
      const link = await app.linkTo(user.address);
      const { token } = link;
      const path = `/v1/api/auth/login/link/complete?token=${token}`;
      for (const method of ['GET', 'HEAD']) {
        expect((await app.request(path, { method })).status).toBe(404);
      }
      expect((await app.request(path, { method: 'POST' })).json.code).toBe(40000);
      const { json } = await app.complete({ token });
      expect([json.code, json.reason]).toEqual([40010, 'other-browser']);
      const friend = await app.linkTo((await app.addressed()).address);
      expect(await second.outcome({ token }, friend.cookie)).toBe('40010 other-browser');
      expect(await second.outcome({ token }, `${link.cookie}; ${link.cookie}`)).toBe('40010 other-browser');
      expect(await second.open(link)).toBe('200');
    });

    it('have a code that ends with five wrong ones, however many come at once, but not the link', async () => {
      const link = await app.linkTo(user.address);
      const wrong = { email: user.address, code: otherThan(link.code) };
      const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => of(i).outcome(wrong)));
      expect(new Set(outcomes)).toEqual(new Set(['40010']));
      const [row] = await app.tokensOf(user);
      expect(row!.attempts).toBe(5);
      expect(await app.outcome({ email: user.address, code: link.code })).toBe('40010');
      expect(await app.open(link)).toBe('200');
      const noted = app.heard('login-failed').filter(({ subjectId }) => subjectId === user.id);
      expect(noted[0]).toMatchObject({ subject: user.username, success: false, detail: 'email' });

      const other = await app.linkTo((user = await app.addressed()).address);
      for (let tried = 0; tried < 4; tried++) {
        expect(await of(tried).outcome({ email: user.address, code: otherThan(other.code) })).toBe('40010');
      }
      expect(await app.outcome({ email: user.address, code: 'not a code' })).toBe('40010');
      expect(await app.outcome({ email: user.address, code: other.code })).toBe('200');
    });

    it('replace the former one, in whose browser the new one works too', async () => {
      const pass = freezeDate();
      const former = await app.linkTo(user.address);
      pass(61_000);
      const newest = await second.linkTo(user.address, {}, `Cookie: ${former.cookie}`);
      expect(newest.cookie).toBe(former.cookie);
      expect(await app.open(former)).toBe('40010');
      expect(await app.outcome({ email: user.address, code: former.code })).toBe('40010');
      expect(await app.rowsOf(AuthOneTime).countBy({ subject: user.address.toLowerCase() })).toBe(1);
      expect(await app.open(newest)).toBe('200');
    });

    it('end with a request that sends none', async () => {
      const pass = freezeDate();
      const former = await app.linkTo(user.address);
      await app.addresses.assign(user.id, user.address, { verified: false });
      pass(61_000);
      await second.ask(user.address);
      await second.mailsSent();
      expect(second.mailbox.to(user.address)).toEqual([]);
      expect(await app.rowsOf(AuthOneTime).countBy({ subject: user.address.toLowerCase() })).toBe(1);
      await app.addresses.assign(user.id, user.address, { verified: true });
      expect(await app.open(former)).toBe('40010');
    });

    it.each([
      [
        'the password was changed',
        async () => {
          const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
          await app.call(await app.tokenOf(user), 'POST', 'password', body);
        },
      ],
      ['the user ended all sessions', async () => app.call(await app.tokenOf(user), 'DELETE', 'sessions')],
      [
        'the user has another address',
        () => app.addresses.assign(user.id, `x.${user.address}`, { verified: true }),
      ],
      ['it is unverified', () => app.addresses.assign(user.id, user.address, { verified: false })],
    ])('are of no use once %s', async (_, change) => {
      const link = await app.linkTo(user.address);
      await change();
      expect(await second.outcome({ email: user.address, code: link.code })).toBe('40010');
      expect(await second.open(link)).toBe('40010');
    });

    it('are of no use if the user changes while they are used', async () => {
      const link = await app.linkTo(user.address);
      const { addresses } = app;
      const findByKey = addresses.findByKey.bind(addresses);
      const between = jest.spyOn(addresses, 'findByKey').mockImplementationOnce(async (key) => {
        const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
        expect((await app.call(await app.tokenOf(user), 'POST', 'password', body)).status).toBe(204);
        return findByKey(key);
      });
      expect(await app.open(link)).toBe('40010');
      between.mockRestore();
    });

    it('are of no use to whoever has the address afterwards, or gives another one', async () => {
      const other = await app.addressed();
      const link = await app.linkTo(user.address);
      expect(await app.outcome({ email: other.address, code: link.code })).toBe('40010');
      await app.addresses.assign(user.id, `moved.${user.id}@example.com`, { verified: true });
      await app.addresses.assign(other.id, user.address, { verified: true });
      expect(await app.outcome({ email: user.address, code: link.code })).toBe('40010');
      expect(await app.open(link)).toBe('40010');
    });

    it('ask users for their second factor', async () => {
      const { code } = await enrolFactor(app.nest, user.id);
      const link = await app.linkTo(user.address);
      const { status, json } = await app.complete({ token: link.token }, link.cookie);
      expect([status, json.code, json.factors]).toEqual([401, 40112, ['totp', 'recovery']]);
      expect(await app.open(link)).toBe('40010');
      const shown = { challenge: json.challenge, factor: 'totp', code: await code() };
      const answer = await second.call(undefined, 'POST', 'login/factor', shown);
      expect(answer.status).toBe(200);
      const factors = await app.request('/v1/proof', { token: answer.json.token });
      expect(Object.keys(factors.json).sort()).toEqual(['email', 'totp']);
      expect(second.heard('login').find(({ subjectId }) => subjectId === user.id)?.detail).toBe('email');
    });

    it('are no fresh login, and no second factor', async () => {
      const secured = await app.addressed({ roles: ['secured'] });
      const tokenOf = async ({ address }: { address: string }): Promise<string> => {
        const link = await app.linkTo(address);
        return (await app.complete({ token: link.token }, link.cookie)).json.token;
      };
      const token = await tokenOf(user);
      for (const path of ['fresh', 'full']) {
        expect(await app.codeOf(token, `/v1/proof/${path}`)).toBe(40120);
      }
      expect((await app.call(token, 'DELETE', 'sessions')).json.code).toBe(40120);
      const { json } = await app.call(token, 'POST', 'fresh', { password: PASSWORD });
      expect(await app.codeOf(json.token, '/v1/proof/fresh')).toBe(200);
      expect(await app.codeOf(await tokenOf(secured), '/v1/proof')).toBe(40303);
    });

    it('are not opened by what the table has', async () => {
      const link = await app.linkTo(user.address);
      const [row] = await app.tokensOf(user);
      const text = JSON.stringify(row);
      for (const secret of [link.token, link.code, link.cookie.split('=')[1]!]) {
        expect(text).not.toContain(secret);
      }
      expect(JSON.parse(row!.data!)).toMatchObject({ code: expect.stringMatching(/^\$2[ab]\$10\$/) });
      expect(await app.outcome({ token: row!.id }, link.cookie)).toBe('40010');
    });
  });
}
