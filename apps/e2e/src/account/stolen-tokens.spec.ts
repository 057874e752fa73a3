import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import {
  AUTH_PROVIDER,
  type AuthProvider,
  type KitAuthSettings,
  type LoginLimiter,
  type LoginLimiterFactory,
} from 'kit-auth';
import { Counters } from 'kit-auth/extend';
import { type AuthUser, SUPER_ADMIN } from 'kit-auth/typeorm';
import { AuthAudit } from 'kit-auth-admin/typeorm';
import { KitAuthEmailModule } from 'kit-auth-email';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { AuthApiKey } from 'kit-auth-keys/typeorm';
import {
  type Answer,
  BOTH,
  EVERYWHERE,
  freezeDate,
  loginUser,
  PASSWORD,
  sharedInstances,
  sharedTestApp,
  sweepOf,
  testApp,
  TOKENS,
} from 'test-support';
import { codeOf, type EnrolledUser, FactorsApp, outcomeOf, STEP_MS, wrongCodeOf } from '../factors/app.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NEXT = 'another fine one 4712';

let made = 0;
const newName = () => `stolen-${++made}`;

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe.each(sweepOf(EVERYWHERE, EVERYWHERE.slice(0, 1)))(
  'a stolen token of an administrator on $platform with $provider',
  (where) => {
    const app = sharedTestApp({ ...where, admin: true });
    let stale: string;
    let fresh: string;
    let other: AuthUser;
    beforeAll(async () => {
      await app.role({ code: 'clerk', permissions: ['auth:user:*'] });
      await app.role({ code: 'indirect', includes: [await app.roles.findOneByOrFail({ code: 'clerk' })] });
      await app.role({ code: 'everything', permissions: ['*'] });
      await app.role({ code: 'reader', permissions: ['note:read'] });
    });
    /** A token of the administrator, who showed the password so many minutes ago. */
    const tokenOfAge = (minutes: number) =>
      app
        .get<AuthProvider>(AUTH_PROVIDER)
        .issueToken(loginUser({ userId: 1, username: 'admin', superAdmin: true }), {
          factors: { password: Math.floor(Date.now() / 1000) - minutes * 60 },
        });
    beforeEach(async () => {
      freezeDate();
      other = await app.administrator();
      [stale, fresh] = [await tokenOfAge(11), await tokenOfAge(0)];
    });
    const user = (...roles: string[]) => ({ username: newName(), password: PASSWORD, roles });
    const role = (grants: object) => ({ code: newName(), name: 'Made', ...grants });
    const stored = async () => ({
      users: await app.users.find({ relations: { roles: true }, order: { id: 'ASC' } }),
      roles: await app.roles.find({ relations: { includes: true }, order: { id: 'ASC' } }),
      events: await app.rowsOf(AuthAudit).count(),
    });

    it('makes no administrator, and leaves nothing behind', async () => {
      const before = await stored();
      for (const [method, path, json] of [
        ...[SUPER_ADMIN, 'indirect', 'everything'].map(
          (code) => ['POST', 'users', user('reader', code)] as const,
        ),
        ['PUT', `users/${other.id}/roles`, { roles: ['clerk'] }],
        ['POST', 'roles', role({ permissions: ['note:read', '*:read'] })],
        ['PATCH', 'roles/reader', { permissions: ['auth:user:read'] }],
        ['POST', 'roles', role({ includes: ['indirect'] })],
        ['PATCH', 'roles/reader', { includes: ['clerk'] }],
      ] as const) {
        const { status, json: answer, headers } = await app.call(stale, method, path, json);
        expect([method, path, status, answer]).toEqual([
          method,
          path,
          401,
          expect.objectContaining({ code: 40120, missing: ['password'], reason: 'expired', maxAge: 600 }),
        ]);
        expect(headers['www-authenticate']).toContain('error="insufficient_user_authentication"');
      }
      expect(await stored()).toEqual(before);
    });

    it('takes over no other account, and takes no safeguard away', async () => {
      const token = await app.tokenOf(other);
      const before = await stored();
      for (const [method, path, json] of [
        ['POST', '/password', { newPassword: NEXT }],
        ['POST', '/unlock', undefined],
        ['PATCH', '', { status: 'DISABLED' }],
        ['PATCH', '', { nickname: 'Mallory', status: 'DISABLED' }],
        ['DELETE', '/sessions', undefined],
        ['DELETE', '/sessions/any', undefined],
        ['DELETE', '', undefined],
      ] as const) {
        const answer = await app.call(stale, method, `users/${other.id}${path}`, json);
        expect([method, path, answer.json.code]).toEqual([method, path, 40120]);
      }
      expect(await stored()).toEqual(before);
      expect([await app.stateOf(token), (await app.login(other.username)).status]).toEqual(['live', 200]);
    });

    it('does what needs no fresh login, as before', async () => {
      const statuses = [
        await app.call(stale, 'POST', 'users', user()),
        await app.call(stale, 'POST', 'users', user('reader')),
        await app.call(stale, 'PATCH', `users/${other.id}`, { nickname: 'Ada', status: 'ENABLED' }),
        await app.call(stale, 'POST', 'roles', role({ permissions: ['note:write', 'authority:read'] })),
        await app.call(stale, 'GET', 'users'),
      ].map(({ status }) => status);
      expect(statuses).toEqual([201, 201, 200, 201, 200]);
    });

    it('of somebody who may not do it is asked for no password', async () => {
      const pass = freezeDate();
      const clerk = await app.tokenOf(await app.user({ roles: ['clerk'] }));
      pass(11 * MINUTE);
      expect((await app.call(clerk, 'POST', 'users', user(SUPER_ADMIN))).json.code).toBe(40300);
      expect((await app.call(clerk, 'POST', 'users', user('clerk'))).json.code).toBe(40120);
      expect((await app.call(clerk, 'PATCH', `users/${other.id}`, { status: 'DISABLED' })).json.code).toBe(
        40300,
      );
    });

    it('becomes useful with the password, which a thief does not have', async () => {
      const { json } = await app.call(stale, 'POST', 'fresh', { password: 'admin' });
      const statuses = [
        await app.call(json.token, 'POST', 'users', user(SUPER_ADMIN)),
        await app.call(json.token, 'POST', 'roles', role({ permissions: ['*'] })),
        await app.call(json.token, 'PATCH', `users/${other.id}`, { status: 'DISABLED' }),
        await app.call(json.token, 'PATCH', `users/${other.id}`, { status: 'ENABLED' }),
        await app.call(json.token, 'POST', `users/${other.id}/unlock`),
        await app.call(json.token, 'POST', `users/${other.id}/password`, { newPassword: NEXT }),
      ].map(({ status }) => status);
      expect(statuses).toEqual([201, 201, 200, 200, 204, 204]);
    });

    it('unlocks no account of its own, however fresh it is', async () => {
      const { id } = await app.users.findOneByOrFail({ username: 'admin' });
      const events = await app.rowsOf(AuthAudit).count();
      expect((await app.call(stale, 'POST', `users/${id}/unlock`)).json.code).toBe(40120);
      expect((await app.call(fresh, 'POST', `users/${id}/unlock`)).json.code).toBe(40900);
      expect(await app.rowsOf(AuthAudit).count()).toBe(events);
    });
  },
);

