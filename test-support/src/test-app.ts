import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import {
  type Abstract,
  type DynamicModule,
  type INestApplication,
  Logger,
  type NestApplicationOptions,
  type Provider,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import bcrypt from 'bcrypt';
import {
  AUTH_PROVIDER,
  type AuthProvider,
  KitAuthModule,
  type KitAuthOptions,
  type LoginUser,
} from 'kit-auth';
import { AuthRole, AuthUser, SUPER_ADMIN } from 'kit-auth/typeorm';
import type { KitAuthAdminOptions } from 'kit-auth-admin';
import type { KitAuthSessionOptions } from 'kit-auth-session';
import { DataSource, In, type Repository } from 'typeorm';
import {
  type DatabaseName,
  dropDatabases,
  ofPrimary,
  sharedDatabase,
  sqliteInMemory,
  type TestDatabase,
} from './databases.js';
import { bearer } from './login.js';
import { MemoryLogger } from './memory-logger.js';
import { type Platform, PLATFORMS, type TrustProxy } from './platforms.js';
import { type Import, type ProviderName, PROVIDERS } from './providers.js';
import { type Answer, bodyOf, postJson, request, type RequestParts } from './raw-http.js';
import { fromTemplate, isNewInMemory } from './template-database.js';
import './frozen-date.js'; // its hooks come before those of this file, which close applications
import './remember-hashes.js';

export interface TestAppOptions {
  /** Default: `express`. */
  platform?: Platform;
  /** The authentication implementation: one of the two, a module of your own, or `false` for none. Default: `jwt`. */
  provider?: ProviderName | Import | false;
  /** Options of `KitAuthSessionModule`. With them, the default of `provider` is `session`. */
  session?: KitAuthSessionOptions;
  /** Options of `KitAuthModule`. Hashes are cheap unless they say otherwise. */
  options?: KitAuthOptions;
  /** Used instead of `KitAuthModule.forRoot(options)`; `false` for none. */
  core?: Import | false;
  /**
   * A name gives the application a new, empty database, which is dropped when the application closes. Default:
   * `sqlite`, in memory. Several applications share a `sharedDatabase()`. `false` for none.
   */
  database?: DatabaseName | TestDatabase | TypeOrmModuleOptions | false;
  /** Whether there are management endpoints, or the options of `KitAuthAdminModule`. Default: no. */
  admin?: boolean | KitAuthAdminOptions;
  imports?: Import[];
  controllers?: Type[];
  providers?: Provider[];
  /** Whose `X-Forwarded-For` is believed. */
  trustProxy?: TrustProxy;
  /** Runs before the application is initialised: for global prefixes, pipes, versioning, middleware. */
  configure?: (nest: INestApplication) => void;
  nest?: Omit<NestApplicationOptions, 'logger'>;
}

/** Where a suite runs: for suites that several specs share. */
export type Where = Readonly<Required<Pick<TestAppOptions, 'platform'>>> & {
  readonly provider: ProviderName;
  readonly database: DatabaseName;
};

export interface UserFields extends Partial<Omit<AuthUser, 'roles'>> {
  /** Default: `PASSWORD`. */
  password?: string;
  /** Roles, or codes of roles that exist. */
  roles?: readonly (AuthRole | string)[];
}

export type RoleFields = Partial<AuthRole>;

/** What each application of a subclass has, before what its options say. */
export type OwnParts = Pick<TestAppOptions, 'imports' | 'controllers' | 'providers'>;

export interface CallParts extends RequestParts {
  token?: string | undefined;
  /** Sent as JSON, instead of `body`. */
  json?: unknown;
}

/** The password of the users that `TestApp.user` makes. Long enough for every policy. */
export const PASSWORD = 'a right one 4711';

/**
 * Starts an application on a free port. An application that was started in a test (or its `beforeEach`) closes after
 * that test, any other after all tests of its context; `close()` closes it earlier.
 *
 * @throws what start-up throws
 * @example
 * const app = await testApp({ platform: 'fastify', provider: 'session', controllers: [NotesController] });
 * const token = await app.tokenOf(await app.user({ roles: ['reader'] }));
 * expect((await app.request('/v1/notes', { token })).status).toBe(200);
 */
export function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  return new TestApp(options).start();
}

/**
 * For the body of a `describe`: an application that starts before its tests and closes after them. Seed it in a
 * `beforeAll` that follows.
 *
 * @example
 * describe.each(EVERYWHERE)('notes on $platform with $provider', (where) => {
 *   const app = sharedTestApp({ ...where, controllers: [NotesController] });
 *   beforeAll(() => app.user({ username: 'ada' }));
 */
