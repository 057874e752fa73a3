import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { sharedTestApp } from 'test-support';
import { UserQueries } from './user.queries.js';

describe('UserQueries', () => {
  const app = sharedTestApp({ admin: true });
  let ids: number[];
  beforeAll(async () => {
    const role = await app.role({ code: 'reader' });
    ids = [];
    for (let i = 0; i < 5; i++) {
      const nickname = `Ådne 100%_${i}`;
      const status = i === 4 ? AuthUserStatus.DISABLED : AuthUserStatus.ENABLED;
      ids.push((await app.user({ username: `ÖZGÜR${i}`, nickname, status, roles: i < 3 ? [role] : [] })).id);
    }
  });
  const find = async (query: Record<string, string | number>) => {
    const { items, total } = await app.get(UserQueries).find(query);
    return [items.map(({ userId }) => ids.indexOf(userId)), total];
  };

  it.each<[Record<string, string | number>, number[], number]>([
    [{ role: 'reader' }, [0, 1, 2], 3],
    [{ role: 'reader', size: 2, page: 2 }, [2], 3],
    [{ role: 'unknown' }, [], 0],
    [{ status: 'DISABLED' }, [4], 1],
    [{ status: 'unknown' }, [], 0],
    [{ q: 'åDNE' }, [0, 1, 2, 3, 4], 5],
    [{ q: 'adne' }, [], 0],
    [{ q: 'u' }, [], 0],
    [{ q: 'özgür3' }, [3], 1],
    [{ q: '%_4' }, [4], 1],
    [{ q: 'ådne', role: 'reader', size: 2, page: 2 }, [2], 3],
    [{ q: 'ådne', status: 'DISABLED' }, [4], 1],
  ])('finds with %j', async (query, expected, total) => {
    expect(await find(query)).toEqual([expected, total]);
  });

  it('returns one user, or throws 40400', async () => {
    const queries = app.get(UserQueries);
    expect(await queries.get(ids[0]!)).toMatchObject({
      userId: ids[0],
      roles: ['reader'],
      lockedUntil: null,
    });
    await expect(queries.get(4711)).rejects.toMatchObject({ code: 40400 });
  });
});
