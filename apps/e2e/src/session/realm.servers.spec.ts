import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthModule } from 'kit-auth';
import { AuthDatabase, kitAuthEntities } from 'kit-auth/typeorm';
import { KitAuthSessionModule, type KitAuthSessionOptions } from 'kit-auth-session';
import { RedisSessionStore } from 'kit-auth-session/redis';
import { createClient } from 'redis';
import { CapableUsersModule, moduleOf, SERVERS, sharedDatabase, type TestAppOptions } from 'test-support';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { cliOf } from '../cli/app.js';
import { SessionApp } from './app.js';

const url = 'redis://127.0.0.1:6379';
const SECRET = 'a secret of at least 32 bytes, for tests';
const MISSING = /kit\.auth\.session\.realm is missing: .*\. Set it, or KIT_AUTH_SESSION_REALM, /;

/** Options of an application, for several that share their code and their Redis. */
class Shared {
  readonly keyPrefix = `kit-auth-test-${process.pid}-${Math.random()}:`;

  options(session: KitAuthSessionOptions = {}): TestAppOptions {
    const { keyPrefix } = this;
    return {
      session: { ...session, store: new RedisSessionStore({ url, keyPrefix, commandTimeoutMs: 30_000 }) },
    };
  }

  start(session?: KitAuthSessionOptions, more: TestAppOptions = {}): Promise<SessionApp> {
    return new SessionApp({ ...this.options(session), ...more }).start();
  }
}

const redis = createClient({ url });
beforeAll(async () => {
  await redis.connect();
});
afterAll(() => redis.destroy());

const realmOf = async (app: SessionApp) => (await app.rowsOf(AuthDatabase).find()).map(({ realm }) => realm);

describe('stages with databases of their own on one Redis', () => {
  it('do not accept the sessions of each other', async () => {
    const shared = new Shared();
    const [laptop, production] = [await shared.start(), await shared.start()];
    const token = await laptop.adminToken();
    expect([await laptop.stateOf(token), await production.stateOf(token)]).toEqual([
      'live',
      '40101 undefined',
    ]);
    const own = await production.adminToken();
    await laptop.sessions.endAllOf(1, { reason: 'kicked' });
    expect([await laptop.stateOf(token), await production.stateOf(own)]).toEqual(['40101 kicked', 'live']);
    expect(await production.sessions.listOf(1)).toHaveLength(1);
  });

  it('do not hear of ends of stateless sessions of each other', async () => {
    const shared = new Shared();
    const session = { mode: 'stateless', secret: SECRET } as const;
    const [laptop, production] = [await shared.start(session), await shared.start(session)];
    const token = await production.adminToken();
    await laptop.sessions.endAllOf(1, { reason: 'kicked' });
    expect(await production.stateOf(token)).toBe('live');
  });

  it('have keys with 16 random bytes, which their database keeps', async () => {
    const shared = new Shared();
    const database = sharedDatabase('sqlite');
    await database.recreate();
    const first = await shared.start({}, { database });
    const [realm, ...others] = await realmOf(first);
    expect([realm, others]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), []]);
    const token = await first.adminToken();
    const keys = await redis.keys(`${shared.keyPrefix}*`);
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => !key.startsWith(`${shared.keyPrefix}${realm}:{`))).toEqual([]);
    await first.close();
    const again = await shared.start({}, { database });
    expect([await realmOf(again), await again.stateOf(token)]).toEqual([[realm], 'live']);
  });

  it('belong together if they set the same realm', async () => {
    const shared = new Shared();
    const [one, other] = [await shared.start({ realm: 'shop' }), await shared.start({ realm: 'shop' })];
    expect(await other.stateOf(await one.adminToken())).toBe('live');
  });
});

describe.each([...SERVERS, 'sqlite'] as const)('the realm in %s', (name) => {
  const database = sharedDatabase(name);
  const withTables = { ...database, options: { ...database.options, synchronize: false } };
  /** The tables are there: what races here is ours, not `synchronize`. */
  const inDatabase = async (work: (direct: DataSource) => Promise<unknown>) => {
    const direct = new DataSource({ ...database.options, entities: kitAuthEntities } as DataSourceOptions);
    await work(await direct.initialize());
    await direct.destroy();
  };
  beforeEach(async () => {
    await database.recreate();
    await inDatabase(async () => undefined);
  });

  it('is the same for eight instances that start at once in an empty database', async () => {
    const shared = new Shared();
    const count = name === 'sqlite' ? 1 : 8;
    const all = await Promise.all(
      Array.from({ length: count }, () => shared.start({}, { database: withTables })),
    );
    const token = await all[0]!.adminToken();
    expect(await Promise.all(all.map((app) => app.stateOf(token)))).toEqual(all.map(() => 'live'));
    expect(await realmOf(all[0]!)).toHaveLength(1);
  });

  it('is written by the seed, for applications that get Redis later', async () => {
    const jwt = new SessionApp({ database: withTables, provider: 'jwt', controllers: [] });
    const realms = await realmOf(await jwt.start());
    await jwt.close();
    expect(realms).toHaveLength(1);
    expect(await realmOf(await new Shared().start({}, { database: withTables }))).toEqual(realms);
  });

  it('is written at the next start if the row is missing', async () => {
    await (await new Shared().start({}, { database: withTables })).close();
    await inDatabase((direct) => direct.getRepository(AuthDatabase).clear());
    expect(await realmOf(await new Shared().start({}, { database: withTables }))).toHaveLength(1);
  });
});

describe('users of the application on Redis', () => {
  const core = KitAuthModule.forRoot({ users: CapableUsersModule });
  const own = (session?: KitAuthSessionOptions) => ({
    core,
    database: false as const,
    controllers: [],
    ...new Shared().options(session),
  });
  const warnings = async (options: TestAppOptions) =>
    (await new SessionApp(options).start()).logs.ours().filter((line) => /realm/.test(line));

  it('are warned of without a realm, at start-up and by doctor', async () => {
    expect(await warnings(own())).toEqual([expect.stringMatching(MISSING)]);
    const { stdout } = await cliOf(await moduleOf(own()))('doctor', ['--json']);
    const found = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'sessions');
    const [{ level, problem, cure }] = found.findings;
    expect([level, `${problem} ${cure}`]).toEqual(['warning', expect.stringMatching(MISSING)]);
  });

  it('have sessions of their realm', async () => {
    expect(await warnings(own({ realm: 'shop-production' }))).toEqual([]);
  });

  it('are not warned of if sessions are elsewhere', async () => {
    const provider = KitAuthSessionModule.forRoot({ store: 'memory' });
    expect(await warnings({ core, database: false, controllers: [], provider })).toEqual([]);
  });
});