export function sharedTestApp(options?: TestAppOptions): TestApp;
/** The same for a subclass with methods of your own. */
export function sharedTestApp<T extends TestApp>(app: T): T;
export function sharedTestApp(given: TestAppOptions | TestApp = {}): TestApp {
  const app = given instanceof TestApp ? given : new TestApp(given);
  beforeAll(async () => {
    await app.start();
  });
  beforeEach(() => Logger.overrideLogger(app.logs)); // another application may have started since
  afterAll(() => app.close());
  return app;
}

/** The root module of such an application. */
export async function moduleOf(options: TestAppOptions = {}): Promise<DynamicModule> {
  const { session, core, imports = [], controllers = [], providers = [] } = options;
  const {
    database = 'sqlite',
    provider = session === undefined ? 'jwt' : 'session',
    admin = false,
  } = options;
  class TestModule {}
  return {
    module: TestModule,
    imports: [
      ...(database === false ? [] : [typeOrm(database)]),
      ...(core === false ? [] : [core ?? KitAuthModule.forRoot(withCheapHashes(options.options))]),
      ...(provider === false ? [] : [typeof provider === 'string' ? PROVIDERS[provider](session) : provider]),
      ...(admin === false ? [] : [await administration(admin)]),
      ...imports,
    ],
    controllers,
    providers,
  };
}

/** A user, as tokens contain it. */
export function loginUser(fields: Partial<LoginUser> = {}): LoginUser {
  const { username = 'ada' } = fields;
  return {
    userId: 7,
    username,
    nickname: username,
    superAdmin: false,
    roles: [],
    permissions: [],
    ...fields,
  };
}

/** An application under test. A subclass can seed it in `start`. */
export class TestApp {
  readonly logs = new MemoryLogger();
  private application: INestApplication | undefined;
  private ownDatabase: TestDatabase | undefined;
  private closed: Promise<void> | undefined;

  private readonly options: TestAppOptions;

  /** Nothing happens before `create` or `start`. */
  constructor(options: TestAppOptions = {}, own: OwnParts = {}) {
    this.options = {
      ...options,
      imports: [...(own.imports ?? []), ...(options.imports ?? [])],
      controllers: [...(own.controllers ?? []), ...(options.controllers ?? [])],
      providers: [...(own.providers ?? []), ...(options.providers ?? [])],
    };
  }

  /** Creates the application, and leaves it to the test to initialise it. */
  async create(): Promise<this> {
    this.closed = undefined;
    openApps().add(this);
    const { platform = 'express', trustProxy, configure, nest, database } = this.options;
    Logger.overrideLogger(this.logs); // for what modules log before Nest knows the logger
    if (database === 'postgres' || database === 'mariadb') {
      this.ownDatabase = sharedDatabase(database);
      await this.ownDatabase.recreate();
    }
    const module = await moduleOf({
      ...this.options,
      ...(this.ownDatabase && { database: this.ownDatabase }),
    });
    const created: INestApplication = await NestFactory.create(
      module as never,
      PLATFORMS[platform](trustProxy) as never,
      { abortOnError: false, forceCloseConnections: true, ...nest, logger: this.logs },
    );
    this.application = created;
    configure?.(created);
    return this;
  }

  /** Creates the application and listens on a free port. Rejects as `listen()` does, and is closed then. */
  async start(): Promise<this> {
    try {
      await this.create();
      await this.nest.listen(0, '127.0.0.1');
    } catch (error) {
      await this.close().catch(() => undefined);
      throw error;
    }
    return this;
  }

  /** Closes the application, and drops the database that was made for it. */
  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  get nest(): INestApplication {
    if (this.application === undefined) {
      throw new Error('The application was not created: await start() first, in a hook or in the test');
    }
    return this.application;
  }

