import type { DynamicModule } from '@nestjs/common';
import { builtApp, type CliResult, kitAuth } from 'test-support';

/** @param password passed on standard input */
export type Cli = (command: string, args?: readonly string[], password?: string) => Promise<CliResult>;

let modules = 0;

/** `kit-auth` in the folder of an application with this root module. */
export function cliOf(module: DynamicModule): Cli {
  const name = `moduleOfCli${++modules}`;
  Object.assign(globalThis, { [name]: module });
  const cwd = builtApp({ 'dist/app.module.js': `export const AppModule = globalThis.${name};` });
  return (command, args = [], password) => {
    const flags = password === undefined ? [] : ['--password-stdin'];
    return kitAuth([...command.split(' '), ...flags, ...args], { cwd, input: password ?? '' });
  };
}
