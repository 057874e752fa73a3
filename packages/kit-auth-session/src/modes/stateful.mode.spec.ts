import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { AuthException, KitAuthContext, type LoginProof } from 'kit-auth';
import type { ActiveUserStore } from 'kit-auth/feature';
import type { LoginEnds } from 'kit-auth/login';
import { loginUser } from 'test-support';
import { type KitAuthSessionOptions, sessionOptions } from '../session.options.js';
import { MemorySessionStore } from '../stores/memory.session-store.js';
import type { Session, SessionStore } from '../stores/session-store.js';
import { Lookup, UserCache } from './lookup.js';
import { StatefulMode } from './stateful.mode.js';

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;
const ADA = loginUser();
const NO_PROOF: LoginProof = { factors: {} };

const after = (milliseconds: number) => jest.setSystemTime(NOW + milliseconds);

beforeEach(() => {
  jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

function modeOf(options: KitAuthSessionOptions = {}, store: SessionStore = new MemorySessionStore()) {
  const { settings, problems } = sessionOptions.resolve(options);
  expect(problems).toEqual([]);
  const users = new Map([[ADA.userId, ADA]]);
  const cache = new UserCache(settings.userCacheSeconds * 1000);
  const userStore = {
    idType: 'number',
    loadLoginUser: async (id: number) => users.get(id),
  } as unknown as ActiveUserStore;
  const lookup = new Lookup(store, cache, userStore);
  const ends = { areHeard: false, note: () => undefined } as unknown as LoginEnds;
  const mode = new StatefulMode(settings, store, lookup, new KitAuthContext(), ends);
  return { mode, store, users, cache };
}

/** `live`, or the reason of the refusal. */
async function stateOf(mode: StatefulMode, token: string): Promise<string | undefined> {
  try {
    await mode.resolve(token);
    return 'live';
  } catch (error) {
    expect(error).toBeInstanceOf(AuthException);
    return (error as AuthException).reason;
  }
}

describe('a stateful session', () => {
  it('resolves to its user and the proof of its login', async () => {
    const { mode } = modeOf();
    const proof: LoginProof = {
      factors: { password: NOW / 1000, totp: NOW / 1000 + 5 },
      expiresAt: NOW / 1000 + 3600,
      actor: { userId: 1, username: '\u00e4dmin "1"' },
    };
    const token = await mode.issue(ADA, proof);
    expect(await mode.resolve(token)).toEqual({ user: ADA, proof: { ...proof, loginId: mode.idOf(token) } });
    expect(mode.idOf(token)).toMatch(/^[\w.-]{1,64}$/);
    expect(token).not.toContain(mode.idOf(token)?.slice(2));
  });

  it('has a proof without factors when it was issued without one', async () => {
    const { mode, store } = modeOf();
    const token = await mode.issue(ADA, NO_PROOF);
    const id = mode.idOf(token) as string;
    expect(await mode.resolve(token)).toEqual({ user: ADA, proof: { loginId: id, factors: {} } });
    expect(await store.find(id)).not.toHaveProperty('proof');
  });

  it('lives on in the session that replaces it, until that ends', async () => {
    const { mode } = modeOf({ idleMinutes: 60 });
    const token = await mode.issue(ADA, NO_PROOF);
    const id = mode.idOf(token) as string;
    expect([await mode.liveIdOf(id, NOW), await mode.liveIdOf('x.y', NOW)]).toEqual([id, undefined]);
    const last = await mode.replace(await mode.replace(token, ADA, NO_PROOF), ADA, NO_PROOF);
    const liveId = mode.idOf(last) as string;
    expect(await mode.liveIdOf(id, NOW)).toBe(liveId);
    expect(await mode.liveIdOf(id, NOW + 60 * MINUTE)).toBeUndefined();
    await mode.end(id, 'kicked', NOW, undefined);
    expect([await mode.liveIdOf(id, NOW), await mode.liveIdOf(liveId, NOW)]).toEqual([undefined, undefined]);
  });

  it('works in a store that drops the proof', async () => {
    class Forgetful extends MemorySessionStore {
      override create({ proof, ...session }: Session): boolean {
        return super.create(session);
      }
    }
    const { mode } = modeOf({}, new Forgetful());
    const token = await mode.issue(ADA, { factors: { password: 1 }, expiresAt: NOW / 1000 + 60 });
    expect((await mode.resolve(token)).proof).toEqual({ loginId: mode.idOf(token), factors: {} });
    after(MINUTE);
    expect(await stateOf(mode, token)).toBe('expired');
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

  it('is ended when it is not used', async () => {
    const { mode, store } = modeOf({ idleMinutes: 10 });
    const token = await mode.issue(ADA, NO_PROOF);
    for (const minutes of [9, 18, 27]) {
      after(minutes * MINUTE);
      expect(await stateOf(mode, token)).toBe('live');
    }
    after(37 * MINUTE);
    expect(await mode.listOf(ADA.userId, Date.now())).toEqual([]);
    expect(await stateOf(mode, token)).toBe('idle');
    expect((await store.find(mode.idOf(token) as string))?.endedBy).toBe('idle');
  });

  it('is written at most once a minute when it is used', async () => {
    const { mode, store } = modeOf();
    const touch = jest.spyOn(store, 'touch');
    const token = await mode.issue(ADA, NO_PROOF);
    for (const milliseconds of [1, MINUTE - 1, MINUTE, MINUTE + 1, 2 * MINUTE]) {
      after(milliseconds);
      const states = await Promise.all(Array.from({ length: 10 }, () => stateOf(mode, token)));
      expect(new Set(states)).toEqual(new Set(['live']));
      await Promise.resolve();
    }
    expect(touch.mock.calls.map(([, at]) => at)).toEqual([NOW + MINUTE, NOW + 2 * MINUTE]);
  });

  it('stays live when it cannot be written, which is logged', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const { mode, store } = modeOf();
    jest.spyOn(store, 'touch').mockRejectedValue(new Error('disk full'));
    const token = await mode.issue(ADA, NO_PROOF);
    after(2 * MINUTE);
    expect(await stateOf(mode, token)).toBe('live');
    await new Promise(setImmediate);
    expect(warn).toHaveBeenCalledWith('[auth] a session was not updated: Error: disk full');
  });

  it('replaces the oldest one beyond maxPerUser', async () => {
    const { mode } = modeOf({ maxPerUser: 2 });
    const tokens: string[] = [];
    for (const milliseconds of [0, 1, 2]) {
      after(milliseconds);
      tokens.push(await mode.issue(ADA, NO_PROOF));
    }
    expect(await Promise.all(tokens.map((token) => stateOf(mode, token)))).toEqual([
      'replaced',
      'live',
      'live',
    ]);
  });

  it('is refused beyond maxPerUser with overflow refuse, unless another one is idle', async () => {
    const { mode } = modeOf({ maxPerUser: 1, overflow: 'refuse', idleMinutes: 10 });
    await mode.issue(ADA, NO_PROOF);
    after(10 * MINUTE - 1);
    await expect(mode.issue(ADA, NO_PROOF)).rejects.toMatchObject({ code: 40300, reason: 'session-limit' });
    after(10 * MINUTE);
    await expect(mode.issue(ADA, NO_PROOF)).resolves.toMatch(/^kats_/);
  });

  it('ends with its token, by its id, and with all others', async () => {
    const { mode } = modeOf();
    const tokens = await Promise.all(Array.from({ length: 5 }, () => mode.issue(ADA, NO_PROOF)));
    const [one, two, three, four] = tokens.map((token) => mode.idOf(token) as string);
    await mode.logout(tokens[0] as string, NOW);
    await mode.logout('noise', NOW);
    expect(await mode.end(two as string, 'kicked', NOW, undefined)).toBe(true);
    // Sessions that are over end no others.
    expect(await mode.end(three as string, 'logged-out', NOW, tokens[1])).toBe(false);
    const options = { exceptId: four, onBehalfOf: tokens[0] };
    expect(await mode.endAllOf(ADA.userId, 'logged-out', NOW, options)).toBe(0);
    expect(await mode.endAllOf(ADA.userId, 'kicked', NOW, { ...options, onBehalfOf: tokens[3] })).toBe(2);
    expect(await Promise.all(tokens.map((token) => stateOf(mode, token)))).toEqual([
      'logged-out',
      'kicked',
      'kicked',
      'live',
      'kicked',
    ]);
    expect((await mode.listOf(ADA.userId, NOW)).map(({ id }) => id)).toEqual([four]);
    expect(one).not.toBe(four);
  });

  it('is refused when its user is gone, its store has forgotten it, or the text is no token', async () => {
    const { mode, users } = modeOf();
    const token = await mode.issue(ADA, NO_PROOF);
    expect(await stateOf(modeOf().mode, token)).toBeUndefined();
    users.clear();
    expect(await stateOf(mode, token)).toBe('disabled');
    expect(await stateOf(mode, `${token}x`)).toBe('malformed');
    expect(mode.idOf('noise')).toBeUndefined();
  });

  it('uses a cached user for userCacheSeconds at most, and ends nevertheless', async () => {
    const { mode, users } = modeOf({ userCacheSeconds: 10 });
    const token = await mode.issue(ADA, NO_PROOF);
    await mode.resolve(token);
    const renamed = { ...ADA, nickname: 'New' };
    users.set(ADA.userId, renamed);
    after(9999);
    expect((await mode.resolve(token)).user).toBe(ADA);
    after(10_000);
    expect((await mode.resolve(token)).user).toBe(renamed);
    await mode.endAllOf(ADA.userId, 'kicked', Date.now(), { exceptId: undefined, onBehalfOf: undefined });
    expect(await stateOf(mode, token)).toBe('kicked');
  });

  it('resolves without a promise while its user is cached and the store is in memory', async () => {
    const { mode, cache } = modeOf({ userCacheSeconds: 10 });
    const token = await mode.issue(ADA, { factors: { password: 1 } });
    expect(mode.resolve(token)).toBeInstanceOf(Promise);
    await new Promise(setImmediate);
    expect(mode.resolve(token)).toMatchObject({ user: ADA, proof: { factors: { password: 1 } } });
    expect(mode.resolve(token)).not.toBeInstanceOf(Promise);
    cache.evict(ADA.userId);
    expect(mode.resolve(token)).toBeInstanceOf(Promise);
  });
});
