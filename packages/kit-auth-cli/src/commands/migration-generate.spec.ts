import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { authApp, kitAuth } from 'test-support';

const FILE = 'src/migrations/kit-auth.migrations.ts';
const LINE = "export { kitAuthMigrations } from 'kit-auth/typeorm';";

function generate(cwd: string, ...argv: string[]) {
  return kitAuth(['migration:generate', ...argv], { cwd });
}

function write(cwd: string, text: string, file = FILE): void {
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  writeFileSync(join(cwd, file), text);
}

describe('kit-auth migration:generate', () => {
  it('writes a file, and says what to do next', async () => {
    const cwd = authApp({ files: { 'src/app.module.ts': '' } });
    const { code, stdout, stderr } = await generate(cwd);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        `Wrote ${FILE}, with the migrations of kit-auth/typeorm.`,
        '',
        'Next:',
        "1. Add the built file to the migrations of your data source: migrations: ['dist/migrations/*.js'].",
        '   A data source that names kitAuthMigrations itself does not need it.',
        '2. Build, and run them: npx kit-auth migration:run',
        '   If you run them with the TypeORM CLI, add kitAuthEntities of kit-auth/typeorm to the entities',
        '   of the data source that it loads: autoLoadEntities has an effect in the application only.',
        '3. Set synchronize: false where the migrations run, as in production.',
        '',
      ].join('\n'),
    );
    expect(readFileSync(join(cwd, FILE), 'utf8').split('\n')).toContain(LINE);
  });

  it.each([
    ['an ES module', '{ "type": "module" }', LINE],
    ['CommonJS', '{}', "exports.kitAuthMigrations = require('kit-auth/typeorm').kitAuthMigrations;"],
  ])('writes %s with --js', async (_what, manifest, line) => {
    const cwd = authApp({ files: { 'package.json': manifest, 'dist/package.json': '{ "type": "module" }' } });
    const { stdout } = await generate(cwd, 'database', '--js', '--json');
    const file = 'database/kit-auth.migrations.js';
    expect(JSON.parse(stdout)).toEqual({ file, written: true, entries: ['kit-auth/typeorm'] });
    expect(readFileSync(join(cwd, file), 'utf8').split('\n')).toContain(line);
  });

  it('has nothing to do if the file is there', async () => {
    const cwd = authApp({ files: { 'src/app.module.ts': '' } });
    await generate(cwd);
    const { code, stdout } = await generate(cwd);
    expect(code).toBe(0);
    expect(stdout).toContain(`There is nothing to do: ${FILE} has the migrations of kit-auth/typeorm.`);
  });

  it('overwrites no file, and shows the lines that it lacks', async () => {
    const cwd = authApp({ files: { 'src/app.module.ts': '' } });
    write(cwd, "export { kitAuthMigrations } from 'kit-auth-keys/typeorm';");
    const { code, stdout, stderr } = await generate(cwd);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${FILE} exists, and is not overwritten. Add to it:\n  ${LINE}`);
    expect(readFileSync(join(cwd, FILE), 'utf8')).not.toContain(LINE);
  });

  it('has nothing to do if the data source has the migrations', async () => {
    const database =
      "type: 'better-sqlite3', database: ':memory:', migrations: kitAuthMigrations, migrationsRun: true";
    const { code, stdout } = await generate(authApp({ database }), '--js');
    expect(code).toBe(0);
    expect(stdout).toBe(
      'There is nothing to do: the migrations of the data source contain those of kit-auth/typeorm.\n' +
        'If they have not run: start the application, which runs them.\n',
    );
  });

  it('names no entities where the application runs the migrations', async () => {
    const database = "type: 'better-sqlite3', database: ':memory:', migrationsRun: true";
    const { stdout } = await generate(authApp({ database, files: { 'src/app.module.ts': '' } }));
    expect(stdout).toContain('2. Build, and start the application, which runs them.');
    expect(stdout).not.toContain('kitAuthEntities');
  });

  it.each([
    ['memory', ['kit-auth/typeorm']],
    ['database', ['kit-auth-session/typeorm', 'kit-auth/typeorm']],
  ])('knows which tables the application uses, with sessions in %s', async (store, entries) => {
    const implementation = `(await import('kit-auth-session')).KitAuthSessionModule.forRoot({ store: '${store}' })`;
    const { stdout } = await generate(authApp({ implementation }), '--json');
    expect(JSON.parse(stdout)).toMatchObject({ entries });
  });

  it('needs no connection', async () => {
    const database = "type: 'postgres', url: 'postgres://nobody@127.0.0.1:1/none'";
    const { code, stdout } = await generate(authApp({ database }), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ written: true });
  });

  it.each([
    [
      'a file',
      ['src/migrations/Auth.ts'],
      'Name a folder, without a file: kit-auth migration:generate src/migrations',
    ],
    ['a file without an ending', ['package-lock'], 'package-lock is not a folder'],
  ])('refuses %s', async (_what, argv, message) => {
    const cwd = authApp({ files: { 'package-lock': '' } });
    const { code, stderr } = await generate(cwd, ...argv);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
