import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { builtApp, DECORATE, PASSWORD, SOURCE_FLAGS, sourceApp } from 'test-support';

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
async function inTerminal(
  cwd: string,
  command: string,
  answers: string[],
  prompts = PROMPTS,
): Promise<string> {
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
    if (asked < answers.length && shown.endsWith(prompts[asked] ?? '')) {
      child.stdin.write(answers[asked++]);
    }
  });
  await once(child, 'close');
  running.delete(child);
  return shown.replaceAll('\r\n', '\n');
}

// Other systems have another `script`, or none.
const describeOnLinux = process.platform === 'linux' ? describe : describe.skip;

describeOnLinux('a password prompt in a terminal', () => {
  const cwd = () => builtApp({ 'dist/decorate.js': DECORATE, 'dist/app.module.js': MODULE });

  it('shows nothing of what is typed', async () => {
    // The first letters are deleted again, by Backspace and by Ctrl-U.
    const answers = [`x\u007fxyz\u0015${PASSWORD}\r`, `${PASSWORD}\r`];
    const shown = await inTerminal(cwd(), 'user create ada', answers);
    expect(shown).toMatch(
      /^New password: \nRepeat the password: \nCreated ada \(id \d+\), without roles\.\nexit code 0\nThe settings are as before\.\n$/,
    );
  });

  it('ends with 130 after Ctrl-C', async () => {
    expect(await inTerminal(cwd(), 'user create ada', [`${PASSWORD}\r`, `an${CTRL_C}`])).toBe(
      'New password: \nRepeat the password: \nkit-auth: Cancelled. Nothing was changed.\nexit code 130\nThe settings are as before.\n',
    );
  });
});

describeOnLinux('kit-auth init in a terminal', () => {
  // Behind each, the cursor moves to its place.
  const [numbered, listed, confirmed] = [
    '[1] \u001b[5G',
    '[none] \u001b[8G',
    'Do this? [Y/n] \u001b[16G',
  ] as const;
  const prompts = [numbered, numbered, numbered, listed, confirmed];
  const files = {
    'package.json': '{ "dependencies": { "@nestjs/core": "^12.0.0" } }',
    'src/main.ts': "import { NestFactory } from '@nestjs/core';\nvoid NestFactory.create(AppModule);\n",
    'src/app.module.ts':
      "import { Module } from '@nestjs/common';\n\n@Module({ imports: [] })\nexport class AppModule {}\n",
  };

  it('asks for what no option says, and before it writes', async () => {
    const cwd = sourceApp(files);
    const answers = ['7\r', 'jwt\r', '2\r', '\r', 'admin, browser\r', 'y\r'];
    const shown = await inTerminal(cwd, 'init --no-install', answers, [numbered, ...prompts]);
    expect(shown).toContain('Which tokens?\n  1. sessions: they end at once');
    expect(shown).toContain('Type a number from 1 to 2.');
    expect(shown).toContain('+  KitAuthJwtModule,\n+  KitAuthAdminModule,\n+  KitAuthBrowserModule,\n');
    expect(shown).toContain('Changed src/app.module.ts.');
    expect(shown).toMatch(/exit code 0\nThe settings are as before\.\n$/);
    expect(readFileSync(join(cwd, 'src/app.module.ts'), 'utf8')).toContain('KitAuthJwtModule,');
  });

  it('changes nothing after Ctrl-C', async () => {
    const cwd = sourceApp(files);
    const shown = await inTerminal(cwd, 'init --no-install', ['\r', CTRL_C], prompts);
    expect(shown).toMatch(/Cancelled\. Nothing was changed\.\nexit code 130\n/);
    expect(readFileSync(join(cwd, 'src/app.module.ts'), 'utf8')).toBe(files['src/app.module.ts']);
  });
});
