import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthEvent } from 'kit-auth';
import { sharedTestApp } from 'test-support';
import { DataSource, InsertQueryBuilder, QueryFailedError } from 'typeorm';
import { AuditLog } from './audit.log.js';
import { AuthAudit } from './auth-audit.entity.js';

const eventOf = (fields: Partial<AuthEvent> = {}): AuthEvent => ({
  type: 'login',
  at: new Date('2026-01-31T12:00:00.123Z'),
  actorId: null,
  actor: null,
  subjectId: 7,
  subject: 'ada',
  success: true,
  detail: null,
  address: '127.0.0.1',
  ...fields,
});

describe('AuditLog', () => {
  const app = sharedTestApp({ admin: true });
  const log = () => app.get(AuditLog);
  const rows = () => app.rowsOf(AuthAudit);
  beforeEach(() => rows().clear());
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('stores and returns an event as it is', async () => {
    await log().keep(eventOf());
    const { items } = await log().read({});
    expect(items).toEqual([{ id: expect.any(Number), ...eventOf() }]);
  });

  it('stores an event in the transaction of its change', async () => {
    await expect(
      rows().manager.transaction(async (transaction) => {
        await log().keep(eventOf(), transaction);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect(await rows().count()).toBe(0);
    await rows().manager.transaction((transaction) => log().keep(eventOf(), transaction));
    expect(await rows().count()).toBe(1);
  });

  it('stores an event on its own where the transaction is not of its data source', async () => {
    const other = await new DataSource({ type: 'better-sqlite3', database: ':memory:' }).initialize();
    const own = app.get(DataSource);
    for (const transaction of [{}, null, 'tx', own, own.createQueryRunner(), other.manager]) {
      await log().keep(eventOf(), transaction);
    }
    expect(await rows().count()).toBe(6);
    await other.destroy();
  });

  it('stores several events with one statement', async () => {
    const insert = jest.spyOn(rows().manager, 'createQueryBuilder');
    await log().keepAll([eventOf(), eventOf({ type: 'logout' })]);
    expect(insert).toHaveBeenCalledTimes(1);
    expect((await log().read({})).items.map(({ type }) => type)).toEqual(['logout', 'login']);
  });

  it('replaces what is not ASCII when the table cannot store a text', async () => {
    const refusal = new QueryFailedError('INSERT', [], Object.assign(new Error(), { errno: 1366 }));
    jest.spyOn(InsertQueryBuilder.prototype, 'execute').mockRejectedValueOnce(refusal);
    await log().keep(eventOf({ subject: 'Zoë \u{1f600}', detail: 'é' }));
    const { items } = await log().read({});
    expect(items).toMatchObject([{ subject: 'Zo? ?', subjectId: 7, detail: '?', at: eventOf().at }]);
  });

  it('fails when the table is missing', async () => {
    await rows().query('ALTER TABLE auth_audit RENAME TO away');
    await expect(log().keep(eventOf())).rejects.toThrow(QueryFailedError);
    await rows().query('ALTER TABLE away RENAME TO auth_audit');
  });

  describe('with events', () => {
    const at = (day: number) => new Date(Date.UTC(2026, 0, day));
    beforeEach(() =>
      log().keepAll([
        eventOf({ at: at(1), actorId: 1, actor: 'admin', subjectId: 7, subject: 'ada' }),
        eventOf({ at: at(2), actorId: 7, actor: 'ada', subjectId: null, subject: 'editor', type: 'logout' }),
        eventOf({ at: at(3), actorId: 1, actor: 'admin', subjectId: 8, subject: '7' }),
        eventOf({ at: at(4), actorId: null, actor: null, subjectId: 9, subject: 'a?b', type: 'logout' }),
      ]),
    );
    const found = async (query: object) => {
      const { items, total } = await log().read(query);
      expect(total).toBe(items.length);
      return items.map((item) => item.at.getUTCDate());
    };

    it.each<[object, number[]]>([
      [{}, [4, 3, 2, 1]],
      [{ actor: 'admin' }, [3, 1]],
      [{ actor: '7' }, [2]],
      [{ subject: 'editor' }, [2]],
      // An id, or a username that looks like one.
      [{ subject: '7' }, [3, 1]],
      [{ subject: 'a\u202eb' }, [4]],
      [{ subject: 'ad' }, []],
      [{ type: 'login' }, [3, 1]],
      [{ type: 'unknown' }, []],
      [{ from: new Date('2026-01-02T00:00:00Z') }, [4, 3, 2]],
      [{ to: new Date('2026-01-02T00:00:00Z') }, [1]],
      [{ from: new Date('2026-01-02'), to: new Date('2026-01-04') }, [3, 2]],
      [{ actor: 'admin', subject: 'ada' }, [1]],
    ])('finds with %j', async (query, days) => {
      expect(await found(query)).toEqual(days);
    });

    it('returns pages', async () => {
      const { items, ...page } = await log().read({ page: 2, size: 3 });
      expect(page).toEqual({ page: 2, size: 3, total: 4 });
      expect(items.map((item) => item.at.getUTCDate())).toEqual([1]);
    });

    it('deletes what is from before a time', async () => {
      expect(await log().deleteBefore(at(3))).toBe(2);
      expect(await found({})).toEqual([4, 3]);
      expect(await log().deleteBefore(at(3))).toBe(0);
    });
  });

  it('deletes a thousand events at once', async () => {
    await log().keepAll(Array.from({ length: 1001 }, () => eventOf()));
    const now = new Date();
    expect([await log().deleteBefore(now), await log().deleteBefore(now)]).toEqual([1000, 1]);
  });
});