  get server(): Server {
    return this.nest.getHttpServer() as Server;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** A provider of any module. */
  get<T>(token: Type<T> | Abstract<T> | string | symbol): T {
    const found = this.nest.get<T>(token, { strict: false });
    return (found instanceof DataSource ? ofPrimary(found) : found) as T;
  }

  /** The rows of an entity. */
  rowsOf<T extends object>(entity: Type<T>): Repository<T> {
    return this.get(DataSource).getRepository(entity);
  }

  get users(): Repository<AuthUser> {
    return this.rowsOf(AuthUser);
  }

  get roles(): Repository<AuthRole> {
    return this.rowsOf(AuthRole);
  }

  /** Writes a user into the database, without the events and checks of an endpoint. */
  async user({ password = PASSWORD, roles = [], ...fields }: UserFields = {}): Promise<AuthUser> {
    const username = fields.username ?? `user-${++rows}`;
    const codes = roles.filter((role) => typeof role === 'string');
    const found = codes.length === 0 ? [] : await this.roles.findBy({ code: In(codes) });
    if (found.length < codes.length) {
      throw new Error(`There is no such role among ${codes.join(', ')}`);
    }
    return this.users.save({
      username,
      nickname: username,
      passwordHash: hashOf(password),
      ...fields,
      roles: [...roles.filter((role) => typeof role !== 'string'), ...found],
    } as AuthUser);
  }

  /** Writes a role into the database, without the events and checks of an endpoint. */
  async role(fields: RoleFields = {}): Promise<AuthRole> {
    const code = fields.code ?? `role-${++rows}`;
    return this.roles.save({ code, name: code, permissions: [], includes: [], ...fields } as AuthRole);
  }

  /** Writes another super administrator into the database. */
  administrator(fields: UserFields = {}): Promise<AuthUser> {
    return this.user({ roles: [SUPER_ADMIN], ...fields });
  }

  /** A request to any path. */
  request(target: string, { token, json, headers = [], ...parts }: CallParts = {}): Promise<Answer> {
    return request(this.port, target, {
      ...parts,
      headers: [
        ...(token === undefined ? [] : [bearer(token)]),
        ...(json === undefined ? [] : ['Content-Type: application/json']),
        ...headers,
      ],
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  }

  /** A request to an endpoint of the packages; `path` begins below `/v1/api/auth/`. */
  call(token: string | undefined, method: string, path: string, json?: unknown): Promise<Answer> {
    return this.request(`/v1/api/auth/${path}`, { method, token, json });
  }

  login(username: string, password: string = PASSWORD, ...headers: string[]): Promise<Answer> {
    return postJson(this.port, '/v1/api/auth/login', { username, password }, headers);
  }

  /** Logs in, and fails the test if that is refused. */
  async tokenOf(user: string | Pick<AuthUser, 'username'>, password?: string): Promise<string> {
    const username = typeof user === 'string' ? user : user.username;
    return bodyOf(await this.login(username, password)).token;
  }

  /** Logs in as the seeded administrator. */
  adminToken(): Promise<string> {
    return this.tokenOf('admin', 'admin');
  }

  /** A token of the active implementation for any user, as if they had just entered the password. */
  async issueToken(fields: Partial<LoginUser> = {}): Promise<string> {
    const factors = { password: Math.floor(Date.now() / 1000) };
    return this.get<AuthProvider>(AUTH_PROVIDER).issueToken(loginUser(fields), { factors });
  }

  /** 200, or the code of the refusal. */
  async codeOf(token: string | undefined, target = '/v1/api/auth/me'): Promise<number> {
    const { status, json } = await this.request(target, { token });
    return json?.code ?? status;
  }

  /** `live`, or the code and the reason of the refusal. */
  async stateOf(token: string, target = '/v1/api/auth/me'): Promise<string> {
    const { status, json } = await this.request(target, { token });
    return status === 200 ? 'live' : `${json.code} ${json.reason}`;
  }

  private async end(): Promise<void> {
    opened.test.delete(this);
    opened.file.delete(this);
    await this.application?.close();
    await this.ownDatabase?.drop();
  }
}

/** Numbers the users and roles that have no name of their own. */
let rows = 0;

const hashes = new Map<string, string>();
function hashOf(password: string): string {
  const hash = hashes.get(password) ?? bcrypt.hashSync(password, 10);
  hashes.set(password, hash);
  return hash;
}

function withCheapHashes(options: KitAuthOptions = {}): KitAuthOptions {
  return { ...options, password: { cost: 10, ...options.password } };
}

function typeOrm(database: DatabaseName | TestDatabase | TypeOrmModuleOptions): DynamicModule {
  if (typeof database === 'string') {
    return typeOrm(sqliteInMemory());
  }
  const options = { retryAttempts: 0, ...('recreate' in database ? database.options : database) };
  return TypeOrmModule.forRootAsync({
    useFactory: () => options,
    ...(isNewInMemory(options) && { dataSourceFactory: fromTemplate }),
  });
}

async function administration(options: true | KitAuthAdminOptions): Promise<Import> {
  const { KitAuthAdminModule } = await import('kit-auth-admin');
  return options === true ? KitAuthAdminModule : KitAuthAdminModule.forRoot(options);
}

// Modules that a spec imports are registered twice where its group has several. TypeORM warns of that.
Logger.overrideLogger(false);

/** Resources to close, so that a failing test does not keep the run from ending. */
const opened = { test: new Set<TestApp>(), file: new Set<TestApp>() };
let isInTest = false;

function openApps(): Set<TestApp> {
  return isInTest ? opened.test : opened.file;
}

async function closeAll(apps: Set<TestApp>): Promise<void> {
  await Promise.all([...apps].map((app) => app.close()));
}

beforeEach(() => {
  isInTest = true;
});
afterEach(async () => {
  isInTest = false;
  await closeAll(opened.test);
});
afterAll(async () => {
  await closeAll(opened.file);
  await dropDatabases();
});
