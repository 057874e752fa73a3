#!/usr/bin/env node
import type { CliProcess } from './cli-command.js';

const { argv, env, stdin, stdout, stderr } = process;
const started: CliProcess = { argv: argv.slice(2), cwd: process.cwd(), env, stdin, stdout, stderr };

if (argv[2] === 'init') {
  // The application may not have kit-auth yet.
  const { runInit } = await import('./commands/init.command.js');
  process.exitCode = await runInit(started);
} else {
  await runCommand().catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND') {
      throw error;
    }
    stderr.write(`kit-auth: ${message}\n\`kit-auth init\` adds kit-auth to an application.\n`);
    process.exitCode = 2;
  });
}

async function runCommand(): Promise<void> {
  const { ownOutput } = await import('./own-output.js');
  const { runCli } = await import('./run.js');
  const own = ownOutput(process, argv.includes('--verbose'));
  const code = await runCli({ ...started, stdout: own.stdout });
  // Connections and timers of the application would keep the process alive.
  own.stdout.once('finish', () => own.done(code)).end();
}
