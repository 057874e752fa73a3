#!/usr/bin/env node
import { ownOutput } from './own-output.js';
import { runCli } from './run.js';

const { argv, env, stdin, stderr } = process;
const isVerbose = argv.includes('--verbose');
const { stdout, done } = ownOutput(process, isVerbose);

// The reader of a pipe may end before the output does, as `head` does.
process.stdout.on('error', () => done(0));

void runCli({ argv: argv.slice(2), cwd: process.cwd(), env, stdin, stdout, stderr }).then((code) => {
  // Connections and timers of the application would keep the process alive.
  stdout.write('', () => done(code));
});
