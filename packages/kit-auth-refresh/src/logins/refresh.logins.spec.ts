import { describe, expect, it } from '@jest/globals';
import { RefreshLogins } from './refresh.logins.js';

/** What ending all logins of a user calls. The store ends these. */
async function calls(
  options: Parameters<RefreshLogins['endAllOf']>[1],
  { ids = ['a', 'b'], count = ids.length }: { ids?: string[]; count?: number } = {},
): Promise<unknown[]> {
  const made: unknown[] = [];
  const store = {
    endAllOf: async (userId: number, by: string, _now: number, exceptId?: string, onBehalfOf?: string) => {
      made.push(['store', userId, by, exceptId, onBehalfOf]);
      return { ids, count };
    },
  };
  const cache = {
    noteEnd: (...end: string[]) => made.push(['cache', ...end]),
    markUncertain: (id: string) => made.push(['uncertain', id]),
  };
  const ends = { note: (end: object) => made.push(end) };
  const nothing = {} as never;
  const logins = new RefreshLogins(
    { settings: { lifetimeDays: 30, idleDays: 7 } } as never,
    nothing,
    store as never,
    nothing,
    cache as never,
    nothing,
    nothing,
    nothing,
    nothing,
    nothing,
    ends as never,
    nothing,
  );
  expect(await logins.endAllOf(7, options)).toBe(count);
  return made;
}

describe('all refresh logins of a user', () => {
  it('end with the reason in their rows, in the cache, and for those who listen', async () => {
    expect(await calls({ reason: 'password-changed', exceptId: 'c' })).toEqual([
      ['store', 7, 'password-changed', 'c', undefined],
      { userId: 7, exceptId: 'c', reason: 'password-changed' },
      ['cache', 'a', 'password-changed'],
      ['cache', 'b', 'password-changed'],
    ]);
    expect((await calls(undefined))[0]).toEqual(['store', 7, 'kicked', undefined, undefined]);
  });

  it('are looked up again where it is not known which have ended', async () => {
    expect((await calls({}, { count: 3 })).slice(2)).toEqual([
      ['uncertain', 'a'],
      ['uncertain', 'b'],
    ]);
    expect(await calls({}, { ids: [] })).toHaveLength(1);
  });
});
