import { describe, expect, it } from '@jest/globals';
import { IllegalStateException, KitAuthModule } from 'kit-auth';
import { AuthOneTime, kitAuthEntities, OneTimeModule, OneTimeTokens } from 'kit-auth/one-time';
import { sharedTestApp, sqliteInMemory, TestApp, testApp, type TestAppOptions } from 'test-support';
import { outcomeOf } from './app.js';
import { idOf, OwnUsers, OwnUsersModule } from '../users/own-users.js';

const core = (enabled = true) => KitAuthModule.forRoot({ users: OwnUsersModule, enabled });
const options: TestAppOptions = { core: core(), imports: [OneTimeModule] };

describe('one-time tokens of users with text ids', () => {
  const app = sharedTestApp(options);
  const tokens = () => app.get(OneTimeTokens);
  const issue = (id: string, replaces = false) =>
    tokens().issue({ purpose: 'reset', userId: idOf(id), ttlSeconds: 60, replaces });

  it('belong to one user, whatever the case of the id', async () => {
    const users = app.get(OwnUsers);
    for (const id of ['usr_Ab', 'usr_aB', '7']) {
      users.insert({ id, name: `name of ${id}`, hash: 'x' });
    }
    const [one, other, seven] = [await issue('usr_Ab'), await issue('usr_aB'), await issue('7')];
    expect(await tokens().peek('reset', seven.token)).toMatchObject({ userId: '7' });
    const { token } = await issue('usr_Ab', true);
    expect(await outcomeOf(tokens().peek('reset', one.token))).toBe('40010');
    expect(await tokens().peek('reset', token)).toMatchObject({ userId: 'usr_Ab' });
    expect(await tokens().cancel({ userId: idOf('USR_AB') })).toBe(0);
    expect(await tokens().cancel({ userId: idOf('usr_Ab') })).toBe(1);
    expect(await tokens().peek('reset', other.token)).toMatchObject({ userId: 'usr_aB' });
    const { securityStamp: seenStamp = '' } = (await users.findByUsername('name of usr_aB')) ?? {};
    await users.changePassword(idOf('usr_aB'), { passwordHash: 'y', seenStamp });
    expect(await outcomeOf(tokens().peek('reset', other.token))).toBe('40010');
    expect(await outcomeOf(issue('nobody'))).toBe('40400');
  });

  it('are in the only table of the package', () => {
    expect(kitAuthEntities).toEqual([AuthOneTime]);
  });
});

describe('an application with one-time tokens', () => {
  it.each<[string, TestAppOptions, string]>([
    [
      'a data source',
      { database: false },
      'kit-auth/one-time needs a data source of TypeORM for one-time tokens',
    ],
    [
      'the entity',
      { database: { type: 'better-sqlite3', database: ':memory:' } },
      'Add kitAuthEntities of kit-auth/one-time to its entities',
    ],
    [
      'the table',
      { database: { ...sqliteInMemory(), synchronize: false } },
      'the table auth_one_time is missing. Add kitAuthMigrations of kit-auth/one-time',
    ],
  ])('does not start without %s', async (_, missing, message) => {
    const app = new TestApp({ ...options, ...missing });
    const starting = app.start();
    await expect(starting).rejects.toThrow(IllegalStateException);
    await expect(starting).rejects.toThrow(message);
  });

  it.each<[string, TestAppOptions['database']]>([
    ['a data source', false],
    ['the table', { ...sqliteInMemory(), synchronize: false }],
  ])('starts without %s while kit-auth is not enabled', async (_, database) => {
    const app = await testApp({ ...options, core: core(false), database: database! });
    expect(app.get(OneTimeTokens)).toBeInstanceOf(OneTimeTokens);
  });
});
