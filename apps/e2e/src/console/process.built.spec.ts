import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
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

/** What the two builds find, in processes of their own: no test loads them otherwise. */
async function run(file: string, imports: string): Promise<{ files: number; refused: number }> {
  const decorate = file.endsWith('.cjs')
    ? DECORATE.replace(`import 'reflect-metadata';`, `require('reflect-metadata');`).replaceAll('export ', '')
    : DECORATE.replaceAll('export ', '');
  const cwd = builtApp({ [file]: `${imports}\n${decorate}\n${APPLICATION}` });
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(cwd, file)], {
    cwd,
    env: { PATH: process.env['PATH'] },
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as { files: number; refused: number };
}

describe('the built console finds its files', () => {
  it.each([
    ['of ES modules', 'main.mjs', (name: string, from: string) => `import { ${name} } from '${from}';`],
    [
      'that was compiled to CommonJS',
      'main.cjs',
      (name: string, from: string) => `const { ${name} } = require('${from}');`,
    ],
  ])('in an application %s', async (_, file, importOf) => {
    const { files, refused } = await run(file, NAMES.map(([name, from]) => importOf(name, from)).join('\n'));
    expect([files > 10, refused]).toEqual([true, 0]);
  });

  it('in its CommonJS build', async () => {
    const build = `${process.cwd()}/packages/kit-auth-console/dist/cjs/index.js`;
    const script = `require('reflect-metadata'); process.stdout.write(Object.keys(require('${build}')).join())`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
    expect(stdout).toBe('KitAuthConsoleModule');
  });
});
