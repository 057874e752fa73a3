#!/usr/bin/env node
import { Writable } from 'node:stream';
import { runCli } from './run.js';

const { argv, env, stdin, stdout, stderr } = process;

const write = stdout.write.bind(stdout);
const results = new Writable({ write: (chunk: Buffer, _encoding, done) => void write(chunk, done) });
// Programs read the results. What the application prints goes to standard error.
stdout.write = stderr.write.bind(stderr);

stdout.on('error', () => undefined); // `results` has it.
results.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // The reader of a pipe may end before the output does, as `head` does.
  if (code === 'EPIPE') {
    process.exit(0);
  }
  stderr.write(`kit-auth: The output cannot be written: ${message}\n`, () => process.exit(1));
});

void runCli({ argv: argv.slice(2), cwd: process.cwd(), env, stdin, stdout: results, stderr }).then((code) => {
  // Connections and timers of the application would keep the process alive.
  results.once('finish', () => process.exit(code)).end();
});
