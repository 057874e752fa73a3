import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { AuthEvents } from 'kit-auth';
import { AdminAuthority, ActiveUserStore } from 'kit-auth/feature';
import { OneTimeModule, OneTimeTokens } from 'kit-auth/store';
import {
  AuthRole,
  kitAuthEntities,
  LoginUserLoader,
  PackageDatabase,
  readFromPrimary,
  TypeOrmRoles,
  TypeOrmUserStore,
} from 'kit-auth/typeorm';
import { AuthAudit } from 'kit-auth-admin';
import {
  type Answer,
  PASSWORD,
  SERVERS,
  sharedDatabase,
  testApp,
  type TestApp,
  type TestAppOptions,
  type TestDatabase,
} from 'test-support';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { AdminApp } from '../admin/app.js';
import { RefreshApp } from '../refresh/app.js';
import { SessionApp } from '../session/app.js';

/** Two databases with the same user. The second one never hears of what is written to the first. */
async function withReplica(
  name: (typeof SERVERS)[number] = 'postgres',
  appOn: (options: TestAppOptions) => TestApp = (options) => new RefreshApp(options),
) {
  const [primary, replica] = [sharedDatabase(name), sharedDatabase(name)];
  for (const database of [replica, primary]) {
    await database.recreate();
    const app = await appOn({ database }).start();
    await app.user({ id: 77, username: 'ada' });
    await app.close();
  }
  return replicated(name, primary, replica);
}

function replicated(type: (typeof SERVERS)[number], primary: TestDatabase, replica: TestDatabase) {
  const urlOf = ({ options }: TestDatabase) => ({ url: (options as { url: string }).url });
  const replication = { master: urlOf(primary), slaves: [urlOf(replica)] };
  return { type, autoLoadEntities: true, replication };
}

describe.each(SERVERS)('with %s, a replica that is behind is not asked', (name) => {
  let app: TestApp;
  let admin: string;
  beforeAll(async () => {
    const appOn = (options: TestAppOptions) => new AdminApp({ provider: 'session', ...options });
    const database = await withReplica(name, appOn);
    app = await appOn({ database }).start();
    admin = await app.adminToken();
  });
  const outcome = ({ status, json }: Answer) => json?.code ?? status;

  it('about users in the store', async () => {
    const passwordHash = bcrypt.hashSync(PASSWORD, 11);
    const { id } = await app.user({ username: 'grace', passwordHash });
    const users = app.get(TypeOrmUserStore);
    expect(await users.findByUsername('grace')).toMatchObject({ id, passwordHash });
    expect(await users.loadLoginUser(id)).toMatchObject({ username: 'grace' });
    expect(await users.listUsers({ after: id - 1, limit: 1 })).toMatchObject([{ id }]);
    expect(await users.slowestHash()).toBe(passwordHash);
  });

  it('about roles in the store', async () => {
    const { id } = await app.user({ roles: [await app.role({ code: 'reader' })] });
    const users = app.get(TypeOrmUserStore);
    const roles = new TypeOrmRoles(users, app.get(LoginUserLoader), app.nest.get(DataSource).manager);
    expect((await roles.list()).map(({ code }) => code)).toContain('reader');
    expect(await roles.ofUser(id)).toEqual(['reader']);
    const authority = new AdminAuthority({ superAdmin: true, permissions: [] });
    const late = roles.create({ code: 'late', name: 'Late' }, (work) =>
      users.administer(app.get(AuthEvents).begin(), async (change) => {
        await app.nest.get(DataSource).manager.insert(AuthRole, { code: 'late', name: 'Late' });
        await change.transaction.query('SELECT * FROM nowhere');
        return work({ ...change, authority });
      }),
    );
    await expect(late).rejects.toMatchObject({ code: 40900 });
  });

  it('by what a write reads', async () => {
    const tables = { entry: 'kit-auth/typeorm', entities: kitAuthEntities };
    const database = new PackageDatabase('roles', tables, app.nest.get(DataSource));
    const read = database.write(async (manager) => {
      await manager.insert(AuthRole, { code: 'written', name: 'Written' });
      return manager.existsBy(AuthRole, { code: 'written' });
    });
    expect(await read).toBe(true);
  });

  it('about the user whom an administrator manages', async () => {
    const { id } = await app.user({ username: 'eve' });
    const eve = `users/${id}`;
    await app.role({ code: 'writer' });
    expect((await app.call(admin, 'GET', eve)).json).toMatchObject({ username: 'eve' });
    expect((await app.call(admin, 'PATCH', eve, { nickname: 'Eve' })).json).toMatchObject({
      nickname: 'Eve',
    });
    const bound = await app.call(admin, 'PUT', `${eve}/roles`, { roles: ['writer'] });
    expect(bound.json).toMatchObject({ roles: ['writer'] });
    const newPassword = 'another right one 4711';
    expect(outcome(await app.call(admin, 'POST', `${eve}/password`, { newPassword }))).toBe(204);
    expect(outcome(await app.login('eve', newPassword))).toBe(200);
    expect((await app.call(admin, 'GET', `${eve}/sessions`)).json).toHaveLength(1);
    const disabled = await app.call(admin, 'PATCH', eve, { status: 'DISABLED' });
    expect(disabled.json).toMatchObject({ status: 'DISABLED' });
  });

  it('but about pages of users and of the audit log', async () => {
    await app.user({ username: 'new' });
    const { json: users } = await app.call(admin, 'GET', 'users?size=100');
    expect(users.items.map(({ username }: { username: string }) => username)).toEqual(['admin', 'ada']);
    const written = await readFromPrimary(app.nest.get(DataSource), (manager) => manager.count(AuthAudit));
    expect(written).toBeGreaterThan(0);
    expect((await app.call(admin, 'GET', 'audit')).json).toMatchObject({ total: 0 });
  });

  it('whether there is an administrator', async () => {
    const [primary, replica] = [sharedDatabase(name), sharedDatabase(name)];
    for (const { options, recreate } of [primary, replica]) {
      await recreate();
      const entities = kitAuthEntities;
      await (await new DataSource({ ...options, entities } as DataSourceOptions).initialize()).destroy();
    }
    const database = replicated(name, primary, replica);
    const created = ({ logs }: TestApp) => logs.ours().some((line) => line.includes('account created'));
    expect(created(await testApp({ database }))).toBe(true);
    expect(created(await testApp({ database }))).toBe(false);
  });
});

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
