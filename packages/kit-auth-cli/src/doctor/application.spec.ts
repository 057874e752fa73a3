import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { hash } from 'bcrypt';
import { APP_SECRET, authApp as app, builtApp, DECORATE, kitAuth } from 'test-support';
import { DataSource } from 'typeorm';
import {
  AuthRole,
  AuthUser,
  AuthUserStatus,
  kitAuthEntities,
  newSecurityStamp,
  SUPER_ADMIN,
} from 'kit-auth/typeorm';
import type { CheckResult } from './diagnosis.js';

const SECRET = `secret: '${APP_SECRET}'`;

const WITHOUT_TABLES = "type: 'better-sqlite3', database: ':memory:'";

/** A database with the tables of the core, and with an administrator. */
async function sqlite(name: string, password: string): Promise<{ file: string; options: string }> {
  const file = join(mkdtempSync(join(tmpdir(), 'kit-auth-doctor-')), 'app.sqlite');
  folders.push(dirname(file));
  const options = { type: 'better-sqlite3' as const, database: file, entities: kitAuthEntities };
  const dataSource = await new DataSource({ ...options, synchronize: true }).initialize();
  const role = await dataSource.manager.save(AuthRole, { code: SUPER_ADMIN, name: 'Root', permissions: [] });
  const account = { status: AuthUserStatus.ENABLED, securityStamp: newSecurityStamp(), roles: [role] };
  const passwordHash = await hash(password, 10);
  await dataSource.manager.save(AuthUser, { username: name, nickname: name, passwordHash, ...account });
  await dataSource.destroy();
  return { file, options: `type: 'better-sqlite3', database: ${JSON.stringify(file)}` };
}

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

async function doctor(cwd: string, env: Record<string, string> = {}) {
  const { stdout, stderr, code } = await kitAuth(['doctor', '--json'], { cwd, env });
  expect(stderr).toBe('');
  const { checks } = JSON.parse(stdout) as { checks: CheckResult[] };
  const check = (name: string) => checks.find((check) => check.name === name) as CheckResult;
  const finding = (name: string) => {
    const [one, ...others] = check(name).findings;
    expect(others).toEqual([]);
    return one;
  };
  return { code, checks, check, finding };
}

const PRODUCTION = { NODE_ENV: 'production' };

