import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { APP_SECRET, builtApp, DECORATE, kitAuth } from 'test-support';

const calls: string[] = [];
Object.assign(globalThis, { calls });
afterEach(() => void calls.splice(0));

const MODULE = `
import { Controller, Get, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_EVENT_SINK, KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { decorate, method } from './decorate.js';

class Jobs {
  constructor() { globalThis.calls.push('new Jobs'); }
  onModuleInit() { globalThis.calls.push('Jobs.onModuleInit'); }
  onApplicationBootstrap() { globalThis.calls.push('Jobs.onApplicationBootstrap'); }
  onModuleDestroy() { globalThis.calls.push('Jobs.onModuleDestroy'); }
  onApplicationShutdown() { globalThis.calls.push('Jobs.onApplicationShutdown'); }
}
class Sink {
  keep() {}
  onModuleInit() { globalThis.calls.push('Sink.onModuleInit'); }
  onApplicationShutdown() { globalThis.calls.push('Sink.onApplicationShutdown'); }
}
class Hello { get() {} }
method(Hello, 'get', Get());
decorate(Hello, Controller('v1/hello'));

export class AppModule {
  onModuleInit() { globalThis.calls.push('AppModule.onModuleInit'); }
}
decorate(AppModule, Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'better-sqlite3', database: 'DATABASE', autoLoadEntities: true, synchronize: true }),
    KitAuthModule.forRoot(),
    KitAuthJwtModule,
  ],
  controllers: [Hello],
  providers: [Jobs, { provide: AUTH_EVENT_SINK, useClass: Sink }],
}));
`;

function app(files: Record<string, string> = {}): string {
  return builtApp({
    'dist/decorate.js': DECORATE,
    'dist/app.module.js': MODULE.replace('DATABASE', ':memory:'),
    ...files,
  });
}

