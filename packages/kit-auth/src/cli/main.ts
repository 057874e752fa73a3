#!/usr/bin/env node
import { runCli } from './run.js';

const { argv, env, stdin, stdout, stderr } = process;

// The reader of a pipe may end before the output does, as `head` does.
stdout.on('error', () => process.exit(0));

void runCli({ argv: argv.slice(2), cwd: process.cwd(), env, stdin, stdout, stderr }).then((code) => {
  // Connections and timers of the application would keep the process alive.
  stdout.write('', () => process.exit(code));
});
