import { expect, it } from '@jest/globals';
import { PASSWORD, sharedDatabase } from 'test-support';
import { RefreshApp } from './refresh-app.js';
import { SessionApp } from './session-app.js';

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