describe.each(sweepOf(EVERYWHERE, EVERYWHERE.slice(-1)))(
  'a stolen password of a user with a device on $platform with $provider',
  (where) => {
    const mailer = { send: async () => undefined };
    const links = { reset: 'https://app.example/#{token}', verify: 'https://app.example/#{token}' };
    const app = sharedTestApp(
      new FactorsApp({
        ...where,
        imports: [KitAuthEmailModule.forRoot({ links, mailer }), KitAuthKeysModule],
      }),
    );
    let pass: (milliseconds: number) => void;
    let user: EnrolledUser;
    beforeEach(async () => {
      pass = freezeDate();
      user = await app.enrolled({ roles: [await app.role({ permissions: ['note:read'] })] });
    });
    /** The answer to each change, in an order in which all of them can succeed. */
    const changes = async (token: string): Promise<Answer[]> => [
      await app.call(token, 'POST', 'keys', { name: 'Script', abilities: ['note:read'] }),
      await app.call(token, 'POST', 'email', { email: `${newName()}@example.com` }),
      await app.call(token, 'POST', 'factors/totp', { name: 'Theirs' }),
      await app.call(token, 'POST', 'factors/recovery'),
      await app.call(token, 'DELETE', `factors/${user.device.id}`),
    ];

    it('changes no factor and no address, and creates no key', async () => {
      pass(3 * HOUR);
      const { json } = await app.call(user.token, 'POST', 'fresh', { password: PASSWORD });
      for (const answer of await changes(json.token)) {
        expect([answer.status, answer.json]).toEqual([
          401,
          expect.objectContaining({ code: 40120, missing: ['totp'], reason: 'expired', maxAge: 600 }),
        ]);
      }
      expect(await app.rowsAbout(user)).toEqual({ devices: 1, recoveryCodes: 10 });
      expect(await app.rowsOf(AuthApiKey).countBy({ userId: String(user.id) })).toBe(0);
    });

    it('is not needed either: a code alone confirms the login for that', async () => {
      pass(3 * HOUR);
      const { json } = await app.fresh(user.token, codeOf(user.device));
      expect((await changes(json.token)).map(({ status }) => status)).toEqual([201, 202, 201, 200, 204]);
      expect(await app.rowsAbout(user)).toEqual({ devices: 0, recoveryCodes: 0 });
    });

    it('with a recovery code replaces the device, for ten minutes, and does nothing else', async () => {
      pass(3 * HOUR);
      const answer = await app.answer(await app.challenge(user), user.recoveryCodes[0], 'recovery');
      const outcomes = (await changes(answer.json.token)).map(outcomeOf);
      expect(outcomes).toEqual(['40120 missing', '40120 missing', '201', '200', '204']);

      const again = await app.enrolled();
      const late = await app.answer(await app.challenge(again), again.recoveryCodes[0], 'recovery');
      pass(11 * MINUTE);
      const confirmed = await app.call(late.json.token, 'POST', 'fresh', { password: PASSWORD });
      const refused = await app.call(confirmed.json.token, 'POST', 'factors/recovery');
      expect(refused.json).toMatchObject({ code: 40120, missing: ['totp'], reason: 'expired' });
    });

    it('is enough for a user without a device', async () => {
      const plain = await app.user({ roles: user.roles });
      const token = await app.tokenOf(plain);
      pass(3 * HOUR);
      const key = { name: 'Script', abilities: ['note:read'] };
      expect((await app.call(token, 'POST', 'keys', key)).json.missing).toEqual(['password']);
      const { json } = await app.call(token, 'POST', 'fresh', { password: PASSWORD });
      expect((await app.call(json.token, 'POST', 'keys', key)).status).toBe(201);
      expect((await app.call(json.token, 'POST', 'factors/totp', { name: 'Phone' })).status).toBe(201);
    });
  },
);

