import { describe, expect, it } from '@jest/globals';
import type { AccountChange, NewUser, NotedEvent } from 'kit-auth';
import type { ActiveUserStore } from 'kit-auth/feature';
import type { OneTimeTokens } from 'kit-auth/store';
import type { EmailModuleParts } from '../email-module-parts.js';
import { type NewAccount, NewAccounts } from './new-accounts.js';

const ADDRESS = 'Ada.Lovelace@Example.com';
const KEY = ADDRESS.toLowerCase();
const INVITATION = { address: ADDRESS, roles: ['editor'], inviterId: 1 };

function accountsWith({ owner, cancel }: { owner?: object; cancel?: () => Promise<number> } = {}) {
  const created: NewUser[] = [];
  const assigned: unknown[][] = [];
  const cancelled: object[] = [];
  const noted: NotedEvent[] = [];
  const transaction = {};
  const change = { transaction, note: async (event: NotedEvent) => void noted.push(event) } as AccountChange;
  const users = {
    createUser: async (user: NewUser, inChange: AccountChange) => {
      expect(inChange).toBe(change);
      created.push(user);
      return 7;
    },
  } as unknown as ActiveUserStore;
  const addresses = {
    findByKey: async (...args: unknown[]) => {
      expect(args).toEqual([KEY, transaction]);
      return owner;
    },
    assign: async (...args: unknown[]) => void assigned.push(args),
  };
  const tokens = {
    cancel: async (which: object) => {
      cancelled.push(which);
      return cancel?.() ?? 1;
    },
  } as unknown as OneTimeTokens;
  const accounts = new NewAccounts(users, { addresses } as unknown as EmailModuleParts, tokens);
  const insert = (more: Partial<NewAccount> = {}) =>
    accounts.insert(
      { address: ADDRESS, username: KEY, roles: ['member'], invitation: undefined, ...more },
      change,
    );
  return { accounts, insert, created, assigned, cancelled, noted, transaction };
}

describe('NewAccounts', () => {
  it('insert the user, the address as it was typed, and an event', async () => {
    const { insert, created, assigned, noted, transaction } = accountsWith();
    expect(await insert({ passwordHash: 'a hash' })).toBe(7);
    expect(created).toEqual([
      { username: KEY, nickname: 'Ada.Lovelace', passwordHash: 'a hash', roles: ['member'] },
    ]);
    expect(assigned).toEqual([[7, ADDRESS, { verified: true, source: 'owner' }, transaction]]);
    expect(noted).toEqual([{ type: 'registered', subjectId: 7, subject: KEY, detail: 'roles: member' }]);
  });

  it.each<[string, Partial<NewAccount>, string]>([
    ['the user has chosen', { nickname: 'A', invitation: { ...INVITATION, nickname: 'B' } }, 'A'],
    ['the invitation has', { invitation: { ...INVITATION, nickname: 'B' } }, 'B'],
    ['is before the last @ of the address', { invitation: INVITATION }, 'Ada.Lovelace'],
    ['is before the last @ of a quoted one', { address: '"a@b"@example.com' }, '"a@b"'],
  ])('take the nickname that %s', async (_, more, nickname) => {
    const { insert, created } = accountsWith();
    await insert(more);
    expect(created[0]?.nickname).toBe(nickname);
  });

  it('have no password without a hash, and say that they were invited', async () => {
    const { insert, created, noted } = accountsWith();
    await insert({ roles: ['member', 'editor'], invitation: INVITATION });
    expect(created[0]).not.toHaveProperty('passwordHash');
    expect(noted[0]?.detail).toBe('invited, roles: member, editor');
  });

  it('are refused for the address of an account, before anything is written', async () => {
    const { insert, created, assigned, noted } = accountsWith({ owner: { userId: 8 } });
    await expect(insert()).rejects.toMatchObject({ code: 40900 });
    expect([created, assigned, noted]).toEqual([[], [], []]);
  });

  it('cancel the other links to the address, and do not fail where that fails', async () => {
    const { accounts, cancelled } = accountsWith();
    await accounts.cancelLinksTo(KEY);
    expect(cancelled).toEqual(['register', 'invite'].map((purpose) => ({ purpose, subject: KEY })));
    const failing = accountsWith({ cancel: () => Promise.reject(new Error('no connection')) });
    await failing.accounts.cancelLinksTo(KEY);
    expect(failing.cancelled).toHaveLength(1);
  });
});
