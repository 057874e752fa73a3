import { beforeAll, describe, expect, it } from '@jest/globals';
import { KitAuthModule } from 'kit-auth';
import { OneTimeModule } from 'kit-auth/store';
import mysql, { type Pool, type PoolCluster, type PoolConnection, type PoolOptions } from 'mysql2';
import {
  CapableUsersModule,
  moduleOf,
  PASSWORD,
  sharedDatabase,
  testApp,
  type TestAppOptions,
} from 'test-support';
import { AdminApp } from '../admin/app.js';
import { cliOf } from '../cli/app.js';

/** A login name that is SQL where a backslash escapes nothing. */
const INJECTION = "' OR EXTRACTVALUE(1, 0x7e78) -- ";
const NO_BACKSLASH = "sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')";
const GBK = 'character_set_client = gbk';

const REFUSALS = [
  [
    'the sql_mode NO_BACKSLASH_ESCAPES',
    NO_BACKSLASH,
    /NO_BACKSLASH_ESCAPES, but .*\. Remove it where it is set/,
  ],
  [
    'a character set with backslashes in characters',
    GBK,
    /character_set_client = gbk, .*\. Set the option charset/,
  ],
] as const;

const database = sharedDatabase('mariadb');
beforeAll(() => database.recreate());

/** Gives sessions other settings, as if the server did. They can change later, as with `SET GLOBAL`. */
class Sessions {
  private readonly connections = new Set<PoolConnection>();

  /** @param settings by the name of a node. Without replication, there is only `MASTER` */
  constructor(readonly settings: Partial<Record<'MASTER' | 'SLAVE0' | 'afterReset', string | undefined>>) {}

  /** The options of a data source with such sessions. */
  on(options: object): NonNullable<TestAppOptions['database']> {
    return { ...options, driver: this.driver };
  }

  closeAll(): void {
    this.connections.forEach((connection) => connection.destroy());
    this.connections.clear();
  }

  private readonly driver = {
    ...mysql,
    createPool: (options: PoolOptions) => this.observe(mysql.createPool(options), 'MASTER'),
    createPoolCluster: () => {
      const cluster = mysql.createPoolCluster();
      const { _nodes: nodes } = cluster as PoolCluster & { _nodes: Record<string, { pool: Pool }> };
      const add = cluster.add.bind(cluster) as (name: string, options: PoolOptions) => void;
      return Object.assign(cluster, {
        add: (name: string, options: PoolOptions) => {
          add(name, options);
          this.observe((nodes[name] as { pool: Pool }).pool, name as 'MASTER');
        },
      });
    },
  };

  private observe(pool: Pool, node: 'MASTER'): Pool {
    const apply = (connection: PoolConnection, settings: string | undefined) => {
      if (settings !== undefined) {
        connection.query(`SET SESSION ${settings}`);
      }
    };
    pool.on('release', (connection) => apply(connection, this.settings.afterReset));
    return pool.on('connection', (connection) => {
      this.connections.add(connection);
      apply(connection, this.settings[node]);
    });
  }
}

describe.each(REFUSALS)('a database whose sessions have %s', (_what, settings, message) => {
  it.each(['mysql', 'mariadb'])('is refused at start-up, as %s', async (type) => {
    const on = new Sessions({ MASTER: settings }).on({ ...database.options, type });
    await expect(testApp({ database: on })).rejects.toThrow(message);
  });

  it('is refused at start-up if only a package with own users needs it', async () => {
    const core = KitAuthModule.forRoot({ users: CapableUsersModule });
    const on = new Sessions({ MASTER: settings }).on(database.options);
    await expect(testApp({ core, database: on, imports: [OneTimeModule] })).rejects.toThrow(message);
  });

  it('is refused at start-up if it is a replica', async () => {
    const { url, ...options } = database.options as { url: string };
    const replication = { master: { url }, slaves: [{ url }, { url }] };
    const on = new Sessions({ SLAVE0: settings }).on({ ...options, replication });
    await expect(testApp({ database: on })).rejects.toThrow(message);
  });

  it('runs no statement of a request on a new connection, and works again after the cure', async () => {
    const sessions = new Sessions({});
    const app = await new AdminApp({ database: sessions.on(database.options), provider: 'session' }).start();
    const { username } = await app.user();
    const { token } = (await app.login(username)).json;
    sessions.settings.MASTER = settings;
    sessions.closeAll();
    expect((await app.login(INJECTION)).json).toMatchObject({ code: 50300 });
    expect((await app.call(token, 'GET', 'me')).json).toMatchObject({ code: 50300 });
    const { status, json } = await app.call(token, 'POST', 'password', {
      oldPassword: PASSWORD,
      newPassword: 'another one 4712',
    });
    expect([status, json.code]).toEqual([503, 50300]);
    const errors = app.logs.ours().filter((line) => line.startsWith('error'));
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.filter((line) => !message.test(line))).toEqual([]);
    sessions.settings.MASTER = undefined;
    expect((await app.login(INJECTION)).json).toMatchObject({ code: 40110 });
    expect((await app.call(token, 'GET', 'me')).status).toBe(200);
  });

  it('is a problem for doctor', async () => {
    const module = await moduleOf({ database: new Sessions({ MASTER: settings }).on(database.options) });
    const { stdout, code } = await cliOf(module)('doctor', ['--json']);
    const { checks } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(checks).toContainEqual({ name: 'database', status: 'problem', findings: [expect.anything()] });
    const [{ problem, cure }] = checks.find(({ name }: { name: string }) => name === 'database').findings;
    expect(`${problem} ${cure}`).toMatch(message);
  });
});

it('looks again after the driver has reset a session', async () => {
  const sessions = new Sessions({});
  const options = { ...database.options, extra: { resetOnRelease: true } };
  const app = await testApp({ database: sessions.on(options) });
  sessions.settings.afterReset = NO_BACKSLASH;
  await app.login('ada');
  expect((await app.login(INJECTION)).json.code).toBe(50300);
  expect(app.logs.ours().at(-1)).toMatch(/sessions have the sql_mode NO_BACKSLASH_ESCAPES/);
});

it('PostgreSQL gets values apart from statements, whatever its strings are', async () => {
  const postgres = sharedDatabase('postgres');
  await postgres.recreate();
  const extra = { options: '-c standard_conforming_strings=off' };
  const app = await testApp({
    database: { ...postgres.options, extra } as TestAppOptions['database'] & object,
  });
  const { username } = await app.user({ username: "O\\'Hara" });
  expect((await app.login(username)).status).toBe(200);
  expect((await app.login("\\' OR 1 = 1 -- ")).json.code).toBe(40110);
});