describe('kit-auth doctor with an application', () => {
  it('finds nothing wrong', async () => {
    const { options } = await sqlite('root', 'a password of its own');
    const { code, checks } = await doctor(app({ database: options }));
    expect(checks.filter(({ findings }) => findings.length > 0)).toEqual([]);
    expect(new Set(checks.map(({ status }) => status))).toEqual(new Set(['ok']));
    expect(checks.map(({ name }) => name).join()).toBe(
      'versions,copies,application,secret,administrator,white-list,throttle,trust proxy,database,tables',
    );
    expect(code).toBe(0);
  });

  it('finds all that a new application has to change', async () => {
    const cwd = app({ auth: '', database: WITHOUT_TABLES });
    const { code, stdout } = await kitAuth(['doctor'], { cwd, env: PRODUCTION });
    expect(stdout.split('\n').map((line) => line.replace(/^(\S+ +[a-z- ]+:).*/, '$1'))).toEqual([
      'ok       versions',
      'ok       copies',
      'ok       application',
      'problem  secret:',
      '         -> Set it, or KIT_AUTH_JWT_SECRET, to what "npx kit-auth secret" prints.',
      'problem  administrator:',
      '         -> Set it, or KIT_AUTH_DEFAULT_ADMIN_PASSWORD, to a password of your own.',
      'ok       white-list',
      'warning  throttle:',
      expect.stringContaining('kit.auth.login.throttle.limiter'),
      'warning  trust proxy:',
      expect.stringContaining("app.set('trust proxy', 1)"),
      'ok       database',
      'problem  tables:',
      expect.stringContaining('npx kit-auth migration:generate'),
      '',
      '3 problems, 2 warnings',
      '',
    ]);
    expect(code).toBe(1);
  });

  describe('administrator', () => {
    it.each([
      ['admin', 'npx kit-auth user password admin'],
      ['Ada L.', 'npx kit-auth user password "Ada L."'],
    ])('finds the built-in password of %s in the database', async (name, cure) => {
      const { options } = await sqlite(name, 'admin');
      const { finding } = await doctor(app({ database: options }));
      expect(finding('administrator')).toEqual({
        level: 'problem',
        problem: `The administrator ${name} has the built-in default password.`,
        cure,
      });
    });

    it('warns about the option if the administrator has another password', async () => {
      const { options } = await sqlite('admin', 'a password of its own');
      const database = { database: options };
      const { code, finding } = await doctor(app({ ...database, auth: `jwt: { ${SECRET} }` }));
      expect(finding('administrator')).toMatchObject({ level: 'warning' });
      expect(code).toBe(0);
      const refused = {
        level: 'problem',
        problem: expect.stringContaining('kit.auth.strict refuses to start with it'),
      };
      const strict = await doctor(app({ ...database, auth: `jwt: { ${SECRET} }, strict: true` }));
      expect(strict.finding('administrator')).toMatchObject(refused);
      const production = await doctor(app({ ...database, auth: `jwt: { ${SECRET} }` }), PRODUCTION);
      expect(production.finding('administrator')).toMatchObject(refused);
    });
  });

  describe('a password that is easy to guess', () => {
    const auth = `jwt: { ${SECRET} }, defaultAdminPassword: 'Password123!'`;
    const guessed = 'kit.auth.defaultAdminPassword is not allowed for users: the password is too common.';

    it('is a problem before the administrator exists', async () => {
      const { code, finding } = await doctor(app({ auth }));
      expect(finding('administrator')).toEqual({
        level: 'problem',
        problem: `${guessed} The next start creates the administrator admin with it.`,
        cure: 'Set it, or KIT_AUTH_DEFAULT_ADMIN_PASSWORD, to a password of your own that is hard to guess.',
      });
      expect(code).toBe(1);
    });

    it('is a problem of an administrator who has it', async () => {
      const { options } = await sqlite('root', 'Password123!');
      const { finding } = await doctor(app({ auth, database: options }));
      expect(finding('administrator')).toEqual({
        level: 'problem',
        problem:
          'The administrator root has the password kit.auth.defaultAdminPassword, which is easy to guess.',
        cure: 'npx kit-auth user password root',
      });
    });
  });

  describe('secret', () => {
    it('finds that it is easy to guess, and does not repeat it', async () => {
      const cwd = app({ auth: "jwt: { secret: 'change-me-before-you-go-to-production' }" });
      const { code, finding } = await doctor(cwd);
      expect(finding('secret')).toEqual({
        level: 'problem',
        problem: expect.stringContaining('kit.auth.jwt.secret is easy to guess: it contains a placeholder'),
        cure: 'Set it, or KIT_AUTH_JWT_SECRET, to what "npx kit-auth secret" prints.',
      });
      expect(code).toBe(1);
      expect((await kitAuth(['doctor'], { cwd })).stdout).not.toMatch(/before-you/);
    });

    it('looks at the secrets of all packages', async () => {
      const session = "{ mode: 'stateless', secret: [SECRET, 'x'.repeat(32)] }".replace(
        'SECRET',
        `'${APP_SECRET}'`,
      );
      const implementation = `(await import('kit-auth-session')).KitAuthSessionModule.forRoot(${session})`;
      const { finding } = await doctor(app({ implementation }));
      expect(finding('secret')?.problem).toContain('kit.auth.session.secret (number 2) is easy to guess');
    });
  });

  describe('signing keys', () => {
    const OWN = "defaultAdminPassword: 'a password of its own'";
    const newKey = async (kid: string, alg = 'EdDSA') => {
      const { stdout } = await kitAuth(['jwt-key', `--kid=${kid}`, `--alg=${alg}`]);
      return JSON.parse(stdout) as { kid: string; alg: string; key: object };
    };
    const withKeys = (keys: object[], more = '') =>
      app({ auth: `${OWN}, jwt: { issuer: 'app', keys: ${JSON.stringify(keys)}${more} }` });

    it('are a warning when one is old, and a problem when a secret is easy to guess, which is not repeated', async () => {
      const old = await doctor(withKeys([await newKey('2019-11-27', 'ES256')]));
      expect([old.code, old.finding('signing keys')?.level]).toEqual([0, 'warning']);
      expect(old.check('secret')).toMatchObject({ status: 'ok' });
      const cwd = withKeys([{ kid: 'one', alg: 'HS256', key: 'correct-horse'.repeat(4) }]);
      const { code, stdout } = await kitAuth(['doctor'], { cwd });
      expect([code, stdout]).toEqual([
        1,
        expect.stringContaining('The key one of kit.auth.jwt.keys is easy'),
      ]);
      expect(stdout).not.toMatch(/horse/);
    });
  });

  describe('checks of modules', () => {
    const withCheck = (run: string) =>
      app({
        implementation: "KitAuthJwtModule, (await import('./check.js')).CheckModule",
        files: {
          'dist/check.js': `
            import { Module } from '@nestjs/common';
            import { DOCTOR_CHECK } from 'kit-auth/feature';
            import { decorate } from './decorate.js';

            export class CheckModule {}
            decorate(CheckModule, Module({ providers: [{ provide: DOCTOR_CHECK, useValue: { name: 'queue', ${run} } }] }));`,
        },
      });

    it('report what they find', async () => {
      const found = { level: 'warning', problem: 'The queue is full.', cure: 'Empty it.' };
      const { code, finding } = await doctor(withCheck(`run: async () => [${JSON.stringify(found)}]`));
      expect([code, finding('queue')]).toEqual([0, found]);
    });
  });

  describe('options', () => {
    const OWN = `defaultAdminPassword: 'a password of its own', jwt: { ${SECRET}`;

    it('finds options that do not exist, as start-up does', async () => {
      const { code, finding } = await doctor(app({ auth: `${OWN}, expireMinuts: 5 }` }));
      expect(finding('application')).toEqual({
        level: 'warning',
        problem:
          'kit.auth.jwt.expireMinuts is not an option and is ignored; did you mean kit.auth.jwt.expireMinutes?',
        cure: 'Correct or remove it. The application logs this at each start.',
      });
      expect(code).toBe(0);
    });

    it('finds tokens that live for long and cannot be ended', async () => {
      const year = await doctor(app({ auth: `${OWN}, expireMinutes: 525600 }` }));
      expect(year.finding('application')).toEqual({
        level: 'warning',
        problem: 'Tokens of jwt-stateless are valid for 365 days, and a logout does not end them.',
        cure: expect.stringContaining('kit.auth.jwt.expireMinutes'),
      });
      const month = await doctor(app({ auth: `${OWN}, expireMinutes: 43200 }` }));
      expect(month.check('application').status).toBe('ok');
      const session = "{ timeoutMinutes: 525600, store: 'memory' }";
      const implementation = `(await import('kit-auth-session')).KitAuthSessionModule.forRoot(${session})`;
      const { check } = await doctor(app({ implementation }));
      expect(check('application').status).toBe('ok');
    });

    it('finds sessions in memory in production', async () => {
      const implementation = `(await import('kit-auth-session')).KitAuthSessionModule.forRoot({ store: 'memory' })`;
      const { finding } = await doctor(app({ implementation }), PRODUCTION);
      expect(finding('application')).toMatchObject({
        level: 'warning',
        problem: expect.stringContaining('Sessions are in the memory of the process. A restart forgets them'),
      });
      const inDatabase = await doctor(app({ implementation: implementation.replace('memory', 'database') }));
      expect(inDatabase.check('application').status).toBe('ok');
    });
  });

  describe('white-list', () => {
    it.each([
      ["whiteList: ['/v1/login', '/**']", 'problem', "kit.auth.whiteList has '/**': every path is open."],
      [
        "whiteList: ['/*/hello']",
        'problem',
        "1 routes of the application needs a token. kit.auth.whiteList has '/*/hello'.",
      ],
      ["protect: ['/v7/**']", 'warning', 'kit.auth.protect does not cover them'],
      ["protect: 'decorated', whiteList: ['/v1/a']", 'warning', 'kit.auth.whiteList has no effect'],
      [
        "whiteList: ['/v2/**', '/v1/public/**']",
        'problem',
        "'/v2/**', which opens all paths that kit.auth.protect covers with '/v2/**'",
      ],
    ])('%s', async (auth, level, text) => {
      const { finding } = await doctor(app({ auth }));
      expect(finding('white-list')).toMatchObject({ level, problem: expect.stringContaining(text) });
    });

    it('says what main.js changes', async () => {
      const files = { 'dist/main.js': "app.setGlobalPrefix('v1')" };
      const { finding } = await doctor(app({ files, controller: 'hello' }));
      expect(finding('white-list')).toMatchObject({
        level: 'warning',
        problem: expect.stringContaining('dist/main.js may call app.setGlobalPrefix()'),
      });
    });

    it('finds routes of which none is protected, or a part', async () => {
      const open = await doctor(app({ access: 'Public()' }));
      expect(open.finding('white-list')).toEqual({
        level: 'warning',
        problem: 'None of the 1 routes of the application needs a token. All of them have @Public().',
        cure: expect.stringContaining('npx kit-auth routes'),
      });
      const outside = await doctor(app({ controller: ['v1/hello', 'hello'] }));
      expect(outside.finding('white-list')).toEqual({
        level: 'warning',
        problem: 'handlers that need a token at one path are open at another path: GET /hello (Hello.get).',
        cure: expect.stringContaining('Add @RequireToken()'),
      });
    });

    it.each(["whiteList: ['/v1/public/**']", "protect: ['/**'], whiteList: ['/public/**', '/*/*/*/**']"])(
      'finds nothing where a part is open: %s',
      async (auth) => {
        const { check } = await doctor(app({ auth }));
        expect(check('white-list')).toMatchObject({ status: 'ok' });
      },
    );
  });

  it('reads WEB_CONCURRENCY, and what a setup function has set in Express', async () => {
    const files = {
      'package.json': '{ "type": "module", "kit-auth": { "setup": "dist/setup.js" } }',
      'dist/setup.js': "export const setup = (app) => app.set('trust proxy', true);",
    };
    const { finding } = await doctor(app({ files }), { WEB_CONCURRENCY: '4' });
    expect(finding('throttle')).toMatchObject({
      level: 'problem',
      problem: expect.stringContaining('WEB_CONCURRENCY is 4'),
    });
    expect(finding('trust proxy')).toMatchObject({
      level: 'warning',
      problem: expect.stringContaining('The application trusts every proxy'),
    });
  });
});

