import type { DynamicModule } from '@nestjs/common';
import {
  builtApp,
  type CliResult,
  kitAuth,
  TestApp,
  type TestAppOptions,
  type TestDatabase,
} from 'test-support';

/** @param password passed on standard input */
export type Cli = (command: string, args?: readonly string[], password?: string) => Promise<CliResult>;

/** A running application whose database commands share. It begins empty. */
export class AppOfSharedDatabase extends TestApp {
  constructor(private readonly shared: TestAppOptions & { readonly database: TestDatabase }) {
    super(shared);
  }

  override async start(): Promise<this> {
    await this.shared.database.recreate();
    return super.start();
  }
}

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
