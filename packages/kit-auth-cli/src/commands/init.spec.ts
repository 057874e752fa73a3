import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { kitAuth, sourceApp } from 'test-support';
import { runInit } from './init.command.js';

const MODULE = `import { Module } from '@nestjs/common';
import { AppController } from './app.controller';

@Module({
  imports: [],
  controllers: [AppController],
})
export class AppModule {}
`;
const MAIN = `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  await app.listen(process.env.PORT ?? 3000);
}
void bootstrap();
`;

function manifest(nest: string, more: object = {}): string {
  return JSON.stringify({ name: 'app', dependencies: { '@nestjs/core': nest, ...more } });
}

/** An application as `nest new` makes it. */
function nestApp(files: Record<string, string> = {}, folder = 'src'): string {
  return sourceApp({
    'package.json': manifest('^12.0.1'),
    [`${folder}/main.ts`]: MAIN,
    [`${folder}/app.module.ts`]: MODULE,
    ...files,
  });
}

function init(cwd: string, ...argv: string[]) {
  return kitAuth(['init', ...argv], { cwd });
}

/** All files with their contents. */
function contentOf(cwd: string): Record<string, string> {
  const paths = readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

/** The entry file with a root module of another name. */
const renamed = (main: string, imported: string) =>
  main
    .replace('{ AppModule }', imported)
    .replace('./app.module', './api.module')
    .replace('create(AppModule)', 'create(Root)');

const moduleOf = (cwd: string, path = 'src/app.module.ts') => readFileSync(join(cwd, path), 'utf8');

describe('kit-auth init', () => {
  it('shows the commands and the changes, writes them, and says what is next', async () => {
    const cwd = nestApp();
    const before = contentOf(cwd);
    const dry = await init(cwd, '--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toContain(
      'Install:\n' +
        '  npm install kit-auth kit-auth-session @nestjs/typeorm@12 typeorm@1 better-sqlite3\n' +
        '  npm install --save-dev kit-auth-cli\n\n--- src/app.module.ts\n+++ src/app.module.ts\n@@ -1,8 +1,20 @@\n',
    );
    expect(dry.stdout).toContain('\n-  imports: [],\n+  imports: [\n+    TypeOrmModule.forRoot({\n');
    expect(contentOf(cwd)).toEqual(before);

    const done = await init(cwd, '--yes', '--no-install');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain(
      'Changed src/app.module.ts.\n\nNext:\n1. Install the packages: npm install kit-auth',
    );
    expect(done.stdout).toContain('\n2. Log in: curl localhost:3000/v1/api/auth/login');
    expect(done.stdout).toMatch(/\n3\. Send the token with every request/);
    expect(moduleOf(cwd)).toContain('    KitAuthSessionModule,\n  ],\n  controllers: [AppController],');
    expect(readdirSync(join(cwd, 'src')).sort()).toEqual(['app.module.ts', 'main.ts']);

    const after = contentOf(cwd);
    for (const argv of [[], ['--database=sqlite', '--sessions']]) {
      expect(await init(cwd, '--yes', '--no-install', ...argv)).toEqual({
        code: 0,
        stdout: 'There is nothing to do: src/app.module.ts has KitAuthModule and KitAuthSessionModule.\n',
        stderr: '',
      });
    }
    expect(contentOf(cwd)).toEqual(after);
  });

  it.each([
    ['yo', 1, 'kit-auth: Cancelled. Nothing was changed.\n'],
    ['', 0, ''],
  ])('asks in a terminal before it writes: %j', async (answer, code, said) => {
    const cwd = nestApp();
    const before = contentOf(cwd);
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    let shown = '';
    const stderr = new Writable({
      write(chunk: Buffer, _encoding, done) {
        shown += chunk.toString();
        if (shown.endsWith('Do this? [Y/n] \u001b[16G')) {
          stdin.write(`${answer}\r`);
        }
        done();
      },
    });
    const argv = ['init', '--sessions', '--database=sqlite', '--protect=all', '--cookies', '--no-install'];
    const stdout = new PassThrough();
    expect(await runInit({ argv, cwd, env: {}, stdin, stdout, stderr })).toBe(code);
    expect(shown.split('\n').slice(1).join('\n')).toBe(said);
    expect(moduleOf(cwd).includes('KitAuthModule')).toBe(code === 0);
    expect(Object.keys(contentOf(cwd))).toEqual(Object.keys(before));
  });

  it('takes the packages that belong to Nest 11, and leaves out those that are there', async () => {
    const cwd = nestApp({ 'package.json': manifest('^11.0.1', { pg: '^8', typeorm: '^0.3.20' }) });
    const { stdout } = await init(
      cwd,
      '--dry-run',
      '--jwt',
      '--database=postgres',
      '--cookies',
      '--with=admin,refresh',
    );
    expect(stdout).toContain(
      '  npm install kit-auth kit-auth-jwt @nestjs/jwt@11 @nestjs/typeorm@11 kit-auth-browser kit-auth-admin ' +
        'kit-auth-refresh\n',
    );
    expect(stdout).toContain("+      url: process.env['DATABASE_URL']!,\n");
    expect(stdout).toMatch(
      /\+ {4}KitAuthJwtModule,\n\+ {4}KitAuthBrowserModule,\n\+ {4}KitAuthAdminModule,\n/,
    );
  });

  it('replaces the implementation in a second run', async () => {
    const cwd = nestApp();
    await init(cwd, '--yes', '--no-install', '--jwt');
    const { stdout } = await init(cwd, '--yes', '--no-install', '--sessions');
    expect(stdout).toContain('-    KitAuthJwtModule,\n+    KitAuthSessionModule,\n');
    expect(stdout).toContain('You can remove kit-auth-jwt from package.json. Users have to log in again.');
    expect((await init(cwd, '--yes', '--no-install')).stdout).toContain('There is nothing to do');
  });

  it.each([
    [{ 'pnpm-lock.yaml': '', 'pnpm-workspace.yaml': '' }, 'pnpm add --workspace-root kit-auth'],
    [{ 'yarn.lock': '' }, 'yarn add kit-auth'],
    [{ 'package-lock.json': '' }, 'npm install kit-auth'],
    [
      { 'package.json': manifest('^12.0.0').replace('{', '{ "packageManager": "pnpm@10.0.0", ') },
      'pnpm add kit-auth',
    ],
  ])('uses the package manager of the application: %j', async (files, command) => {
    const { stdout } = await init(nestApp(files), '--dry-run');
    expect(stdout).toContain(`  ${command} `);
  });

  it('installs before it writes, and changes no source file if that fails', async () => {
    const cwd = nestApp({ 'bin/npm': '#!/bin/sh\necho "$@" >> installed.txt\ntest ! -e broken' });
    chmodSync(join(cwd, 'bin/npm'), 0o755);
    const env = { PATH: `${join(cwd, 'bin')}${delimiter}${process.env['PATH'] ?? ''}` };
    writeFileSync(join(cwd, 'broken'), '');
    const failed = await kitAuth(['init', '--yes'], { cwd, env });
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(
      /`npm install kit-auth .*` has ended with 1\. No source file was changed\. Run it in /,
    );
    expect(moduleOf(cwd)).toBe(MODULE);
    writeFileSync(join(cwd, 'bin/npm'), '#!/bin/sh\necho "$@" >> installed.txt');
    expect(await kitAuth(['init', '--yes'], { cwd, env })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'installed.txt'), 'utf8')).toContain('install --save-dev kit-auth-cli\n');
    expect(moduleOf(cwd)).toContain('KitAuthSessionModule');
  });

  it.each<[string, (main: string) => string, string]>([
    ['below', (main) => main.replace('./app.module', './api.module.js'), 'export class AppModule'],
    ['by another name', (main) => renamed(main, '{ AppModule as Root }'), 'export class AppModule'],
    ['as the default', (main) => renamed(main, 'Root'), 'export default class'],
    ['behind other calls', (main) => `await NestFactory.createApplicationContext(Jobs);\n${main}`, ''],
    ['behind a barrel', (main) => main.replace('./app.module', './barrel'), ''],
  ])('finds the module that the entry file passes to Nest, %s', async (_how, change, declared) => {
    const cwd = nestApp({
      'src/main.ts': change(MAIN),
      ...(declared && { 'src/api.module.ts': MODULE.replace('export class AppModule', declared) }),
    });
    const path = declared === '' ? 'src/app.module.ts' : 'src/api.module.ts';
    expect((await init(cwd, '--yes', '--no-install')).stdout).toContain(`Changed ${path}.`);
    expect(moduleOf(cwd, path)).toContain('KitAuthSessionModule,\n  ],\n  controllers');
  });

  it('ignores comments, and links to files that are not there', async () => {
    const commented = `${MODULE}// TypeOrmModule.forRoot({ autoLoadEntities: true })\n`;
    const cwd = nestApp({
      'src/app.module.ts': commented,
      'src/notes.ts': '// KitAuthModule.forRoot() would be in app.module.ts\n',
    });
    symlinkSync('me@host.1:2', join(cwd, 'src/.#app.service.ts')); // as Emacs does
    expect((await init(cwd, '--yes', '--no-install')).stderr).toBe('');
    expect(moduleOf(cwd)).toContain("      type: 'better-sqlite3',\n");
  });

  it('changes one application of a monorepo of Nest', async () => {
    const cwd = nestApp(
      {
        'apps/admin/src/main.ts': MAIN,
        'apps/admin/src/app.module.ts': MODULE,
        'libs/database/src/database.module.ts': 'TypeOrmModule.forRoot({ autoLoadEntities: true })',
        'nest-cli.json': JSON.stringify({
          monorepo: true,
          root: 'apps/shop',
          sourceRoot: 'apps/shop/src',
          projects: {
            shop: { type: 'application', sourceRoot: 'apps/shop/src' },
            admin: { type: 'application', sourceRoot: 'apps/admin/src' },
            database: { type: 'library', sourceRoot: 'libs/database/src' },
          },
        }),
      },
      'apps/shop/src',
    );
    expect(await init(cwd, '--yes')).toMatchObject({
      code: 2,
      stderr: 'kit-auth: There are several applications: shop, admin. Choose one: --project=shop\n',
    });
    expect(await init(cwd, '--yes', '--project=shpo')).toMatchObject({
      code: 2,
      stderr: 'kit-auth: There is no application shpo. The applications are: shop, admin.\n',
    });
    expect(await init(cwd, '--yes', '--no-install', '--project=admin')).toMatchObject({ code: 0 });
    expect(moduleOf(cwd, 'apps/admin/src/app.module.ts')).toContain(
      '  imports: [\n    KitAuthModule.forRoot(',
    );
    expect(moduleOf(cwd, 'apps/shop/src/app.module.ts')).toBe(MODULE);
    expect(await init(join(cwd, 'apps/shop'), '--yes', '--no-install')).toMatchObject({ code: 0 });
    expect(moduleOf(cwd, 'apps/shop/src/app.module.ts')).toContain('KitAuthSessionModule');
  });

  it('finds the application of an Nx workspace', async () => {
    const cwd = nestApp(
      {
        'nx.json': '{}',
        'apps/api/project.json': '{ "name": "api", "sourceRoot": "apps/api/src" }',
        'apps/api/src/main.ts': MAIN.replace('./app.module', './app/app.module'),
        'apps/web/src/main.ts': "import { bootstrapApplication } from '@angular/platform-browser';",
      },
      'apps/api/src/app',
    );
    const { code, stdout } = await init(cwd, '--yes', '--no-install');
    expect(code).toBe(0);
    expect(stdout).toContain('Changed apps/api/src/app/app.module.ts.');
  });

  it.each<[string, (cwd: string, other: string) => void, string]>([
    [
      'nest-cli.json names',
      (cwd, other) =>
        writeFileSync(
          join(cwd, 'nest-cli.json'),
          JSON.stringify({ sourceRoot: `../${basename(other)}/src` }),
        ),
      '../OTHER/src',
    ],
    [
      'an import names',
      (cwd, other) =>
        writeFileSync(
          join(cwd, 'src/main.ts'),
          MAIN.replace('./app.module', `../../${basename(other)}/src/app.module`),
        ),
      '../OTHER/src/app.module.ts',
    ],
    [
      'a link leads to',
      (cwd, other) => {
        rmSync(join(cwd, 'src/app.module.ts'));
        symlinkSync(join(other, 'src/app.module.ts'), join(cwd, 'src/app.module.ts'));
      },
      'src/app.module.ts',
    ],
    [
      'a link to a folder leads to',
      (cwd, other) => {
        rmSync(join(cwd, 'src'), { recursive: true });
        symlinkSync(join(other, 'src'), join(cwd, 'src'));
      },
      'src',
    ],
    [
      'the link package.json leads to',
      (cwd, other) => {
        rmSync(join(cwd, 'package.json'));
        symlinkSync(join(other, 'package.json'), join(cwd, 'package.json'));
      },
      'package.json',
    ],
  ])('changes nothing outside of the workspace, which %s', async (_what, lead, shown) => {
    const [cwd, other] = [nestApp(), nestApp()];
    lead(cwd, other);
    const before = contentOf(other);
    const { code, stderr } = await init(cwd, '--yes', '--no-install');
    expect(stderr).toContain(
      `${shown.replace('OTHER', basename(other))} is outside of the workspace ${realpathSync(cwd)}`,
    );
    expect(code).toBe(3);
    expect(contentOf(other)).toEqual(before);
  });

  it('changes a file elsewhere that --module names, and files of the same workspace', async () => {
    const [cwd, other] = [nestApp(), nestApp()];
    const module = `--module=${join(other, 'src/app.module.ts')}`;
    expect(await init(cwd, '--yes', '--no-install', module)).toMatchObject({ code: 0 });
    expect(moduleOf(other)).toContain('KitAuthSessionModule');

    const workspace = nestApp(
      {
        'package-lock.json': '{}',
        'apps/api/package.json': manifest('^12.0.1'),
        'apps/api/src/main.ts': MAIN.replace('./app.module', '../../../libs/api/app.module'),
      },
      'libs/api',
    );
    expect(await init(join(workspace, 'apps/api'), '--yes', '--no-install')).toMatchObject({ code: 0 });
    expect(moduleOf(workspace, 'libs/api/app.module.ts')).toContain('KitAuthSessionModule');
  });

  it('keeps a byte order mark, and changes the file behind a symbolic link', async () => {
    const cwd = nestApp({ 'src/app.module.ts': '', 'shared/app.module.ts': `\ufeff${MODULE}` });
    writeFileSync(join(cwd, 'src/main.ts'), MAIN.replace('./app.module', './linked.module'));
    symlinkSync(join(cwd, 'shared/app.module.ts'), join(cwd, 'src/linked.module.ts'));
    expect(await init(cwd, '--yes', '--no-install')).toMatchObject({ code: 0 });
    expect(moduleOf(cwd, 'shared/app.module.ts')).toMatch(/^\ufeffimport \{ Module \}/);
    expect(moduleOf(cwd, 'src/linked.module.ts')).toContain('KitAuthSessionModule');
  });

  it('keeps the data source, and says what it needs', async () => {
    const cwd = nestApp({
      'package.json': manifest('^12.0.0', { '@nestjs/typeorm': '^12', '@nestjs/passport': '^12' }),
      'src/database.module.ts': 'TypeOrmModule.forRootAsync({ useFactory: options })',
    });
    const { stdout } = await init(cwd, '--yes', '--no-install');
    expect(stdout).toContain(
      'Add autoLoadEntities: true to the options of TypeOrmModule in src/database.module.ts.',
    );
    expect(stdout).toContain('create the tables first: npx kit-auth migration:generate.');
    // Another authentication keeps working.
    expect(moduleOf(cwd)).toContain("KitAuthModule.forRoot({ protect: 'decorated' }), // only routes with");
    expect(moduleOf(cwd)).not.toContain('TypeOrmModule');
  });

  it('leaves an application as it is that has kit-auth in another module', async () => {
    const kit = MODULE.replace('[]', "[KitAuthModule.forRoot({ protect: 'decorated' })]");
    const cwd = nestApp({
      'src/app.module.ts': MODULE.replace('[]', '[TypeOrmModule.forRoot({ autoLoadEntities: true })]'),
      'src/auth/auth.module.ts': `import { KitAuthModule } from 'kit-auth';\n${kit}`,
    });
    expect(await init(cwd, '--yes')).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'kit-auth: src/auth/auth.module.ts has KitAuthModule already. Nothing was changed. To change that file: ' +
        '--module=src/auth/auth.module.ts\n',
    });
    const module = '--module=src/auth/auth.module.ts';
    expect(await init(cwd, '--yes', '--no-install', module)).toMatchObject({ code: 0 });
    const changed = moduleOf(cwd, 'src/auth/auth.module.ts');
    expect(changed).toContain('    KitAuthSessionModule,\n');
    expect(changed).not.toContain('TypeOrmModule'); // the application has a data source
  });

  it('prints for a file that it does not understand what the application needs', async () => {
    const cwd = nestApp({
      'package.json': `\ufeff${manifest('^12.0.0', { '@nestjs/typeorm': '12', passport: '1', 'kit-auth': '1' })}`,
      'src/app.module.ts': MODULE.replace('[]', 'MODULES'),
    });
    const { code, stdout } = await init(cwd, '--yes');
    expect(code).toBe(3);
    expect(stdout).toContain('npm install kit-auth-session\n');
    expect(stdout).toContain("KitAuthModule.forRoot({ protect: 'decorated' })");
    expect(stdout).toContain('The options of TypeOrmModule need autoLoadEntities: true');
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'an entry file in JavaScript',
      { 'nest-cli.json': '{ "entryFile": "server" }', 'src/server.js': MAIN },
      'src/server.js is not TypeScript.',
    ],
    [
      'a dynamic root module',
      { 'src/main.ts': MAIN.replace('create(AppModule)', 'create(AppModule.register())') },
      'src/main.ts passes AppModule.register() to NestFactory',
    ],
    [
      'a root module that is not in the file with the usual name',
      {
        'src/main.ts': MAIN.replaceAll('AppModule', 'ServerModule').replace('./app.module', '@shop/server'),
      },
      'src/main.ts does not say which file has the root module. Name it: --module=<file>#<class>',
    ],
  ])('changes nothing, and prints what to add, with %s', async (_what, files, message) => {
    const cwd = nestApp(files);
    const before = contentOf(cwd);
    const { code, stdout, stderr } = await init(cwd, '--yes', '--jwt');
    expect(stderr).toContain(message);
    expect(stderr).toContain('Nothing was changed.');
    expect(code).toBe(3);
    expect(stdout).toContain("import { KitAuthJwtModule } from 'kit-auth-jwt';");
    expect(stdout).toContain('  npm install kit-auth kit-auth-jwt @nestjs/jwt@12');
    expect(stdout).toContain("    KitAuthModule.forRoot({ protect: ['/**'] }), // every route");
    expect(contentOf(cwd)).toEqual(before);
  });

  it('changes no file that is read-only, or in another encoding', async () => {
    const cwd = nestApp();
    const file = join(cwd, 'src/app.module.ts');
    const refusal = async () => (await init(cwd, '--yes', '--no-install')).stderr;
    chmodSync(file, 0o444);
    expect(await refusal()).toBe('kit-auth: src/app.module.ts is read-only. Nothing was changed.\n');
    chmodSync(file, 0o644);
    const latin1 = Buffer.from(`// d\u00e9but\n${MODULE}`, 'latin1');
    writeFileSync(file, latin1);
    expect(await refusal()).toBe('kit-auth: src/app.module.ts is not UTF-8. Nothing was changed.\n');
    expect(readFileSync(file)).toEqual(latin1);
  });

  it.each<[string, Record<string, string>, string[], string]>([
    ['nobody to ask', {}, [], 'There is no terminal to ask. Pass --yes'],
    ['two implementations', {}, ['--yes', '--jwt', '--sessions'], 'Give either --jwt or --sessions.'],
    ['an unknown package', {}, ['--yes', '--with=admn'], 'There is no package admn. The packages are: admin'],
    ['Nest 10', { 'package.json': manifest('^10.4.0') }, ['--yes'], 'The application has Nest 10.'],
    ['no Nest', { 'package.json': '{}' }, ['--yes'], '@nestjs/core is not installed'],
    [
      'another ORM',
      { 'package.json': manifest('^12.0.0', { '@prisma/client': '7' }) },
      ['--yes'],
      'a user store: ',
    ],
    [
      'a second data source',
      { 'src/database.module.ts': 'TypeOrmModule.forRoot()' },
      ['--yes', '--database=mysql'],
      'The application has a data source of TypeORM already, in src/database.module.ts. Leave out --database.',
    ],
  ])('exits with 2 with %s', async (_what, files, argv, message) => {
    const cwd = nestApp(files);
    const before = contentOf(cwd);
    const refused = await init(cwd, ...argv);
    expect(refused).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(contentOf(cwd)).toEqual(before);
  });

  it('says where it looked', async () => {
    const cwd = sourceApp({ 'package.json': manifest('^12.0.0'), 'index.ts': '' });
    const { code, stderr } = await init(cwd, '--yes');
    expect(code).toBe(2);
    expect(stderr).toContain('no file src/main.ts calls NestFactory.create()');
    expect(existsSync(join(cwd, 'src'))).toBe(false);
  });
});