const ENDED = '40101 too-many-attempts';
const times = <T>(count: number, value: T) => Array<T>(count).fill(value);

/** The rules of guesses: `fresh-guesses.spec.ts` of kit-auth. */
describe.each(TOKENS.map((tokens, i) => ({ tokens, platform: BOTH[i % 2]! })))(
  'guesses at POST fresh, on two instances with $tokens on $platform',
  ({ tokens, platform }) => {
    // Both instances have one store.
    const inMemory = new Counters({ login: { throttle: false } } as KitAuthSettings);
    const stores = new Map<string, LoginLimiter>();
    const limiter: LoginLimiterFactory = ({ keyPrefix, points, duration }) => {
      const store = stores.get(keyPrefix) ?? inMemory.make(keyPrefix, points, duration);
      stores.set(keyPrefix, store);
      return store;
    };
    const instances = sharedInstances(
      { database: 'sqlite', platform, tokens },
      (options) =>
        new FactorsApp({
          ...options,
          options: { login: { throttle: { limiter, failures: 100, addressFailures: 1000 } } },
        }),
    );
    const [app, second] = instances;

    it('end the login after twenty wrong codes and passwords, and no other login of the user', async () => {
      const pass = freezeDate();
      const user = await app.enrolled();
      pass(STEP_MS);
      const other = await app.answer(await app.challenge(user), codeOf(user.device));
      pass(STEP_MS);
      const outcomes: string[] = [];
      for (let i = 0; i < 18; i++) {
        const code = wrongCodeOf(user.device);
        outcomes.push(outcomeOf(await instances[i % 2]!.fresh(user.token, code)));
      }
      const admin = await app.adminToken();
      expect((await app.call(admin, 'POST', `users/${user.id}/unlock`)).status).toBe(204);
      for (const instance of [...instances, ...instances]) {
        const answer = await instance.call(user.token, 'POST', 'fresh', { password: 'a wrong one' });
        outcomes.push(outcomeOf(answer));
      }
      expect(outcomes).toEqual([...times(18, '40113'), '40110', '40110', ENDED, ENDED]);
      const answers = [
        await second.call(user.token, 'POST', 'fresh', { password: PASSWORD }),
        await app.fresh(user.token, codeOf(user.device)),
      ];
      expect(answers.map(outcomeOf)).toEqual([ENDED, ENDED]);
      // Nothing can end a token that is in no store.
      expect(await second.stateOf(user.token)).toBe(tokens === 'jwt' ? 'live' : ENDED);
      const { username: name } = user;
      const ends = instances.flatMap((instance) => instance.heard('login-ended'));
      expect(ends).toEqual([expect.objectContaining({ subject: name, actor: name, success: false })]);
      expect(await app.stateOf(other.json.token)).toBe('live');
      expect(outcomeOf(await app.call(other.json.token, 'POST', 'fresh', { password: PASSWORD }))).toBe(
        '200',
      );
    });
  },
);

describe.each(EVERYWHERE)('guesses at POST fresh on $platform with $provider', (where) => {
  it('are compared twenty times when they come at once, also without the throttle', async () => {
    const app = await testApp({ ...where, options: { login: { throttle: false } } });
    const token = await app.tokenOf(await app.user());
    const compare = jest.spyOn(bcrypt, 'compare').mockImplementation((() => Promise.resolve(false)) as never);
    const guess = () => app.call(token, 'POST', 'fresh', { password: 'a wrong one' });
    const outcomes = (await Promise.all(Array.from({ length: 40 }, guess))).map(outcomeOf);
    expect(compare).toHaveBeenCalledTimes(20);
    expect(outcomes.filter((outcome) => outcome === '40110')).toHaveLength(20);
    expect(outcomes.filter((outcome) => ![ENDED, '42900', '40110'].includes(outcome))).toEqual([]);
    expect(outcomeOf(await guess())).toBe(ENDED);
    expect(await app.stateOf(token)).toBe(where.provider === 'jwt' ? 'live' : ENDED);
  });
});
