import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { LoginUser } from 'kit-auth';
import type { ActiveUserStore } from 'kit-auth/feature';
import { loginUser } from 'test-support';
import { MemorySessionStore } from '../stores/memory.session-store.js';
import type { StoredSession } from '../stores/session-store.js';
import { Lookup, UserCache } from './lookup.js';

const ADA = loginUser();
const SESSION: StoredSession = {
  id: '7.a',
  userId: 7,
  createdAt: 1,
  lastSeenAt: 1,
  expiresAt: Date.now() + 60_000,
  address: undefined,
  userAgent: undefined,
  endedBy: undefined,
};

/** Answers with promises, as stores on servers do. */
class AsyncStore extends MemorySessionStore {
  override find(id: string): never {
    return Promise.resolve(super.find(id)) as never;
  }
}

function usersOf(loadLoginUser: () => Promise<LoginUser | undefined> = async () => ADA, idType = 'number') {
  return { loadLoginUser, idType } as unknown as ActiveUserStore;
}

afterEach(() => {
  jest.useRealTimers();
});

describe.each([MemorySessionStore, AsyncStore])('Lookup in %p', (Store) => {
  it('finds a user and sessions in the order of their ids', async () => {
    const store = new Store();
    store.create(SESSION);
    const lookup = new Lookup(store, new UserCache(1000), usersOf());
    for (let time = 0; time < 2; time++) {
      expect(await lookup.find(7, ['7.a'])).toEqual({ user: ADA, sessions: [SESSION] });
      expect(await lookup.find(7, ['7.b', '7.a'])).toEqual({ user: ADA, sessions: [undefined, SESSION] });
    }
  });

  it('returns a promise only when it has to wait', async () => {
    const store = new Store();
    const lookup = new Lookup(store, new UserCache(1000), usersOf());
    await lookup.find(7, ['7.a']);
    expect(lookup.find(7, ['7.a']) instanceof Promise).toBe(Store === AsyncStore);
    expect(lookup.find(7, ['7.a', '7.b']) instanceof Promise).toBe(Store === AsyncStore);
  });
});

describe.each([MemorySessionStore, AsyncStore])('Lookup of a text id in %p', (Store) => {
  const userId = 'usr_ada' as unknown as number;
  const owned = { ...SESSION, id: 'AAAAAAAAAAAAAAAA.a', userId };
  const ada = { ...ADA, userId };

  it('finds the session, and then its user', async () => {
    const store = new Store();
    store.create(owned);
    const loadLoginUser = jest.fn(async () => ada);
    const lookup = new Lookup(store, new UserCache(1000), usersOf(loadLoginUser, 'string'));
    for (let time = 0; time < 2; time++) {
      expect(await lookup.findOwned(owned.id)).toEqual({ user: ada, sessions: [owned] });
    }
    expect(loadLoginUser.mock.calls).toEqual([[userId]]);
    expect(lookup.findOwned(owned.id) instanceof Promise).toBe(Store === AsyncStore);
  });

  it('asks for no user without a live session, and for none with an id of another type', async () => {
    const store = new Store();
    store.create(owned);
    const loadLoginUser = jest.fn(async () => ada);
    const lookup = new Lookup(store, new UserCache(1000), usersOf(loadLoginUser, 'string'));
    expect(await lookup.findOwned('AAAAAAAAAAAAAAAA.b')).toEqual({ user: undefined, sessions: [undefined] });
    const numbers = new Lookup(store, new UserCache(1000), usersOf(loadLoginUser));
    expect((await numbers.findOwned(owned.id)).user).toBeUndefined();
    store.end(owned.id, 'kicked', 2);
    expect((await lookup.findOwned(owned.id)).user).toBeUndefined();
    expect(loadLoginUser).not.toHaveBeenCalled();
  });
});

describe('Lookup', () => {
  it('asks a store that has the users too for everything at once', async () => {
    const findWithUser = jest.fn(async () => ({ sessions: [SESSION], user: ADA }));
    const store = Object.assign(new MemorySessionStore(), { findWithUser });
    const loadLoginUser = jest.fn(async () => ADA);
    const lookup = new Lookup(store, new UserCache(1000), usersOf(loadLoginUser));
    expect(await lookup.find(7, ['7.a'])).toEqual({ user: ADA, sessions: [SESSION] });
    expect(await lookup.find(7, ['7.a'])).toEqual({ user: ADA, sessions: [undefined] });
    expect(findWithUser.mock.calls).toEqual([[7, ['7.a']]]);
    expect(loadLoginUser).not.toHaveBeenCalled();
  });

  it('does not cache a user who was changed while being loaded', async () => {
    const cache = new UserCache(1000);
    const loadLoginUser = jest.fn(async () => {
      cache.evict(7);
      return ADA;
    });
    const lookup = new Lookup(new MemorySessionStore(), cache, usersOf(loadLoginUser));
    await lookup.find(7, ['7.a']);
    await lookup.find(7, ['7.a']);
    expect(loadLoginUser).toHaveBeenCalledTimes(2);
  });

  it('does not cache that a user is gone', async () => {
    const loadLoginUser = jest.fn(async () => undefined);
    const lookup = new Lookup(new MemorySessionStore(), new UserCache(1000), usersOf(loadLoginUser));
    expect(await lookup.find(7, ['7.a'])).toEqual({ user: undefined, sessions: [undefined] });
    await lookup.find(7, ['7.a']);
    expect(loadLoginUser).toHaveBeenCalledTimes(2);
  });

  it('rejects when the users do not answer', async () => {
    jest.useFakeTimers();
    const users = usersOf(() => new Promise(() => undefined));
    const found = new Lookup(new MemorySessionStore(), new UserCache(0), users).find(7, ['7.a']);
    const refused = expect(found).rejects.toThrow('the user database gave no answer in 900 ms');
    await jest.advanceTimersByTimeAsync(900);
    await refused;
  });
});