describe('loading an application', () => {
  it('runs the hooks of kit-auth, and of what is provided under its tokens, but not those of the application', async () => {
    const { code, stderr } = await kitAuth(['routes'], { cwd: app() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(calls).toEqual(['new Jobs', 'Sink.onModuleInit', 'Sink.onApplicationShutdown']);
  });

  it('does not start it', async () => {
    const main = "import { NestFactory } from '@nestjs/core';\nthrow await NestFactory.create();";
    const cwd = app({ 'dist/main.js': main });
    expect(await kitAuth(['routes', '--module=dist/main.js'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'kit-auth: dist/main.js contains NestFactory.create(), so loading it may start the application. ' +
        'Name a file that only exports, such as dist/app.module.js.\n',
    });
  });

  it.each([
    ['--module', ['--module=other/shop.js#Shop'], {}],
    ['package.json', [], { 'kit-auth': { module: 'other/shop.js#Shop' } }],
  ])('takes the module that %s names', async (_where, options, manifest) => {
    const cwd = app({
      'package.json': JSON.stringify({ type: 'module', ...manifest }),
      'other/shop.js': "export { AppModule as Shop, AppModule as Other } from '../dist/app.module.js';",
    });
    const { code, stdout } = await kitAuth(['routes', ...options], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('/v1/hello');
  });

  it('runs the setup function before it reads the routes', async () => {
    const cwd = app({
      'package.json': '{ "type": "module", "kit-auth": { "setup": "dist/setup.js#setup" } }',
      'dist/setup.js': "export async function setup(app) { app.setGlobalPrefix('api'); }",
      'dist/main.js': "app.setGlobalPrefix('api')",
    });
    const { stdout, stderr } = await kitAuth(['routes'], { cwd });
    expect(stdout).toContain('/api/v1/hello');
    expect(stderr).toBe('');
  });

  it('closes the connections when the setup function fails', async () => {
    const cwd = app({
      'dist/setup.js': `import { DataSource } from 'typeorm';
        export function setup(app) { globalThis.dataSource = app.get(DataSource); throw new Error('no port'); }`,
    });
    const { code, stderr } = await kitAuth(['routes', '--setup=dist/setup.js'], { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'kit-auth: dist/setup.js failed: Error: no port\n' });
    expect(Reflect.get(globalThis, 'dataSource').isInitialized).toBe(false);
  });

  it('tells that main.js may change paths', async () => {
    const { code, stderr } = await kitAuth(['routes'], {
      cwd: app({ 'dist/main.js': "app.setGlobalPrefix('api')" }),
    });
    expect(code).toBe(0);
    expect(stderr).toContain('dist/main.js may call app.setGlobalPrefix(), which commands do not run');
  });

  const BROKEN = "throw new Error('no DATABASE_URL')";
  it.each([
    ['no package', {}, [], 2, 'looked for --module, for "kit-auth": { "module" } in package.json, and for'],
    [
      'no build',
      { 'src/app.module.ts': '', 'package.json': '{ "scripts": { "build": "nest build" } }' },
      [],
      2,
      'There is src/app.module.ts, which is not built. Build it with `npm run build`.\n' +
        'If the built module is elsewhere, name it with --module=<file#Export>, or in package.json:',
    ],
    ['two files', { 'dist/a/app.module.js': '', 'dist/b/app.module.js': '' }, [], 2, 'dist/b/app.module.js'],
    [
      'a wrong name',
      { 'a.js': 'export class AppModule {} export class UserModule {}' },
      ['--module=a.js#AppModul'],
      2,
      'It exports AppModule, UserModule. Did you mean AppModule?',
    ],
    ['no module', { 'a.js': 'export const x = 1;' }, ['--module=a.js'], 2, 'a.js exports no module'],
    ['a broken file', { 'a.js': BROKEN }, ['--module=a.js'], 1, 'no DATABASE_URL'],
    ['one with a compiler', { 'a.ts': BROKEN }, ['--module=a.ts'], 2, 'a.ts cannot be loaded: Error: no '],
    [
      'an import that rejects',
      {
        'dist/decorate.js': DECORATE,
        'dist/app.module.js': MODULE.replace('KitAuthJwtModule,\n  ]', 'KitAuthJwtModule, rejected()]')
          .concat(`
          function rejected() {
            const rejection = Promise.reject(new Error('no DATABASE_URL'));
            rejection.catch(() => undefined);
            return rejection;
          }`),
      },
      [],
      1,
      'dist/app.module.js cannot be started: Error: no DATABASE_URL',
    ],
    [
      'an unknown key',
      { 'package.json': '{ "kit-auth": { "modul": "a.js" } }' },
      [],
      2,
      'has the unknown key "modul". Did you mean "module"?',
    ],
  ])('says what is wrong: %s', async (_what, files: Record<string, string>, options, exitCode, message) => {
    const { code, stdout, stderr } = await kitAuth(['routes', ...options], { cwd: builtApp(files) });
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('does not try a database again that refuses the connection', async () => {
    const cwd = app({
      'dist/app.module.js': MODULE.replace(
        /type: 'better-sqlite3', database: 'DATABASE'/,
        "type: 'postgres', url: 'postgres://nobody:very-secret@127.0.0.1:1/none', retryAttempts: 1",
      ),
    });
    const { code, stderr } = await kitAuth(['user', 'list'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain('The database cannot be reached: Error: connect ECONNREFUSED 127.0.0.1:1');
    expect(stderr).not.toContain('very-secret');
  });

  it('seeds no administrator', async () => {
    const database = join(app(), 'app.sqlite');
    const cwd = app({ 'dist/app.module.js': MODULE.replace('DATABASE', database) });
    await kitAuth(['user', 'list'], { cwd });
    expect(existsSync(database)).toBe(true);
    const { DataSource } = await import('typeorm');
    const dataSource = await new DataSource({ type: 'better-sqlite3', database }).initialize();
    expect(await dataSource.query('select count(*) as users from auth_user')).toEqual([{ users: 0 }]);
    await dataSource.destroy();
  });
});

/** The application has its users in a database that is opened in `onModuleInit()`. */
const OWN_USERS = `
import { Controller, Get, Inject, Module } from '@nestjs/common';
import { AUTH_COMMAND, AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { decorate } from './decorate.js';

class Database {
  onModuleInit() { FAILURE; this.users = [{ id: 1, username: 'ada', enabled: true, passwordHash: '', userId: 1, nickname: 'Ada', superAdmin: false, roles: [], permissions: [] }]; globalThis.calls.push('open'); }
  onApplicationBootstrap() { globalThis.calls.push('Database.onApplicationBootstrap'); }
  onApplicationShutdown() { globalThis.calls.push('close'); }
}
class Queue {
  onModuleInit() { globalThis.calls.push('Queue.onModuleInit'); }
}
class Store {
  constructor(database) { this.database = database; }
  onModuleInit() { globalThis.calls.push(\`Store with \${this.database.users.length} users\`); }
  async findByUsername(name) { return this.database.users.find(({ username }) => username === name); }
  async loadLoginUser(id) { return this.database.users.find((user) => user.id === id); }
}
class Command {
  name = 'orders'; usage = '<username>'; summary = 'Counts orders.';
  constructor(queue) { this.queue = queue; }
  async run({ args: [name], user, output }) { output.line(String((await user(name)).id)); }
}
Inject(Database)(Store, undefined, 0);
Inject(Queue)(Command, undefined, 0);
class UsersModule {}
decorate(UsersModule, Module({ providers: [Database, { provide: AUTH_USER_STORE, useClass: Store }], exports: [Database] }));

export class AppModule {
  onModuleInit() { globalThis.calls.push('AppModule.onModuleInit'); }
}
decorate(AppModule, Module({
  imports: [
    KitAuthModule.forRootAsync({
      imports: [UsersModule], inject: [Database], users: UsersModule,
      useFactory: (database) => ({ jwt: { SECRET }, login: { throttle: { LIMITER } } }),
    }),
    KitAuthJwtModule,
  ],
  providers: [Queue, { provide: AUTH_COMMAND, useClass: Command }],
}));
`;

describe('an application with users in a database that onModuleInit() opens', () => {
  const withUsers = (failure = '', limiter = '') =>
    app({
      'dist/app.module.js': OWN_USERS.replace('FAILURE', failure)
        .replace('LIMITER', limiter)
        .replace('SECRET', `secret: '${APP_SECRET}'`),
    });
  const LIMITER =
    'limiter: () => { database.users.length; return { consume() {}, get() {}, set() {}, delete() {}, penalty() {}, reward() {} }; }';
  const UNUSABLE =
    "kit.auth.login.throttle.limiter fails: TypeError: Cannot read properties of undefined (reading 'length')";
  const HINT =
    'Database.onModuleInit(), Database.onApplicationBootstrap(), which may be the reason. It can use what is created in a constructor or a factory.';

  it.each([
    ['the application', ''],
    ['the application, before the limiter that needs it', LIMITER],
  ])('opens and closes it for a command of %s', async (_what, limiter) => {
    const { code, stdout, stderr } = await kitAuth(['orders', 'ada'], { cwd: withUsers('', limiter) });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '1\n', stderr: '' });
    expect(calls).toEqual(['open', 'Store with 1 users', 'close']);
  });

  it('opens it before a command that asks for a user, and says what failed', async () => {
    const user = ['explain', 'ada', 'GET', '/v1/api/auth/me'];
    const { code } = await kitAuth(user, { cwd: withUsers() });
    expect({ code, calls }).toEqual({ code: 0, calls: ['open', 'Store with 1 users', 'close'] });
    const failure = "throw new Error('connect ECONNREFUSED')";
    expect(await kitAuth(user, { cwd: withUsers(failure) })).toMatchObject({
      code: 1,
      stderr:
        'kit-auth: kit-auth could not start: Database.onModuleInit() failed: Error: connect ECONNREFUSED\n',
    });
  });

  it('does not open it for routes', async () => {
    expect(await kitAuth(['routes'], { cwd: withUsers() })).toMatchObject({ code: 0, stderr: '' });
    expect(calls).toEqual([]);
    expect(await kitAuth(['routes'], { cwd: withUsers('', LIMITER) })).toMatchObject({
      code: 1,
      stderr: `kit-auth: kit-auth could not start: ${UNUSABLE}\nThis command does not run ${HINT}\n`,
    });
  });

  it('does not open it for doctor, which skips what needs it', async () => {
    const { stdout } = await kitAuth(['doctor'], { cwd: withUsers() });
    expect(stdout).toContain('ok       application\n');
    expect(stdout).toContain(
      `skipped  administrator (TypeError: Cannot read properties of undefined (reading 'find'); doctor does not run ${HINT})`,
    );
    expect(stdout).not.toMatch(/^problem/m);
    expect(calls).toEqual([]);
  });

  it('is told by doctor that a part of kit-auth may need it', async () => {
    const { code, stdout } = await kitAuth(['doctor'], { cwd: withUsers('', LIMITER) });
    expect(stdout).toContain(
      `warning  application: doctor cannot start a part of kit-auth: ${UNUSABLE}\n         -> doctor does not run ${HINT}\n`,
    );
    expect(code).toBe(0);
  });
});
