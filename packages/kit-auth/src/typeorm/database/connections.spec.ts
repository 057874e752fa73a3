import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { inTransaction, lookUp, withConnection } from './connections.js';

/** It is not connected: the look-ups of these tests need no database. */
const dataSourceOf = (options: object) => new DataSource({ type: 'postgres', ...options });

/** How many of twenty look-ups run at once. */
async function concurrencyOf(options: object): Promise<number> {
  const dataSource = dataSourceOf(options);
  const ends: (() => void)[] = [];
  const all = Array.from({ length: 20 }, () =>
    lookUp(dataSource, () => new Promise<void>((resolve) => ends.push(resolve))),
  );
  await setImmediate();
  const running = ends.length;
  while (ends.length > 0) {
    ends.shift()?.();
    await setImmediate();
  }
  await Promise.all(all);
  return running;
}

describe('look-ups', () => {
  it.each([
    [{}, 10],
    [{ poolSize: 3 }, 3],
    [{ extra: { max: 5 } }, 5],
    [{ extra: { max: '5' }, poolSize: 3 }, 5],
    [{ extra: { max: 0 } }, 10],
    [{ extra: { connectionLimit: 5 } }, 10],
    [{ type: 'mariadb', extra: { connectionLimit: 5 }, poolSize: 3 }, 5],
    [{ type: 'mysql', poolSize: 3 }, 3],
    [{ type: 'better-sqlite3', database: ':memory:' }, 20],
  ])('with %j: %d run at once', async (options, running) => {
    expect(await concurrencyOf(options)).toBe(running);
  });

  it('wait for others of their data source only', async () => {
    const [one, other] = [dataSourceOf({ poolSize: 1 }), dataSourceOf({ poolSize: 1 })];
    let end = (): void => undefined;
    const first = lookUp(one, () => new Promise<void>((resolve) => (end = resolve)));
    expect(await lookUp(other, async () => 'found')).toBe('found');
    end();
    await first;
  });

  it('do not wait inside another one, with a connection, or inside a change', async () => {
    const dataSource = dataSourceOf({ poolSize: 1 });
    const inner = () => lookUp(dataSource, async () => 'found');
    expect(await lookUp(dataSource, inner)).toBe('found');
    let end = (): void => undefined;
    const first = lookUp(dataSource, () => new Promise<void>((resolve) => (end = resolve)));
    expect(await withConnection(inner)).toBe('found');
    expect(await inTransaction(dataSource.manager, inner)).toBe('found');
    end();
    await first;
  });
});
