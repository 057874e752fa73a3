import { execFile, spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { builtApp, type CliResult, DECORATE, SOURCE_FLAGS } from 'test-support';

const MODULE = `
import { connect } from 'node:net';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { decorate } from './decorate.js';

const { JOBS } = process.env;
class Jobs {
  constructor() {
    console.log('A line of the application.');
    setInterval(() => undefined, 1000);
    if (JOBS === 'exit') process.exit(0);
    if (JOBS === 'connect') connect(1, '127.0.0.1');
    if (JOBS === 'reject') Promise.reject(new Error('no queue'));
  }
}
export class AppModule {}
decorate(AppModule, Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'better-sqlite3',
      database: ':memory:',
      autoLoadEntities: true,
      synchronize: true,
      logging: true,
    }),
    KitAuthModule.forRoot(),
    KitAuthJwtModule,
  ],
  // A database in memory answers before anything fails in the background.
  providers: [Jobs, { provide: 'queue', useFactory: () => new Promise(JOBS === 'connect' ? () => undefined : setImmediate) }],
}));
`;

const PROGRAM = [...SOURCE_FLAGS, `${process.cwd()}/packages/kit-auth-cli/src/main.ts`];

/** Runs the program in a process of its own. */
function run(argv: string[], env: Record<string, string> = {}): Promise<CliResult> {
  const cwd = builtApp({ 'dist/decorate.js': DECORATE, 'dist/app.module.js': MODULE });
  const options = { cwd, env: { PATH: process.env['PATH'], ...env } };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...PROGRAM, ...argv], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

describe('an application in the process of a command', () => {
  it('prints on standard error with --verbose, and may fail in the background without harm', async () => {
    const { stdout, stderr } = await run(['user', 'list', '--json', '--verbose'], { JOBS: 'reject' });
    expect(stdout).toBe('[]\n');
    expect(stderr).toMatch(/^A line of the application\.$/m);
    expect(stderr).toContain('SELECT');
    expect(stderr).toContain('kit-auth: The application failed in the background: Error: no queue');
  });

  it.each([
    ['exit', 'kit-auth: The application called process.exit() before the command finished.'],
    [
      'connect',
      'kit-auth: The application failed in the background: Error: connect ECONNREFUSED 127.0.0.1:1',
    ],
  ])('is named when it fails: %s', async (jobs, message) => {
    const { code, stdout, stderr } = await run(['user', 'list'], { JOBS: jobs });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

const itOnLinux = process.platform === 'linux' ? it : it.skip;

itOnLinux('an output that cannot be written exits with 1', () => {
  const line = `"${process.execPath}" ${PROGRAM.map((word) => `"${word}"`).join(' ')} secret > /dev/full`;
  const { status, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'kit-auth: The output cannot be written: ENOSPC: no space left on device, write\n',
  });
});
