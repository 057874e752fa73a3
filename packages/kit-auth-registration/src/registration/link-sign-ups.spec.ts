import { describe, expect, it } from '@jest/globals';
import type { AccountChange, AuthAction } from 'kit-auth';
import type { ActiveUserStore } from 'kit-auth/feature';
import type { OneTimeToken, OneTimeTokens } from 'kit-auth/store';
import { registrationOptions } from '../registration.options.js';
import type { Accounts } from '../accounts.js';
import type { DefaultRoles } from './default-roles.js';
import type { InvitationRoles } from '../invitations/invitation-roles.js';
import { LinkSignUps } from './link-sign-ups.js';
import type { NewAccount, NewAccounts } from './new-accounts.js';

const ADDRESS = { address: 'Ada@Example.com', key: 'ada@example.com' };
const CHANGE = { transaction: 'a transaction' } as unknown as AccountChange;
const INVITATION = { address: ADDRESS.address, roles: ['editor', 'member'], inviterId: 1 };

interface Case {
  mode: 'open' | 'invited';
  hasAccount?: boolean;
  /** Whether there is an invitation, and its inviter could still send it. */
  invitation?: 'usable' | 'unusable';
}

function signUpsWith({ mode, hasAccount = false, invitation }: Case) {
  const order: unknown[] = [];
  const token = { id: 'newest', data: INVITATION } as unknown as OneTimeToken;
  const signUps = new LinkSignUps(
    {
      transaction: async (_: AuthAction, work: (change: AccountChange) => Promise<unknown>) => work(CHANGE),
    } as unknown as ActiveUserStore,
    {
      list: async (which: object, transaction?: unknown) => {
        expect(which).toEqual({ purpose: 'invite', subject: ADDRESS.key });
        order.push(['list', transaction]);
        return invitation === undefined ? [] : [{ id: 'oldest', data: {} }, token];
      },
      claim: async (...args: unknown[]) => void order.push(['claim', ...args]),
    } as unknown as OneTimeTokens,
    { has: async () => hasAccount } as unknown as Accounts,
    {
      insert: async (account: NewAccount, change: AccountChange) =>
        order.push(['insert', account, change]) && 7,
      cancelLinksTo: async (key: string) => void order.push(['cancel', key]),
    } as unknown as NewAccounts,
    { get: async () => ['member'] } as unknown as DefaultRoles,
    {
      find: async (data: typeof INVITATION) => (invitation === 'usable' ? data.roles : undefined),
    } as unknown as InvitationRoles,
    registrationOptions.resolve({ mode }),
  );
  const claim = async (transaction: unknown) => void order.push(['claim the link', transaction]);
  return { signUps, order, token, signUp: () => signUps.signUp(ADDRESS, {} as AuthAction, claim) };
}

describe('LinkSignUps', () => {
  it.each<[Case, boolean]>([
    [{ mode: 'open' }, true],
    [{ mode: 'open', hasAccount: true }, false],
    [{ mode: 'open', invitation: 'unusable' }, true],
    [{ mode: 'invited' }, false],
    [{ mode: 'invited', invitation: 'usable' }, true],
    [{ mode: 'invited', invitation: 'unusable' }, false],
    [{ mode: 'invited', invitation: 'usable', hasAccount: true }, false],
  ])('allow an account with %j: %s', async (which, allowed) => {
    expect(await signUpsWith(which).signUps.allows(ADDRESS.key)).toBe(allowed);
  });

  it.each<Case>([{ mode: 'open' }, { mode: 'open', invitation: 'unusable' }])(
    'make an account with the roles of everybody, in the transaction that claims the link: %j',
    async (which) => {
      const { order, signUp } = signUpsWith(which);
      expect(await signUp()).toBe(7);
      const account = { address: ADDRESS.address, username: ADDRESS.key, roles: ['member'] };
      expect(order).toEqual([
        ['list', CHANGE.transaction],
        ['claim the link', CHANGE.transaction],
        ['insert', { ...account, invitation: undefined }, CHANGE],
        ['cancel', ADDRESS.key],
      ]);
    },
  );

  it.each(['open', 'invited'] as const)('use up the newest invitation with the mode %s', async (mode) => {
    const { order, token, signUp } = signUpsWith({ mode, invitation: 'usable' });
    expect(await signUp()).toBe(7);
    expect(order.slice(1, 4)).toEqual([
      ['claim the link', CHANGE.transaction],
      ['claim', 'invite', token, CHANGE.transaction],
      [
        'insert',
        {
          address: ADDRESS.address,
          username: ADDRESS.key,
          roles: ['member', 'editor'],
          invitation: INVITATION,
        },
        CHANGE,
      ],
    ]);
  });

  it.each<Case>([{ mode: 'invited' }, { mode: 'invited', invitation: 'unusable' }])(
    'claim nothing where only an invitation would do, and it is gone by now: %j',
    async (which) => {
      const { order, signUp } = signUpsWith(which);
      await expect(signUp()).rejects.toMatchObject({ code: 40010 });
      expect(order).toEqual([['list', CHANGE.transaction]]);
    },
  );
});
