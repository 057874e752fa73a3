import { describe, expect, it } from '@jest/globals';
import type { AccountChange, NotedEvent } from 'kit-auth';
import type { AddressSource } from '../stores/auth-user-email.entity.js';
import { loginUser } from 'test-support';
import { PasswordReset } from './password.reset.js';

const ADA = loginUser();

interface OwnChange {
  readonly reason: string;
  readonly endsKeys: boolean;
  readonly work: (change: AccountChange) => Promise<void>;
  readonly committed: () => Promise<void>;
}

/** What a reset does, in this order. */
async function reset({
  isUnlocked = true,
  hasTransaction = true,
  source = 'import',
}: { isUnlocked?: boolean; hasTransaction?: boolean; source?: AddressSource } = {}): Promise<unknown[]> {
  const done: unknown[] = [];
  const transaction = {};
  const change = {
    transaction,
    note: async ({ type, endsFactors }: NotedEvent) =>
      void done.push(endsFactors ? `${type}, ends factors` : type),
  } as AccountChange;
  const ends = {
    changeOwn: async (
      _action: unknown,
      { userId }: { userId: number },
      { work, committed, ...how }: OwnChange,
    ) => {
      await work(change);
      done.push(['ends all logins', userId, how]);
      await committed();
    },
  };
  const tokens = {
    peek: async () => ({ userId: ADA.userId, data: { key: 'ada@example.com' }, stamp: 'stamp' }),
    attempting: (_purpose: string, _token: string, work: () => Promise<void>) => work(),
    claim: async () => void done.push('claim'),
    cancel: async () => void done.push('cancel'),
  };
  const passwords = { check: async () => undefined, hash: async () => 'hash' };
  const users = {
    has: () => hasTransaction,
    lockUser: async () => undefined,
    loadLoginUser: async () => ADA,
    changePassword: async (userId: number, changed: object) => {
      done.push([userId, changed]);
      return true;
    },
  };
  const addresses = {
    find: async () => ({ key: 'ada@example.com' }),
    findByKey: async () => ({ userId: ADA.userId, source }),
    markReset: async (_userId: number, _key: string, isOwned: boolean) => {
      done.push(isOwned ? 'address of the owner' : 'verified address');
      return true;
    },
  };
  const throttle = {
    unlock: async (name: string) => {
      if (!isUnlocked) {
        throw new Error('no store');
      }
      done.push(`unlock ${name}`);
    },
  };
  const action = { note: ({ type, detail }: NotedEvent) => void done.push(`${type}: ${detail}`) };
  const events = { begin: () => action };
  const context = { client: () => ({}) };
  await new PasswordReset(
    tokens as never,
    addresses as never,
    users as never,
    passwords as never,
    ends as never,
    throttle as never,
    events as never,
    context as never,
  ).reset('token', 'a new one');
  return done;
}

describe('the reset of a password', () => {
  it('claims the link, changes the password, and ends logins and keys as password-changed', async () => {
    expect(await reset()).toEqual([
      'claim',
      [7, { passwordHash: 'hash', seenStamp: 'stamp' }],
      'cancel',
      'password-reset',
      'address of the owner',
      ['ends all logins', 7, { reason: 'password-changed', endsKeys: true }],
      'unlock ada',
    ]);
  });

  it('ends the factors, if it proves an address that its user has typed', async () => {
    const done = await reset({ source: 'user' });
    expect(done.slice(2, 5)).toEqual(['cancel', 'password-reset, ends factors', 'address of the owner']);
  });

  it('marks the address as that of the owner after the events, also with a store without transactions', async () => {
    const done = await reset({ source: 'user', hasTransaction: false });
    expect(done.slice(2, 5)).toEqual(['cancel', 'password-reset, ends factors', 'verified address']);
    expect(done.at(-1)).toBe('address of the owner');
  });

  it('is done, also where the throttle fails', async () => {
    expect((await reset({ isUnlocked: false })).at(-1)).toBe('user-unlocked: the throttle failed');
  });
});
