import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from '@jest/globals';
import { builtApp, DECORATE, PASSWORD, SOURCE_FLAGS } from 'test-support';

const MODULE = `
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { decorate } from './decorate.js';

export class AppModule {}
decorate(AppModule, Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'better-sqlite3',
      database: 'app.sqlite',
      autoLoadEntities: true,
      synchronize: true,
    }),
    KitAuthModule.forRoot({ password: { cost: 10 } }),
    KitAuthJwtModule,
  ],
}));
`;
const PROMPTS = ['New password: ', 'Repeat the password: '];
const CTRL_C = '\u0003';

const running = new Set<ReturnType<typeof spawn>>();
afterEach(() => running.forEach((process) => process.kill('SIGKILL')));

/**
 * Runs the program in a terminal of its own, as a shell does, and types an answer whenever it asks.
 *
 * @returns what the terminal shows, and behind it the exit code, and whether the settings of the terminal are as before
 */
async function inTerminal(cwd: string, command: string, answers: string[]): Promise<string> {
  const program = [...SOURCE_FLAGS, `${process.cwd()}/packages/kit-auth-cli/src/main.ts`].join(' ');
  const line =
    `before=$(stty -g); "${process.execPath}" ${program} ${command}; echo "exit code $?"; ` +
    '[ "$(stty -g)" = "$before" ] && echo "The settings are as before."';
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  running.add(child);
  let shown = '';
  let asked = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    if (asked < answers.length && shown.endsWith(PROMPTS[asked] ?? '')) {
      child.stdin.write(answers[asked++]);
    }
  });
  await once(child, 'close');
  running.delete(child);
  return shown.replaceAll('\r\n', '\n');
}

// Other systems have another `script`, or none.
const itOnLinux = process.platform === 'linux' ? it : it.skip;

itOnLinux.each([
  // The first letters are deleted again, by Backspace and by Ctrl-U.
  [
    [`x\u007fxyz\u0015${PASSWORD}\r`, `${PASSWORD}\r`],
    /^Created ada \(id \d+\), without roles\.\nexit code 0\n$/,
  ],
  [[`${PASSWORD}\r`, `an${CTRL_C}`], /^kit-auth: Cancelled\. Nothing was changed\.\nexit code 130\n$/],
])('a password prompt in a terminal shows nothing of what is typed: %j', async (answers, said) => {
  const cwd = builtApp({ 'dist/decorate.js': DECORATE, 'dist/app.module.js': MODULE });
  const [prompts, rest, last] = (await inTerminal(cwd, 'user create ada', answers)).split(
    /(?<=password: \n)(?=[^R])|(?=The settings)/,
  );
  expect([prompts, last]).toEqual([`${PROMPTS.join('\n')}\n`, 'The settings are as before.\n']);
  expect(rest).toMatch(said);
});
