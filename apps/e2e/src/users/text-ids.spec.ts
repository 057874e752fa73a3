/** @own-context because TypeORM creates the tables of all applications of a context */
import { BOTH, sharedTestApp, sweepOf } from 'test-support';
import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { describeTextIds, SECRET, TextIdsApp } from './text-ids.suite.js';

describe.each(sweepOf(BOTH, ['fastify']))('on %s', (platform) => {
  describeTextIds('sessions in memory', { store: 'memory' }, { platform, database: false });
  describeTextIds('cached users', { store: 'memory', userCacheSeconds: 60 }, { platform, database: false });
  describeTextIds('sessions in SQLite', { maxPerUser: 3 }, { platform, database: 'sqlite' });
  describeTextIds(
    'stateless sessions in SQLite',
    { mode: 'stateless', secret: SECRET },
    { platform, database: 'sqlite' },
  );
});

describe('an application with its own users and sessions in its database', () => {
  const app = sharedTestApp(new TextIdsApp({}, { database: 'sqlite' }));

  it('has the table of the sessions, and no other of ours', async () => {
    const tables: { name: string }[] = await app
      .get(DataSource)
      .query("select name from sqlite_master where type = 'table' and name like 'auth_%'");
    expect(tables).toEqual([{ name: 'auth_session' }]);
  });
});
