#!/usr/bin/env node
import { ownOutput } from './own-output.js';
import { runCli } from './run.js';

const { argv, env, stdin, stderr } = process;
const isVerbose = argv.includes('--verbose');
const { stdout, done } = ownOutput(process, isVerbose);

void runCli({ argv: argv.slice(2), cwd: process.cwd(), env, stdin, stdout, stderr }).then((code) => {
  // Connections and timers of the application would keep the process alive.
  stdout.once('finish', () => done(code)).end();
});
