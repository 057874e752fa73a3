import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuthApiKey, kitAuthEntities as keyEntities } from 'kit-auth-keys/typeorm';
import { AuthRole, kitAuthEntities } from 'kit-auth/typeorm';
import { builtApp, DECORATE, kitAuth, sourceApp } from 'test-support';
import { DataSource } from 'typeorm';

/** The application of the guide. */
const MODULE = `
import { Controller, Delete, Get, Module, Post } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthModule, Public, RequirePermissions, RequireRoles } from 'kit-auth';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { KitAuthSessionModule } from 'kit-auth-session';
import { decorate, method } from './decorate.js';

class NotesController { list() {} create() {} remove() {} published() {} }
method(NotesController, 'list', Get(), RequirePermissions('note:read'));
method(NotesController, 'create', Post(), RequirePermissions('note:write'));
method(NotesController, 'remove', Delete(':id'), REMOVE);
method(NotesController, 'published', Get('published'), Public());
decorate(NotesController, Controller('v1/notes'));

export class AppModule {}
decorate(AppModule, Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'better-sqlite3', database: import.meta.dirname + '/app.sqlite', autoLoadEntities: true, synchronize: true,
    }),
    KitAuthModule.forRoot(),
    KitAuthSessionModule,
    KitAuthKeysModule,
  ],
  controllers: [NotesController],
}));
`;
const FILES = {
  'dist/main.js': 'throw new Error("no command starts the application");',
  'dist/decorate.js': DECORATE,
  'dist/app.module.js': MODULE.replace(', REMOVE', ", RequireRoles('editor')"),
  'src/app.module.ts': '',
  'password.txt': 'correct horse battery staple\n',
};

const GUIDE = readFileSync(join(import.meta.dirname, '../../../../docs/guides/command-line.md'), 'utf8');
/** Commands, and the output that follows them at once. */
const SHOWN = [...GUIDE.matchAll(/^```sh\n((?:npx kit-auth [^\n]*\n)+)```\n\n```text\n(.*?)^```/gms)].map(
  ([, commands = '', output = '']) => ({ commands: commands.trim().split('\n'), output }),
);

let cwd: string;

beforeAll(async () => {
  cwd = builtApp(FILES);
  await kitAuth(['user', 'list'], { cwd }); // creates the tables
  const entities = [...kitAuthEntities, ...keyEntities];
  const database = join(cwd, 'dist/app.sqlite');
  const dataSource = await new DataSource({ type: 'better-sqlite3', database, entities }).initialize();
  await dataSource
    .getRepository(AuthRole)
    .insert({ code: 'author', name: 'Author', permissions: ['note:read', 'note:write'] });
  await run('npx kit-auth user create alice --role author --password-stdin < password.txt');
  await dataSource.getRepository(AuthApiKey).insert({
    id: 'k3x9w2m7q5t1a',
    userId: '1',
    name: 'Backup',
    abilities: '["note:read"]',
    hash: 'x'.repeat(64),
    createdAt: Date.UTC(2026, 0, 2),
    expiresAt: Date.UTC(2099, 0, 1),
    lastUsedAt: null,
    lastAddress: null,
    endedBy: null,
  });
  await dataSource.destroy();
});

/** A line as a shell runs it. @returns all that it prints */
async function run(line: string): Promise<string> {
  const [, command = '', redirection, file = ''] = /^npx kit-auth (.*?)(?: ([<>]) (\S+))?$/.exec(line) ?? [];
  const input = redirection === '<' ? readFileSync(join(cwd, file), 'utf8') : '';
  const { stdout, stderr } = await kitAuth(wordsOf(command), { cwd, input });
  if (redirection === '>') {
    writeFileSync(join(cwd, file), stdout);
    return stderr;
  }
  return stdout + stderr;
}

function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/** Columns are as wide as their contents. */
function columns(text: string): string {
  return text.replace(/ {2,}(?=\S)/g, '  ');
}

describe('the guide to the command line', () => {
  it('shows what its commands print, one after the other', async () => {
    for (const { commands, output } of SHOWN) {
      let printed = '';
      for (const line of commands) {
        printed += await run(line);
      }
      const [first = '', ...others] = columns(output).split('…\n');
      if (others.length === 0) {
        expect([commands, columns(printed)]).toEqual([commands, first]);
      }
      [first, ...others].forEach((part) => expect(columns(printed)).toContain(part));
    }
  });

  it('shows what init changes', async () => {
    const app = sourceApp({
      'package.json': '{ "dependencies": { "@nestjs/core": "^12.0.0" } }',
      'src/main.ts': "import { NestFactory } from '@nestjs/core';\n",
      'src/app.module.ts': `import { Module } from '@nestjs/common';
import { AppController } from './app.controller.js';
import { AppService } from './app.service.js';

@Module({
  imports: [],
  controllers: [AppController],
  providers: [AppService],
})
export class AppModule {}
`,
    });
    const { stdout } = await kitAuth(['init', '--dry-run'], { cwd: app });
    const [, shown = 'no diff'] = /^```diff\n(.*?)^```$/ms.exec(GUIDE) ?? [];
    expect(stdout.replace(/^ $/gm, '')).toContain(shown);
  });

  it('shows what a forgotten decorator changes', async () => {
    await run('npx kit-auth routes --json > routes.json');
    const open = builtApp({ ...FILES, 'dist/app.module.js': MODULE.replace(', REMOVE', '') });
    writeFileSync(join(open, 'routes.json'), readFileSync(join(cwd, 'routes.json')));
    const { code, stdout, stderr } = await kitAuth(['routes', '--check', 'routes.json'], { cwd: open });
    expect(code).toBe(1);
    expect(GUIDE).toContain(`\`\`\`text\n${stdout}${stderr}\`\`\``);
  });
});
