import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loginUser } from 'test-support';
import { ActiveLogins, ActiveProvider } from './active.provider.js';
import type { LoginEnds } from './login-ends.js';
import type { Ports } from './ports.js';

const NOW = 1_800_000_000;
const user = loginUser();
const login = (proof: object = {}) => ({ user, proof: { factors: {}, ...proof } });

/** What was called, with which arguments. */
let calls: unknown[][] = [];
const called =
  (name: string, answer?: unknown) =>
  async (...args: unknown[]) => {
    calls.push([name, ...args]);
    return answer;
  };
const LOGINS = {
  open: called('open', { proof: 'opened' }),
  renew: called('renew', { proof: 'renewed' }),
  check: called('check'),
  end: called('end'),
  endAllOf: called('endAllOf'),
  listOf: called('listOf', [{ id: 'a' }, { id: 'b' }]),
  currentId: () => 'current',
};

function logins({
  kept,
  sessions,
  provider = {},
}: { kept?: object; sessions?: object; provider?: object } = {}) {
  const ports = { logins: kept, sessions: () => sessions, requireProvider: () => provider };
  const ends = { note: (end: unknown) => void calls.push(['note', end]) };
  return new ActiveLogins(ports as unknown as Ports, ends as unknown as LoginEnds);
}

beforeEach(() => {
  calls = [];
  jest.useFakeTimers({ now: NOW * 1000 + 999 });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('where a contribution keeps logins', () => {
  const kept = logins({ kept: LOGINS, sessions: { currentId: () => 'of the provider' } });

  it('it opens, checks and ends them', async () => {
    expect(await kept.open(login(), undefined)).toEqual({ proof: 'opened' });
    await kept.check('principal' as never);
    await kept.end(login({ loginId: 'l' }));
    await kept.end(login({ loginId: 'l' }), 'kicked');
    await kept.end(login());
    expect(calls).toEqual([
      ['open', login(), undefined],
      ['check', 'principal'],
      ['end', 7, 'l', 'logged-out'],
      ['end', 7, 'l', 'kicked'],
    ]);
    expect([kept.areKept(), kept.areKnown(), kept.canRenew()]).toEqual([true, true, true]);
    expect(kept.currentId()).toBe('current');
  });

  it('it renews logins, and opens one for a token that has none', async () => {
    expect(await kept.renew(login({ loginId: 'l' }), undefined)).toEqual({ proof: 'renewed' });
    expect(await kept.renew(login(), undefined)).toEqual({ proof: 'opened' });
    const { renew, ...without } = LOGINS;
    const other = logins({ kept: without });
    expect(await other.renew(login({ loginId: 'l' }), undefined)).toEqual({ proof: 'opened' });
    expect([other.canRenew(), typeof renew]).toEqual([false, 'function']);
  });

  it('it finds a live id itself, or it is among those that it lists', async () => {
    const own = logins({ kept: { ...LOGINS, liveIdOf: called('liveIdOf', 'x') } });
    expect(await own.liveIdOf(7, 'a')).toBe('x');
    expect([await kept.liveIdOf(7, 'b'), await kept.liveIdOf(7, 'c')]).toEqual(['b', undefined]);
    expect(calls).toEqual([
      ['liveIdOf', 7, 'a'],
      ['listOf', 7],
      ['listOf', 7],
    ]);
  });

  const idOf = (token: string) => `of ${token}`;
  it.each<[string, object, object, string | undefined]>([
    ['its proof', { idOf }, { loginId: 'l' }, 'l'],
    ['its token', { idOf }, {}, 'of t'],
    ['nothing', {}, {}, undefined],
  ])('the id of a login is known from %s', (_what, members, proof, id) => {
    const named = logins({ kept: { ...LOGINS, ...members } });
    expect(named.idOf('t', { factors: {}, ...proof })).toBe(id);
  });

  it('it says where they are', () => {
    const far = logins({ kept: { ...LOGINS, inProcess: false, endsInTransaction: true } });
    const near = logins({ kept: { ...LOGINS, inProcess: true } });
    expect([far.areInProcess(), far.endInTransaction()]).toEqual([false, true]);
    expect([near.areInProcess(), near.endInTransaction()]).toEqual([true, false]);
  });

  it('it ends all of a user', async () => {
    await kept.endAllOf(7, { reason: 'kicked' });
    expect(calls).toEqual([['endAllOf', 7, { reason: 'kicked' }]]);
  });

  it('none has ended before the contribution says so', async () => {
    const down = new Error('down');
    const fail = () => Promise.reject(down);
    const failing = logins({ kept: { ...LOGINS, end: fail, endAllOf: fail } });
    await expect(failing.end(login({ loginId: 'l' }))).rejects.toBe(down);
    await expect(failing.endAllOf(7, {})).rejects.toBe(down);
    let done: () => void = () => undefined;
    const slow = logins({ kept: { ...LOGINS, end: () => new Promise<void>((resolve) => (done = resolve)) } });
    const ended: string[] = [];
    const end = slow.end(login({ loginId: 'l' })).then(() => ended.push('login'));
    for (let i = 0; i < 10; i++) {
      await Promise.resolve();
    }
    expect(ended).toEqual([]);
    done();
    await end;
  });
});

describe('where no contribution keeps logins', () => {
  it('the sessions of the provider are the logins', async () => {
    const sessions = logins({ sessions: LOGINS });
    await sessions.endAllOf(7, { reason: 'kicked' });
    expect(calls).toHaveLength(1);
    expect([sessions.areKept(), sessions.areKnown(), sessions.canRenew()]).toEqual([false, true, true]);
    expect(sessions.sessions()).toBe(LOGINS);
  });

  it('and the provider has no sessions, none are known', async () => {
    const none = logins();
    expect(() => none.sessions()).toThrow(expect.objectContaining({ code: 50100 }));
    await expect(none.liveIdOf(7, 'a')).rejects.toMatchObject({ code: 50100 });
    await none.endAllOf(7, { reason: 'disabled' });
    await none.endAllOf(7, {});
    // Their tokens may have ended.
    expect(calls).toEqual(['disabled', 'kicked'].map((reason) => ['note', { userId: 7, reason }]));
    await none.end(login({ loginId: 'l' }));
    expect(none.check('principal' as never)).toBeUndefined();
    expect([none.areKnown(), none.areInProcess(), none.endInTransaction()]).toEqual([false, false, false]);
    expect([none.currentId(), none.idOf('t', { factors: {} })]).toEqual([undefined, undefined]);
  });

  it.each<[string, object, object, number | undefined]>([
    ['the token', {}, { lifetimeSeconds: 100 }, NOW + 100],
    ['the session', { expiresAt: NOW + 99 }, { lifetimeSeconds: 100 }, NOW + 99],
    ['the token, before the session', { expiresAt: NOW + 101 }, { lifetimeSeconds: 100 }, NOW + 100],
    ['the session of a token without an end', { expiresAt: NOW + 1 }, {}, NOW + 1],
    ['nothing', {}, {}, undefined],
  ])('a login ends with %s', async (_what, proof, provider, endsAt) => {
    const opened = await logins({ provider }).open(login(proof), undefined);
    expect(opened).toEqual({ proof: { factors: {}, ...proof }, ...(endsAt !== undefined && { endsAt }) });
  });

  it('a login is renewed as it is opened', async () => {
    const limited = logins({ provider: { lifetimeSeconds: 100 } });
    const { endsAt } = await limited.renew(login({ loginId: 'l' }), undefined);
    expect(endsAt).toBe(NOW + 100);
  });
});

describe('ActiveProvider', () => {
  const active = (provider: object) =>
    new ActiveProvider({
      requireProvider: () => ({ extensionName: 'stub', ...provider }),
    } as unknown as Ports);
  const principal = (scheme: string) => ({ user: loginUser(), proof: { factors: {} }, scheme, token: 't' });
  const issuedFor = { isIssuedFor: (token: string, stamp: string) => token === 't' && stamp === 's' };

  it('tells its own tokens from those of credentials', () => {
    expect(active({}).hasResolved(principal('stub'))).toBe(true);
    expect(active({}).hasResolved(principal('key'))).toBe(false);
  });

  it('refuses tokens from before the last change of the user', () => {
    const revoked = expect.objectContaining({ code: 40101, reason: 'revoked' });
    const requireStamp = (stamp: string | undefined, scheme = 'stub', provider: object = issuedFor) =>
      active(provider).requireIssuedFor(principal(scheme), stamp);
    expect(() => requireStamp('s')).not.toThrow();
    expect(() => requireStamp('other')).toThrow(revoked);
    expect(() => requireStamp('other', 'key')).not.toThrow();
    expect(() => requireStamp('other', 'stub', {})).not.toThrow();
    expect(() => requireStamp(undefined, 'stub', {})).toThrow(revoked);
  });

  it('hears of changed users', () => {
    const changed: unknown[] = [];
    active({ userChanged: (id: unknown) => changed.push(id) }).userChanged(7);
    active({}).userChanged(8);
    expect(changed).toEqual([7]);
  });
});
