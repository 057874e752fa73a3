import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { builtApp, DECORATE } from 'test-support';

const NAMES = [
  ['Module', '@nestjs/common'],
  ['NestFactory', '@nestjs/core'],
  ['TypeOrmModule', '@nestjs/typeorm'],
  ['KitAuthModule', 'kit-auth'],
  ['KitAuthAdminModule', 'kit-auth-admin'],
  ['KitAuthBrowserModule', 'kit-auth-browser'],
  ['KitAuthConsoleModule', 'kit-auth-console'],
  ['KitAuthSessionModule', 'kit-auth-session'],
] as const;

const APPLICATION = `
class AppModule {}
decorate(AppModule, Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'better-sqlite3', database: ':memory:', autoLoadEntities: true, synchronize: true }),
    KitAuthModule.forRoot(),
    KitAuthSessionModule,
    KitAuthAdminModule,
    KitAuthBrowserModule,
    KitAuthConsoleModule,
  ],
}));
async function main() {
  const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const page = await (await fetch(url + '/auth-console')).text();
  const assets = [...page.matchAll(/(?:href|src)="?(assets\\/[^">]+)/g)].map(([, path]) => path);
  const answers = await Promise.all([...new Set(assets)].map((path) => fetch(url + '/auth-console/' + path)));
  console.log(JSON.stringify({ files: answers.length, refused: answers.filter(({ ok }) => !ok).length }));
  await app.close();
}
main();
`;

/** Packages that Nest and TypeORM load only where they are used, and native modules. */
const LEFT_OUT = [
  ...[
    '@google-cloud/*',
    '@nestjs/microservices',
    '@nestjs/websockets',
    '@sap/*',
    'class-transformer',
    'class-validator',
  ],
  ...[
    'bcrypt',
    'better-sqlite3',
    'hdb-pool',
    'ioredis',
    'mongodb',
    'mssql',
    'mysql',
    'mysql2',
    'oracledb',
    'pg',
    'pg-*',
  ],
  ...['react-native-sqlite-storage', 'redis', 'sql.js', 'sqlite3', 'typeorm-aurora-data-api-driver'],
];

/** Runs a build in a process of its own: no test loads it otherwise. */
async function run(cwd: string, file: string): Promise<{ files: number; refused: number }> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(cwd, file)], {
    cwd,
    env: { PATH: process.env['PATH'] },
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as { files: number; refused: number };
}

function applicationIn(file: string, importOf: (name: string, from: string) => string): string {
  const decorate = file.endsWith('.cjs')
    ? DECORATE.replace(`import 'reflect-metadata';`, `require('reflect-metadata');`).replaceAll('export ', '')
    : DECORATE.replaceAll('export ', '');
  const imports = NAMES.map(([name, from]) => importOf(name, from)).join('\n');
  return builtApp({ [file]: `${imports}\n${decorate}\n${APPLICATION}` });
}

const imported = (name: string, from: string) => `import { ${name} } from '${from}';`;
const required = (name: string, from: string) => `const { ${name} } = require('${from}');`;

describe('the built console finds its files', () => {
  it.each([
    ['of ES modules', 'main.mjs', imported],
    ['that was compiled to CommonJS', 'main.cjs', required],
  ])('in an application %s', async (_, file, importOf) => {
    const { files, refused } = await run(applicationIn(file, importOf), file);
    expect([files > 10, refused]).toEqual([true, 0]);
  });

  it('in its CommonJS build', async () => {
    const build = `${process.cwd()}/packages/kit-auth-console/dist/cjs/index.js`;
    const script = `require('reflect-metadata'); process.stdout.write(Object.keys(require('${build}')).join())`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
    expect(stdout).toBe('KitAuthConsoleModule');
  });
});

describe.each([
  [
    'CommonJS',
    'cjs',
    `const url = require('node:url').pathToFileURL(__filename).href;`,
    { 'import.meta.url': 'url' },
  ],
  [
    'ES modules',
    'esm',
    `import { createRequire as of } from 'node:module'; const require = of(import.meta.url);`,
    {},
  ],
] as const)('the console in a bundle of %s', (_, format, banner, define) => {
  function bundle(...external: string[]): string {
    const cwd = applicationIn('main.mjs', imported);
    buildSync({
      entryPoints: [join(cwd, 'main.mjs')],
      outfile: join(cwd, FILE),
      bundle: true,
      platform: 'node',
      format,
      keepNames: true,
      banner: { js: banner },
      define,
      external: [...LEFT_OUT, ...external],
      logLevel: 'error',
    });
    return cwd;
  }
  const FILE = `out/main.${format === 'cjs' ? 'cjs' : 'mjs'}`;

  it('finds its files if its page is left out', async () => {
    const { files, refused } = await run(bundle('kit-auth-console/page'), FILE);
    expect([files > 10, refused]).toEqual([true, 0]);
  });

  it('otherwise does not start, and says what to leave out', async () => {
    await expect(run(bundle(), FILE)).rejects.toThrow('leave kit-auth-console/page out of it');
  });
});
