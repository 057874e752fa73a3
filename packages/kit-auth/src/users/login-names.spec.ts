import { describe, expect, it } from '@jest/globals';
import type { StoredUser } from '../contract/user-store.js';
import type { Ports } from '../ports/ports.js';
import type { ActiveUserStore } from './active.user-store.js';
import { LoginNames } from './login-names.js';

const ADDRESS = 'ada@xn--bcher-kva.example';

interface World {
  /** The ids of accounts by their usernames. */
  readonly users: Readonly<Record<string, number>>;
  /** Without it, no module knows addresses. */
  readonly owner?: { readonly userId: number; readonly verified: boolean } | null;
}

/** @returns the account, and every look-up */
async function find(typed: string, { users, owner }: World) {
  const lookups: string[] = [];
  const account = (username: string): StoredUser | undefined =>
    Object.hasOwn(users, username)
      ? { id: users[username] as number, username, enabled: true, securityStamp: '' }
      : undefined;
  const store = {
    findByUsername: async (username: string) => {
      lookups.push('name');
      return account(username);
    },
    usernameOf: async (id: number) => {
      lookups.push('name');
      return Object.keys(users).find((name) => users[name] === id);
    },
  };
  const ownerOf = async (key: string) => {
    lookups.push('owner');
    return key === ADDRESS ? owner : undefined;
  };
  const ports = { addresses: owner === undefined ? undefined : { ownerOf } };
  const names = new LoginNames(store as unknown as ActiveUserStore, ports as unknown as Ports);
  const found = await names.byAddress(typed);
  return { found: found && [found.username, found.account?.id], lookups: lookups.join(' ') };
}

const verified = (userId: number) => ({ userId, verified: true });
const unverified = (userId: number) => ({ userId, verified: false });

describe('the account of a typed address', () => {
  it.each<[string, string, World, unknown]>([
    ['nobody, under the usual spelling', 'Ada@Bücher.example', { users: {} }, [ADDRESS, undefined]],
    [
      'the username in its usual spelling',
      ' ADA@bücher.example\n',
      { users: { [ADDRESS]: 1 } },
      [ADDRESS, 1],
    ],
    [
      'the username as it was typed',
      'Ada@Bücher.example',
      { users: { 'Ada@Bücher.example': 2 } },
      ['Ada@Bücher.example', 2],
    ],
    [
      'the usual spelling before another',
      'Ada@Bücher.example',
      { users: { 'Ada@Bücher.example': 2, [ADDRESS]: 1 } },
      [ADDRESS, 1],
    ],
    ['the owner', ADDRESS, { users: { ada: 3 }, owner: verified(3) }, ['ada', 3]],
    [
      'the owner before a username',
      ADDRESS,
      { users: { ada: 3, [ADDRESS]: 1 }, owner: verified(3) },
      ['ada', 3],
    ],
    [
      'a username before an address that is not verified',
      ADDRESS,
      { users: { ada: 3, [ADDRESS]: 1 }, owner: unverified(3) },
      [ADDRESS, 1],
    ],
    [
      'nobody where the address is not verified',
      ADDRESS,
      { users: { ada: 3 }, owner: unverified(3) },
      [ADDRESS, undefined],
    ],
    [
      'the username where the owner has no account',
      ADDRESS,
      { users: { [ADDRESS]: 1 }, owner: verified(9) },
      [ADDRESS, 1],
    ],
  ])('is %s', async (_, typed, world, expected) => {
    expect((await find(typed, world)).found).toEqual(expected);
  });

  it.each([
    'ada',
    'Ada ',
    '@',
    'ada@',
    'a@b@c.example',
    'ada@a b.example',
    `${'a'.repeat(300)}@x.example`,
    `${ADDRESS}${' '.repeat(256)}`,
    'ada\0@x.example',
  ])('is not looked for by a name that is no address: %j', async (typed) => {
    expect(await find(typed, { users: { [typed]: 1 }, owner: null })).toEqual({
      found: undefined,
      lookups: '',
    });
  });

  it('takes the same look-ups, whatever they find', async () => {
    const worlds: World[] = [
      { users: {}, owner: null },
      { users: { [ADDRESS]: 1 }, owner: null },
      { users: { ada: 3 }, owner: verified(3) },
      { users: { ada: 3 }, owner: unverified(3) },
    ];
    const lookups = await Promise.all(worlds.map(async (world) => (await find(ADDRESS, world)).lookups));
    expect(new Set(lookups)).toEqual(new Set(['owner name name name']));
  });
});
