import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ExternalIdentity } from '../providers/external-identity.js';
import { AccountAddresses } from './account.addresses.js';
import { SignUps } from './sign-ups.js';

const LOGIN = { provider: 'test' } as never;
const OWNED = 'ada@example.com';

const ownerOf = jest.fn(async (key: string) => (key === OWNED ? 7 : undefined));
const issue = jest.fn<(wanted: { data: object }) => Promise<object>>(async () => ({ token: 'a-token' }));
const note = jest.fn();
beforeEach(() => [ownerOf, issue, note].forEach((mock) => mock.mockClear()));

/** Comes back with an unknown identity. */
function offer(identity: Partial<ExternalIdentity>, decision: object = {}) {
  const decide = async () => decision;
  const cookies = { bind: () => ({ name: 'a-cookie', hash: 'a-hash' }) };
  const signUps = new SignUps(
    ...([{ decide }, { ownerOf }, {}, {}, { issue }, cookies, {}] as unknown as ConstructorParameters<
      typeof SignUps
    >),
  );
  const known = { provider: 'test', name: undefined, isVerified: true, ...identity } as ExternalIdentity;
  const attempt = { challenge: undefined, remember: true } as never;
  return signUps.offer(known, LOGIN, attempt, {} as never, { note } as never);
}

describe('the offer of an account', () => {
  it.each([
    ['an unverified address, whoever has it', { address: OWNED, isVerified: false }],
    ['no address', { address: undefined, isVerified: true }],
  ])('is refused with %s, without any lookup', async (_what, identity) => {
    await expect(offer(identity)).rejects.toMatchObject({ code: 40114, reason: 'unverified' });
    expect([ownerOf.mock.calls, note.mock.calls, issue.mock.calls]).toEqual([[], [], []]);
  });

  it.each([OWNED, OWNED.toUpperCase()])('is refused with the address of an account: %s', async (address) => {
    await expect(offer({ address })).rejects.toMatchObject({ code: 40900, reason: 'link' });
    expect(note.mock.calls).toEqual([
      [{ type: 'external-login-failed', subjectId: 7, success: false, detail: 'test: link' }],
    ]);
    expect(issue).not.toHaveBeenCalled();
  });

  it.each<[string, object, object, string]>([
    ['that the policy gives', { name: 'Ada' }, { nickname: 'A' }, 'A'],
    ['at the provider', { name: 'Ada' }, {}, 'Ada'],
    ['of the address', {}, {}, 'New'],
    ['of the address, if the one at the provider cannot be shown', { name: 'A\u202eda' }, {}, 'New'],
  ])('has the name %s', async (_which, identity, decision, nickname) => {
    expect(await offer({ address: 'New@example.com', ...identity }, decision)).toBe('a-token');
    expect(issue.mock.calls[0]![0]).toMatchObject({
      ttlSeconds: 600,
      data: { login: LOGIN, address: 'New@example.com', nickname, decision, remember: true },
    });
    expect(issue.mock.calls[0]![0].data).toMatchObject({ browser: { name: 'a-cookie' } });
  });
});

describe('the account of an address', () => {
  const knownFrom = (addresses: object | undefined, users: object = { has: () => false }) => {
    const known = new AccountAddresses({ only: () => addresses } as never, users as never);
    known.onModuleInit();
    return known;
  };
  const users = { has: () => true, findByUsername: async (name: string) => name === OWNED && { id: 8 } };

  it.each<[string, object | undefined, object | undefined, unknown]>([
    ['the one that has it', { ownerOf: async () => ({ userId: 7 }) }, users, 7],
    ['the one whose username it is', { ownerOf: async () => undefined }, users, 8],
    ['the one whose username it is, where addresses are not known', undefined, users, 8],
    ['none in a store without names', undefined, undefined, undefined],
  ])('is %s', async (_which, addresses, store, owner) => {
    const known = knownFrom(addresses, store);
    expect([await known.ownerOf(OWNED), known.areKnown]).toEqual([owner, addresses !== undefined]);
  });
});
