import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { AuthEvents } from 'kit-auth';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { AuthUser, TypeOrmUserStore } from 'kit-auth/typeorm';
import { holdTimeouts, sharedDatabase, sharedTestApp, TestApp, until } from 'test-support';
import { describeChanges } from './changes.suite.js';

describeChanges('sqlite');

describe.each([
  ['sessions', { provider: 'session' as const }],
  ['refresh tokens', { imports: [KitAuthRefreshModule] }],
])('a login with %s during a change on SQLite', (_, options) => {
  const app = sharedTestApp(new TestApp(options));

  it('waits for the change, also for longer than a database may take to answer', async () => {
    const { username } = await app.user();
    const pass = holdTimeouts();
    const compare = jest.spyOn(bcrypt, 'compare');
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const change = app.get(TypeOrmUserStore).transaction(app.get(AuthEvents).begin(), () => held);
    const login = app.login(username);
    expect(await until(() => compare.mock.results[0]?.value)).toBe(true);
    for (let i = 0; i < 50; i++) {
      await tick(); // the login comes to its first write, and waits there
    }
    pass(1100);
    end();
    expect((await login).status).toBe(200);
    await change;
  });
});

describe('changes of two instances on one SQLite file', () => {
  const shared = sharedDatabase('sqlite');
  const options = { ...shared.options, synchronize: false } as never;
  const instances = [
    sharedTestApp(new TestApp({ database: shared })),
    sharedTestApp(new TestApp({ database: { ...shared, options } })),
  ];

  it('wait for each other without blocking the process, whatever they read first', async () => {
    const { id } = await instances[0]!.user();
    const append = (app: TestApp, letter: string) =>
      app.get(TypeOrmUserStore).transaction(app.get(AuthEvents).begin(), async ({ transaction }) => {
        const { nickname } = await transaction.findOneByOrFail(AuthUser, { id });
        await tick();
        await transaction.update(AuthUser, { id }, { nickname: nickname + letter });
      });
    await Promise.all(instances.flatMap((app) => ['x', 'y', 'z'].map((letter) => append(app, letter))));
    const { nickname } = await instances[0]!.users.findOneByOrFail({ id });
    expect([...nickname.slice(-6)].sort().join('')).toBe('xxyyzz');
  });
});
