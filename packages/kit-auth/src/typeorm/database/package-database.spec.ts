import { describe, expect, it, jest } from '@jest/globals';
import { AuthErrorCode, AuthEvents, AuthException, IllegalStateException } from 'kit-auth';
import { AuthRole, kitAuthEntities, PackageDatabase, TypeOrmUserStore } from 'kit-auth/typeorm';
import { sharedTestApp } from 'test-support';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';

const TABLES = { entry: 'kit-auth/typeorm', entities: kitAuthEntities };

describe('PackageDatabase', () => {
  const app = sharedTestApp();
  const database = () => new PackageDatabase('roles', TABLES, app.get(DataSource));
  const inChange = <T>(work: (manager: EntityManager) => Promise<T>) =>
    app
      .get(TypeOrmUserStore)
      .transaction(app.get(AuthEvents).begin(), ({ transaction }) => work(transaction));
  const rollingBack = (work: () => Promise<unknown>) =>
    expect(
      inChange(async () => {
        await work();
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
  const insert = (code: string) => (manager: EntityManager) => manager.insert(AuthRole, { code, name: code });
  const has = (code: string) => database().read((manager) => manager.existsBy(AuthRole, { code }));

  it('joins the current change, or the transaction that it is given', async () => {
    await rollingBack(async () => {
      await database().write(insert('one'));
      await database().run(insert('two'));
      expect([await has('one'), await has('two')]).toEqual([true, true]);
    });
    await expect(
      app.get(DataSource).transaction(async (transaction) => {
        await database().write(insert('three'), transaction);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect([await has('one'), await has('two'), await has('three')]).toEqual([false, false, false]);
  });

  it('ignores a transaction of another data source', async () => {
    const other = await new DataSource({ type: 'better-sqlite3', database: ':memory:' }).initialize();
    await database().write(insert('four'), other.manager);
    expect(await has('four')).toBe(true);
    await rollingBack(() => database().write(insert('five'), other.manager));
    expect(await has('five')).toBe(false);
    await other.destroy();
  });

  it('rejects with 50300 outside of transactions, and passes errors on inside', async () => {
    const fail = (manager: EntityManager) => manager.query<unknown>('SELECT * FROM nowhere');
    await expect(database().read(fail)).rejects.toMatchObject({ code: 50300, retryAfter: 1 });
    expect(app.logs.all()).toContain('the database of roles failed');
    await expect(inChange(() => database().read(fail))).rejects.toThrow(QueryFailedError);
    await expect(database().run(fail, app.get(DataSource).manager)).rejects.toThrow(QueryFailedError);
  });

  it('rejects after 900 ms outside of transactions', async () => {
    const never = () => new Promise<void>(() => undefined);
    await expect(database().read(never)).rejects.toMatchObject({ code: 50300 });
    expect(app.logs.all()).toContain('the database of roles gave no answer in 900 ms');
  });

  it('does not count the wait for other writes of the process', async () => {
    let finish = (): void => undefined;
    const change = inChange(() => new Promise<void>((resolve) => (finish = resolve)));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const written = database().write(insert('waiting'));
    await jest.advanceTimersByTimeAsync(2900);
    jest.useRealTimers();
    finish();
    await Promise.all([change, written]);
    expect(await has('waiting')).toBe(true);
  });

  it('keeps its turn until a late write is over', async () => {
    let finish = (): void => undefined;
    const late = database().write(() => new Promise<void>((resolve) => (finish = resolve)));
    await expect(late).rejects.toMatchObject({ code: 50300 });
    const order: string[] = [];
    const next = database().write(async () => void order.push('next'));
    order.push('end of the late write');
    finish();
    await next;
    expect(order).toEqual(['end of the late write', 'next']);
  });

  it('does not log a failure that is explained', async () => {
    await database().write(insert('taken'));
    const explained = (transaction?: unknown) =>
      database().run(insert('taken'), transaction, async (error) => {
        expect(error).toBeInstanceOf(QueryFailedError);
        throw new AuthException(AuthErrorCode.CONFLICT);
      });
    const before = app.logs.all();
    await expect(explained()).rejects.toMatchObject({ code: 40900 });
    await expect(explained(app.get(DataSource).manager)).rejects.toMatchObject({ code: 40900 });
    expect(app.logs.all()).toEqual(before);
  });

  it('opens when the data source has its tables', async () => {
    await database().open();
    const missing = new PackageDatabase('roles', TABLES, undefined);
    await expect(missing.open()).rejects.toThrow(IllegalStateException);
    await expect(missing.read(async () => undefined)).rejects.toThrow(
      'kit-auth/typeorm needs a data source of TypeORM for roles: import TypeOrmModule.forRoot(), without a name.',
    );
  });
});
