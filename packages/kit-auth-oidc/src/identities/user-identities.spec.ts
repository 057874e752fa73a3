import { describe, expect, it, jest } from '@jest/globals';
import { notFound } from 'kit-auth/feature';
import { UserIdentities } from './user-identities.js';

const ISSUER = 'https://login.example.com';
const TEST = { name: 'test', title: 'Test', issuer: ISSUER };
const providers = {
  find: (name: string) => (name === 'test' ? TEST : undefined),
  get(name: string) {
    const found = this.find(name);
    if (found === undefined) {
      throw notFound('Provider');
    }
    return found;
  },
};
const insert = jest.fn<(...given: unknown[]) => Promise<void>>(async () => undefined);
const row = { id: 'x', issuer: ISSUER, subject: 'ada', address: null, createdAt: 1000, lastUsedAt: null };
const listOf = async () => [
  { ...row, provider: 'test', lastUsedAt: 2000 },
  { ...row, provider: 'gone' },
];
const identities = new UserIdentities({ insert, listOf } as never, providers as never);

describe('the identities of a user', () => {
  it('are linked by the application', async () => {
    await identities.link(7, { provider: 'test', subject: 'ada' }, 'a transaction');
    const identity = { provider: 'test', issuer: ISSUER, subject: 'ada', address: null };
    expect(insert).toHaveBeenCalledWith(7, identity, false, 'a transaction');
  });

  it.each<[string, unknown, number]>([
    ['an empty subject', '', 40000],
    ['a subject that is too long', 's'.repeat(256), 40000],
    ['letters that databases confuse', '\uff41da', 40000],
    ['null of a column', null, 40000],
  ])('are not linked with %s', async (_what, subject, code) => {
    insert.mockClear();
    const link = identities.link(7, { provider: 'test', subject: subject as string });
    await expect(link).rejects.toMatchObject({ code });
    await expect(identities.link(7, { provider: 'x', subject: 'ada' })).rejects.toMatchObject({
      code: 40400,
    });
    expect(insert).not.toHaveBeenCalled();
  });

  it('have the title of their provider, or its name if it is gone', async () => {
    const common = { id: 'x', address: null, createdAt: new Date(1000) };
    expect(await identities.listOf(7)).toEqual([
      { ...common, provider: 'test', title: 'Test', lastUsedAt: new Date(2000) },
      { ...common, provider: 'gone', title: 'gone', lastUsedAt: null },
    ]);
  });

  it.each<[string, string[]]>([
    ['one', ['one', 'two']],
    ['gone', ['one', 'two', 'gone']],
  ])('are removed after a check of those that log in, and of %s', async (id, known) => {
    const rows = ['one', 'two', 'gone'].map((name) => ({
      ...row,
      id: name,
      provider: name === 'gone' ? 'gone' : 'test',
    }));
    const remove = async (_userId: unknown, _transaction: unknown, chosen: (all: object[]) => object[]) =>
      chosen(rows);
    const ofIdentity = ({ provider }: { provider: string }) => providers.find(provider);
    const removing = new UserIdentities({ remove } as never, { ...providers, ofIdentity } as never);
    const allow = jest.fn<(all: readonly { id: string }[]) => void>();
    const removed = await removing.remove(7, { id, reason: 'logged-out', allow }, 'a transaction');
    expect(removed.map((identity) => identity.id)).toEqual([id]);
    expect(allow.mock.calls[0]![0].map((identity) => identity.id)).toEqual(known);
  });
});
