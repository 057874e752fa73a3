import { setTimeout } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { AuthEvents } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/extend';
import { OneTimeModule, OneTimeTokens } from 'kit-auth/one-time';
import { PASSWORD, sharedDatabase } from 'test-support';
import type { EntityManager } from 'typeorm';
import { RefreshApp } from '../refresh/app.js';
import { SessionApp } from '../session/app.js';

/** Two databases with the same user. The second one never hears of what is written to the first. */
async function withReplica() {
  const [primary, replica] = [sharedDatabase('postgres'), sharedDatabase('postgres')];
  for (const database of [replica, primary]) {
    await database.recreate();
    const app = await new RefreshApp({ database }).start();
    await app.user({ id: 77, username: 'ada' });
    await app.close();
  }
  const urlOf = ({ options }: typeof primary) => ({ url: (options as { url: string }).url });
  const replication = { master: urlOf(primary), slaves: [urlOf(replica)] };
  return { type: 'postgres' as const, autoLoadEntities: true, replication };
}

it('does not ask replicas, which may lag behind, about logins', async () => {
  const database = await withReplica();
  const [one, other] = [
    await new RefreshApp({ database }).start(),
    await new RefreshApp({ database }).start(),
  ];
  const { json: login } = await one.login('ada');
  expect(await other.stateOf(login.token)).toBe('live');
  const { json: refreshed } = await other.refresh(login.refreshToken);
  expect((await one.refresh(refreshed.refreshToken)).status).toBe(200);
  expect((await one.call(refreshed.token, 'GET', 'sessions')).json).toHaveLength(1);
});

it.each([
  { mode: 'stateful' } as const,
  { mode: 'stateless', secret: 'a secret of at least 32 bytes, for tests' } as const,
])('does not ask replicas about sessions: $mode', async (session) => {
  const database = { ...(await withReplica()), synchronize: true };
  const app = await new SessionApp({ database, session }).start();
  const token = await app.tokenOf('ada');
  expect(await app.stateOf(token)).toBe('live');
  if (session.mode === 'stateful') {
    expect((await app.call(token, 'GET', 'sessions')).json).toHaveLength(1);
  }
  const fresh = await app.call(token, 'POST', 'fresh', { password: PASSWORD });
  expect([fresh.status, await app.stateOf(token)]).toEqual([200, '40101 replaced']);
  expect((await app.call(fresh.json.token, 'POST', 'logout')).status).toBe(204);
  expect(await app.stateOf(fresh.json.token)).toBe('40101 logged-out');
});

it('does not ask replicas about one-time tokens, or about the stamps of their users', async () => {
  const database = { ...(await withReplica()), synchronize: true };
  const app = await new SessionApp({ database, imports: [OneTimeModule] }).start();
  const { id: userId } = await app.users.findOneByOrFail({ username: 'ada' });
  const tokens = app.get(OneTimeTokens);
  const wanted = { purpose: 'reset', userId, ttlSeconds: 60, replaces: true };
  await tokens.issue(wanted);
  const { token, id } = await tokens.issue(wanted);
  expect(await tokens.list({ purpose: 'reset' })).toMatchObject([{ id }]);
  await tokens.attempt('reset', token, 1);
  expect(await tokens.peek('reset', token)).toMatchObject({ userId });
  await app.users.update(userId, { securityStamp: 'another' });
  await expect(tokens.peek('reset', token)).rejects.toMatchObject({ code: 40010 });
  await tokens.claim('reset', token, undefined);
  expect(await tokens.cancel({ userId })).toBe(0);
});

it('does not ask replicas about roles', async () => {
  const app = await new SessionApp({ database: { ...(await withReplica()), synchronize: true } }).start();
  await app.role({ code: 'member', permissions: ['note:read'] });
  expect(await app.get(ActiveUserStore).grantsOf(['member'])).toMatchObject({ permissions: ['note:read'] });
});

it('does not ask replicas why a username could not be written', async () => {
  const app = await new SessionApp({ database: { ...(await withReplica()), synchronize: true } }).start();
  const users = app.get(ActiveUserStore);
  const user = { username: 'grace', nickname: 'Grace', passwordHash: 'x', roles: [] };
  const create = (last: (transaction: EntityManager) => Promise<void> = async () => undefined) =>
    users.transaction(app.get(AuthEvents).begin(), async (change) => {
      await users.createUser(user, change);
      await last(change.transaction as EntityManager);
    });
  let late: Promise<unknown> = Promise.resolve();
  let isOver = false;
  await create(async (transaction) => {
    late = create()
      .catch((error: unknown) => error)
      .finally(() => (isOver = true));
    const waiting =
      'SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = $1';
    const [{ name }] = await transaction.query('SELECT current_database() AS name');
    while (!isOver && (await transaction.query(waiting, [name])).length === 0) {
      await setTimeout(5); // It waits for the row of this transaction soon.
    }
  });
  expect(await late).toMatchObject({ code: 40900 });
});
