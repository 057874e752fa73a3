import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthException, IllegalStateException, type LoginProof } from 'kit-auth';
import type { ActiveUserStore } from 'kit-auth/feature';
import { loginUser } from 'test-support';
import { type KitAuthSessionOptions, sessionOptions } from '../session.options.js';
import { MemorySessionStore } from '../stores/memory.session-store.js';
import { Lookup, UserCache } from './lookup.js';
import { StatelessMode } from './stateless.mode.js';

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;
const SECRET = 'a secret of at least 32 bytes, for tests';
const ADA = loginUser();
const NO_PROOF: LoginProof = { factors: {} };
const OPTIONS = { exceptId: undefined, onBehalfOf: undefined };

const after = (milliseconds: number) => jest.setSystemTime(NOW + milliseconds);

beforeEach(() => {
  jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

function modeOf(options: KitAuthSessionOptions = {}, store = new MemorySessionStore()) {
  const { settings, problems } = sessionOptions.resolve({ mode: 'stateless', secret: SECRET, ...options });
  expect(problems).toEqual([]);
  const users = new Map([[ADA.userId, ADA]]);
  const cache = new UserCache(settings.userCacheSeconds * 1000);
  const userStore = {
    idType: 'number',
    loadLoginUser: async (id: number) => users.get(id),
  } as unknown as ActiveUserStore;
  const mode = new StatelessMode(settings, store, new Lookup(store, cache, userStore));
  return { mode, store, users };
}

/** `live`, or the reason of the refusal. */
async function stateOf(mode: StatelessMode, token: string): Promise<string | undefined> {
  try {
    await mode.resolve(token);
    return 'live';
  } catch (error) {
    expect(error).toBeInstanceOf(AuthException);
    return (error as AuthException).reason;
  }
}

describe('a stateless session', () => {
  it('resolves to its user and the proof of its login, and is not stored', async () => {
    const { mode, store } = modeOf();
    const proof: LoginProof = {
      factors: { password: NOW / 1000, totp: NOW / 1000 + 5 },
      expiresAt: NOW / 1000 + 3600,
      actor: { userId: 1, username: '\u00e4dmin "1"' },
    };
    const token = await mode.issue(ADA, proof);
    expect(await mode.resolve(token)).toEqual({ user: ADA, proof: { ...proof, loginId: mode.idOf(token) } });
    expect(mode.idOf(token)).toMatch(/^[\w.-]{1,64}$/);
    expect(store.find(mode.idOf(token) as string)).toBeUndefined();
    expect(store.listOf(ADA.userId, NOW)).toEqual([]);
  });

  it('has a proof without factors when it was issued without one', async () => {
    const { mode } = modeOf();
    const token = await mode.issue(ADA, NO_PROOF);
    expect(await mode.resolve(token)).toEqual({
      user: ADA,
      proof: { loginId: mode.idOf(token), factors: {} },
    });
  });

  it('is refused for a proof of more than 512 bytes', async () => {
    const { mode } = modeOf();
    const issued = mode.issue(ADA, { factors: {}, actor: { userId: 1, username: 'x'.repeat(512) } });
    await expect(issued).rejects.toBeInstanceOf(IllegalStateException);
  });

  it.each([
    [undefined, 60],
    [NOW / 1000 + 90 * 60, 60],
    [NOW / 1000 + 59 * 60, 59],
  ])('whose login ends at %p lives %d minutes', async (expiresAt, minutes) => {
    const { mode } = modeOf({ timeoutMinutes: 60 });
    const token = await mode.issue(ADA, { factors: {}, ...(expiresAt !== undefined && { expiresAt }) });
    after(minutes * MINUTE - 1);
    expect(await stateOf(mode, token)).toBe('live');
    after(minutes * MINUTE);
    expect(await stateOf(mode, token)).toBe('expired');
  });

  it('that was issued for longer than timeoutMinutes allows today is expired', async () => {
    const token = await modeOf({ timeoutMinutes: 61 }).mode.issue(ADA, NO_PROOF);
    expect(await stateOf(modeOf({ timeoutMinutes: 60 }).mode, token)).toBe('expired');
    expect(await stateOf(modeOf({ timeoutMinutes: 61 }).mode, token)).toBe('live');
  });

  it('stays ended when timeoutMinutes is lower for a while', async () => {
    const [day, store] = [24 * 60, new MemorySessionStore()];
    const modeFor = (timeoutMinutes: number) => modeOf({ timeoutMinutes }, store).mode;
    const long = modeFor(30 * day);
    const [loggedOut, kicked] = [await long.issue(ADA, NO_PROOF), await long.issue(ADA, NO_PROOF)];
    const short = modeFor(1);
    after(MINUTE);
    expect([await stateOf(short, loggedOut), await stateOf(short, kicked)]).toEqual(['expired', 'expired']);
    await short.logout(loggedOut, Date.now());
    await short.endAllOf(ADA.userId, 'kicked', Date.now(), OPTIONS);
    after(20 * day * MINUTE);
    store.prune(Date.now());
    const again = modeFor(30 * day);
    expect([await stateOf(again, loggedOut), await stateOf(again, kicked)]).toEqual(['logged-out', 'kicked']);
    after(420 * day * MINUTE);
    expect(store.prune(Date.now())).toBe(2);
  });

  it('ends alone, until it would have expired', async () => {
    const { mode, store } = modeOf();
    const [ended, other] = [await mode.issue(ADA, NO_PROOF), await mode.issue(ADA, NO_PROOF)];
    await mode.logout(ended, NOW);
    await mode.logout('noise', NOW);
    expect([await stateOf(mode, ended), await stateOf(mode, other)]).toEqual(['logged-out', 'live']);
    expect(store.find(mode.idOf(ended) as string)?.expiresAt).toBe(NOW + 720 * MINUTE);
  });

  it('ends with all that began by then, except one', async () => {
    const { mode, store } = modeOf();
    const [one, spared] = [await mode.issue(ADA, NO_PROOF), await mode.issue(ADA, NO_PROOF)];
    const exceptId = mode.idOf(spared);
    expect(await mode.endAllOf(ADA.userId, 'password-changed', NOW, { ...OPTIONS, exceptId })).toBe(0);
    after(1);
    const later = await mode.issue(ADA, NO_PROOF);
    expect(await Promise.all([one, spared, later].map((token) => stateOf(mode, token)))).toEqual([
      'password-changed',
      'live',
      'live',
    ]);
    expect(store.find('7.all')).toMatchObject({ userAgent: undefined, spared: { id: exceptId } });
  });

  it('ends with an end of all that had begun when it took the place of another, and was stored later', async () => {
    const { mode } = modeOf();
    const former = await mode.issue(ADA, NO_PROOF);
    after(5);
    const begun = Date.now();
    after(10);
    const token = await mode.replace(former, ADA, NO_PROOF);
    expect(await stateOf(mode, token)).toBe('live');
    await mode.endAllOf(ADA.userId, 'kicked', begun, OPTIONS);
    expect(await stateOf(mode, token)).toBe('kicked');
  });

  it('that takes the place of a spared one lives on, until the next end', async () => {
    const { mode } = modeOf();
    const former = await mode.issue(ADA, NO_PROOF);
    await mode.endAllOf(ADA.userId, 'password-changed', NOW, { ...OPTIONS, exceptId: mode.idOf(former) });
    const token = await mode.replace(former, ADA, NO_PROOF);
    expect(await stateOf(mode, token)).toBe('live');
    await mode.endAllOf(ADA.userId, 'kicked', NOW + 1, OPTIONS);
    expect(await stateOf(mode, token)).toBe('kicked');
  });

  it('that is over ends no others', async () => {
    const { mode } = modeOf();
    const [thief, owner] = [await mode.issue(ADA, NO_PROOF), await mode.issue(ADA, NO_PROOF)];
    await mode.endAllOf(ADA.userId, 'password-changed', NOW, { ...OPTIONS, exceptId: mode.idOf(owner) });
    after(1);
    const asThief = { exceptId: mode.idOf(thief), onBehalfOf: thief };
    await mode.endAllOf(ADA.userId, 'logged-out', NOW + 1, asThief);
    expect([await stateOf(mode, thief), await stateOf(mode, owner)]).toEqual(['password-changed', 'live']);
    await mode.endAllOf(ADA.userId, 'logged-out', NOW + 1, { ...OPTIONS, onBehalfOf: owner });
    expect(await stateOf(mode, owner)).toBe('logged-out');
  });

  it('is refused when its user is gone, under another secret, or as another text', async () => {
    const { mode, users } = modeOf();
    const token = await mode.issue(ADA, NO_PROOF);
    const { mode: other } = modeOf({ secret: 'another secret of at least 32 bytes, for tests' });
    expect(await stateOf(other, token)).toBe('signature');
    expect(await stateOf(mode, `${token}x`)).toBe('malformed');
    expect(other.idOf(token)).toBeUndefined();
    users.clear();
    expect(await stateOf(mode, token)).toBe('disabled');
  });

  it('resolves without a promise while its user is cached and the store is in memory', async () => {
    const { mode } = modeOf({ userCacheSeconds: 10 });
    const token = await mode.issue(ADA, { factors: { password: 1 } });
    expect(mode.resolve(token)).toBeInstanceOf(Promise);
    await new Promise(setImmediate);
    expect(mode.resolve(token)).toMatchObject({ user: ADA, proof: { factors: { password: 1 } } });
    expect(mode.resolve(token)).not.toBeInstanceOf(Promise);
  });
});