describe('the database of kit-auth doctor', () => {
  it('is not changed', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'kit-auth-doctor-')), 'app.sqlite');
    folders.push(dirname(file));
    const database = `type: 'better-sqlite3', database: ${JSON.stringify(file)}, synchronize: true`;
    const { finding, check } = await doctor(app({ database }));
    expect(finding('database')).toMatchObject({
      level: 'warning',
      problem: `There is no file ${file} yet.`,
    });
    expect(check('administrator')).toMatchObject({ status: 'ok' });
    expect(existsSync(file)).toBe(false);

    writeFileSync(file, '');
    await doctor(app({ database: `${database}, dropSchema: true` }));
    expect(readFileSync(file)).toHaveLength(0);
  });

  it('may be unreachable: the other checks go on', async () => {
    const database = "type: 'postgres', url: 'postgres://nobody:very-secret@127.0.0.1:1/none'";
    const cwd = app({ database, auth: '' });
    const { finding, check } = await doctor(cwd);
    expect(finding('database')).toMatchObject({
      level: 'problem',
      problem: 'The database (postgres) cannot be reached: Error: connect ECONNREFUSED 127.0.0.1:1',
    });
    expect(finding('secret')).toMatchObject({ level: 'problem' });
    expect(finding('administrator')).toMatchObject({ level: 'warning' });
    expect(check('tables').note).toBe('no database can be read');
    const { stdout } = await kitAuth(['doctor'], { cwd });
    expect(stdout).not.toContain('very-secret');
  });

  it.each([
    ['synchronize', 'ok', { findings: [], note: expect.stringContaining('synchronize: true creates') }],
    [
      'migrationsRun',
      'warning',
      { findings: [{ level: 'warning', cure: 'Start the application, which runs the migrations.' }] },
    ],
  ])('lacks tables that %s creates', async (option, status, expected) => {
    const database = `${WITHOUT_TABLES}, ${option}: true, migrations: kitAuthMigrations`;
    const { check } = await doctor(app({ database }));
    expect(check('tables')).toMatchObject({ status, ...expected });
  });

  it('lacks an index', async () => {
    const { file, options } = await sqlite('root', 'a password of its own');
    const dataSource = await new DataSource({ type: 'better-sqlite3', database: file }).initialize();
    const [index] = await dataSource.query<{ name: string }[]>(
      "SELECT name FROM sqlite_master WHERE tbl_name = 'auth_user_role' AND sql LIKE 'CREATE INDEX%'",
    );
    await dataSource.query(`DROP INDEX ${JSON.stringify(index?.name)}`);
    await dataSource.destroy();
    const { finding } = await doctor(app({ database: `${options}, migrations: kitAuthMigrations` }));
    expect(finding('tables')).toMatchObject({
      level: 'problem',
      problem: expect.stringContaining('TypeORM would run: CREATE INDEX'),
      cure: expect.stringContaining('Run the migrations: npx typeorm migration:run'),
    });
  });
});

