import { describe, expect, it } from '@jest/globals';
import type { AccountChange, NotedEvent } from 'kit-auth';
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
async function reset({ isUnlocked = true } = {}): Promise<unknown[]> {
  const done: unknown[] = [];
  const transaction = {};
  const change = { transaction, note: async ({ type }: NotedEvent) => void done.push(type) } as AccountChange;
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
    loadLoginUser: async () => ADA,
    changePassword: async (userId: number, changed: object) => {
      done.push([userId, changed]);
      return true;
    },
  };
  const addresses = { find: async () => ({ key: 'ada@example.com' }), markVerified: async () => true };
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
      ['ends all logins', 7, { reason: 'password-changed', endsKeys: true }],
      'unlock ada',
    ]);
  });

  it('is done, also where the throttle fails', async () => {
    expect((await reset({ isUnlocked: false })).at(-1)).toBe('user-unlocked: the throttle failed');
  });
});
