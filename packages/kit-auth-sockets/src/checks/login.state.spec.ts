import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthErrorCode, AuthException, type LoginUser } from 'kit-auth';
import { invalidToken, unavailable } from 'kit-auth/feature';
import type { ResolvedPrincipal } from 'kit-auth/login';
import { freezeDate, loginUser } from 'test-support';
import { Bearer, SocketUser } from '../connections/connection.js';
import { LoginState } from './login.state.js';

const principalOf = (
  loginId: string | undefined = 'login',
  fields: Partial<LoginUser> = {},
  expiresAt = Infinity,
) =>
  ({
    user: loginUser(fields),
    scheme: 'jwt',
    token: 'token',
    proof: { loginId, expiresAt },
  }) as unknown as ResolvedPrincipal;
const RESOLVED = { ...principalOf(), scheme: 'resolved' };

const resolve = jest.fn<() => Promise<ResolvedPrincipal>>();
const hasResolved = jest.fn<() => boolean>();
const liveIdOf = jest.fn<(userId: number, loginId: string) => Promise<string | undefined>>();
const areKept = jest.fn<() => boolean>();
const areKnown = jest.fn<() => boolean>();
const loadLoginUser = jest.fn<() => Promise<LoginUser | undefined>>();
const state = new LoginState(
  { resolve } as never,
  { hasResolved } as never,
  { areKnown, areKept, liveIdOf, idOf: (_: string, { loginId }: { loginId?: string }) => loginId } as never,
  { loadLoginUser } as never,
);

beforeEach(() => {
  [resolve, hasResolved, liveIdOf, areKept, areKnown, loadLoginUser].forEach((mock) => mock.mockReset());
  resolve.mockResolvedValue(RESOLVED);
  [hasResolved, areKnown, areKept].forEach((mock) => mock.mockReturnValue(true));
  liveIdOf.mockImplementation(async (_, loginId) => loginId);
  loadLoginUser.mockImplementation(async () => loginUser({ nickname: 'now' }));
});
afterEach(() => {
  jest.useRealTimers();
});

const bearerOf = (principal = principalOf(), user = new SocketUser()) =>
  new Bearer('1', 'token', {} as never, principal, user);
/** How the principal was found, or why there is none. */
const now = (bearer = bearerOf(), keepAfterToken = true): Promise<string> =>
  state.now(bearer, keepAfterToken).then(
    ({ scheme, user }) => `${scheme} ${user.nickname}`,
    (error: unknown) => `${(error as AuthException).code} ${(error as AuthException).reason}`,
  );

describe('the state of a login', () => {
  it('is that of the login where logins are known, with the user of now', async () => {
    expect([await now(), resolve.mock.calls]).toEqual(['jwt now', []]);
  });

  it('is that of the token where they are not known, and where the token was resolved by another credential', async () => {
    areKnown.mockReturnValue(false);
    expect(await now()).toBe('resolved now');
    hasResolved.mockReturnValue(false);
    expect(await now()).toBe('resolved ada');
    expect(loadLoginUser).toHaveBeenCalledTimes(1);
    resolve.mockResolvedValue(principalOf('login', { userId: 8 }));
    expect(await now()).toBe('40101 revoked');
  });

  it('ends with the token, unless it is kept after that', async () => {
    const old = () => bearerOf(principalOf('login', {}, Date.now() / 1000 - 1));
    resolve.mockRejectedValue(invalidToken('expired'));
    expect([await now(old(), true), await now(old(), false)]).toEqual(['jwt now', '40101 expired']);
    expect(await now(bearerOf(), false)).toBe('jwt now');
  });

  it('is over with the reason that the token has, or revoked', async () => {
    liveIdOf.mockResolvedValue(undefined);
    resolve.mockRejectedValueOnce(invalidToken('logged-out'));
    expect([await now(), await now()]).toEqual(['40101 logged-out', '40101 revoked']);
    loadLoginUser.mockResolvedValue(undefined);
    expect(await now()).toBe('40101 disabled');
  });

  it('is that of the token for sessions that are not stored, and unknown while the store is away', async () => {
    liveIdOf.mockRejectedValueOnce(new AuthException(AuthErrorCode.NOT_IMPLEMENTED));
    expect(await now()).toBe('resolved now');
    liveIdOf.mockRejectedValueOnce(unavailable());
    expect(await now()).toMatch(/^50300/);
  });

  it('is a sign of life for a message, also if the login goes on with another token', async () => {
    areKept.mockReturnValue(false);
    const active = () => Object.assign(bearerOf(), { isActive: true });
    expect(await now(active())).toBe('resolved now');
    resolve.mockRejectedValueOnce(invalidToken('revoked'));
    expect(await now(active())).toBe('jwt now');
    resolve.mockRejectedValueOnce(unavailable());
    expect(await now(active())).toMatch(/^50300/);
    resolve.mockClear();
    expect([await now(), resolve.mock.calls.length]).toEqual(['jwt now', 0]);
  });

  it('needs one look-up of the user for a hint, whatever the number of tokens', async () => {
    const move = freezeDate();
    const user = new SocketUser();
    const bearers = Array.from({ length: 20 }, () => bearerOf(principalOf(), user));
    const checkAll = () => Promise.all(bearers.map((bearer) => now(bearer)));
    await checkAll();
    move(999);
    await checkAll();
    expect(loadLoginUser).toHaveBeenCalledTimes(1);
    move(1);
    await checkAll();
    expect(loadLoginUser).toHaveBeenCalledTimes(2);
    bearers.forEach((bearer) => bearer.hint());
    await checkAll();
    expect(loadLoginUser).toHaveBeenCalledTimes(3);
    bearers[0]!.hint();
    loadLoginUser.mockRejectedValueOnce(unavailable());
    expect(await now(bearers[0])).toMatch(/^50300/);
    expect(await now(bearers[0])).toBe('jwt now');
    expect(loadLoginUser).toHaveBeenCalledTimes(5);
  });

  it('is the same in a token that POST fresh has issued, and in no other', async () => {
    const same = (a: ResolvedPrincipal, b: ResolvedPrincipal) => state.isSame(a, b);
    liveIdOf.mockImplementation(async (_, loginId) => (loginId === 'before' ? 'after' : loginId));
    expect([
      await same(principalOf('login'), principalOf('login')),
      await same(principalOf('before'), principalOf('after')),
      await same(principalOf('login'), principalOf('other')),
      await same(principalOf('login', { userId: 8 }), principalOf('login')),
      await same({ ...principalOf('login'), scheme: 'key' }, principalOf('login')),
    ]).toEqual([true, true, false, false, false]);
    areKnown.mockReturnValue(false);
    expect(await same(principalOf('login'), principalOf('other'))).toBe(true);
  });
});