describe('an application that kit-auth doctor knows little of', () => {
  it.each([
    [
      'is not built',
      { 'src/app.module.ts': '' },
      'There is no application in',
      'which is not built. Build the application',
    ],
    [
      'lacks a variable',
      { 'dist/app.module.js': "throw new Error('no DATABASE_URL');" },
      'no DATABASE_URL',
      '--env-file=.env',
    ],
  ])('%s', async (_what, files: Record<string, string>, text, cure) => {
    const { code, finding, check } = await doctor(builtApp(files));
    expect(finding('application')).toEqual({
      level: 'problem',
      problem: expect.stringContaining(text),
      cure: expect.stringContaining(cure),
    });
    expect(check('secret')).toMatchObject({ status: 'skipped', note: 'the application could not be loaded' });
    expect(code).toBe(1);
  });

  it('has a mistake in its options, which hides no other', async () => {
    const { finding } = await doctor(app({ auth: "jwt: { secret: 'short' }, whiteList: ['/**']" }));
    expect(finding('application')).toMatchObject({
      level: 'problem',
      problem: expect.stringContaining('kit.auth.jwt.secret has 5 bytes'),
    });
    expect(finding('white-list')).toMatchObject({ level: 'problem' });
  });

  it('keeps its users elsewhere', async () => {
    const cwd = builtApp({
      'dist/decorate.js': DECORATE,
      'dist/app.module.js': `
        import { Module } from '@nestjs/common';
        import { AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
        import { KitAuthJwtModule } from 'kit-auth-jwt';
        import { decorate } from './decorate.js';

        class Users {
          findByUsername(username) {
            return username === 'admin'
              ? { id: 1, username, passwordHash: '${await hash('admin', 10)}', enabled: true, securityStamp: '' }
              : undefined;
          }
          loadLoginUser() {}
        }
        class UsersModule {}
        decorate(UsersModule, Module({ providers: [{ provide: AUTH_USER_STORE, useClass: Users }] }));
        export class AppModule {}
        decorate(AppModule, Module({
          imports: [KitAuthModule.forRoot({ users: UsersModule, jwt: { ${SECRET} } }), KitAuthJwtModule],
        }));`,
    });
    const { finding, check } = await doctor(cwd);
    expect(finding('administrator')).toMatchObject({
      level: 'problem',
      problem: 'The administrator admin has the built-in default password.',
    });
    expect(check('tables').note).toBe('the application has no data source of TypeORM');
    const { stdout } = await kitAuth(['migration:generate'], { cwd });
    expect(stdout).toBe('There is nothing to do: the application keeps no tables of kit-auth in TypeORM.\n');
  });

  it.each([
    ['none', '', 'No authentication implementation was detected.'],
    [
      'two',
      "KitAuthJwtModule, (await import('kit-auth-session')).KitAuthSessionModule,",
      'Multiple authentication implementations exist: jwt-stateless (of KitAuthJwtModule)',
    ],
  ])('has %s of the implementations, which is one cause', async (_what, implementation, text) => {
    const { checks, finding } = await doctor(app({ implementation }));
    expect(finding('application')?.problem).toContain(text);
    expect(checks.filter(({ findings }) => findings.length > 0)).toHaveLength(1);
  });

  it('is switched off', async () => {
    const { code, finding, check } = await doctor(app({ auth: 'enabled: false' }));
    expect(finding('application')).toMatchObject({ level: 'warning' });
    expect(check('secret')).toMatchObject({ status: 'skipped' });
    expect(code).toBe(0);
  });
});
