import type { Readable, Writable } from 'node:stream';
import type { INestApplication } from '@nestjs/common';
import type { AuthCommand, AuthCommandContext, AuthCommandOption } from '../contract/auth-command.js';

/** A command of the core. It loads the application only if it needs one. */
export type CliCommand = AuthCommand<CliContext>;

/** The process as a command sees it. */
export interface CliProcess {
  /** Without the program and the script. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Writable & { isTTY?: boolean };
  readonly stderr: Writable & { isTTY?: boolean };
}

export interface CliContext extends AuthCommandContext, Omit<CliProcess, 'argv'> {
  /**
   * Loads the application, once. The command line closes it when the command has ended. Hooks of kit-auth have run, the
   * hooks of the application have not.
   *
   * @throws CliError when there is none, or it cannot be loaded
   */
  readonly app: (options?: LoadOptions) => Promise<INestApplication>;
}

export interface LoadOptions {
  /** Called for each hook of kit-auth that rejects. Without it, the first of them rejects. */
  readonly onProblem?: (error: unknown) => void;
  /**
   * Until where to start kit-auth. `init` connects nothing and looks at no table; enough to read the routes and options.
   * Default: `bootstrap`.
   */
  readonly until?: 'init' | 'bootstrap';
}

/** Options of all commands. */
export const COMMON_OPTIONS: Readonly<Record<string, AuthCommandOption>> = {
  module: {
    type: 'string',
    value: 'file#Export',
    description: 'the module of the application, such as dist/app.module.js#AppModule',
  },
  verbose: { type: 'boolean', description: 'print the stack of an error' },
  help: { type: 'boolean', description: 'print this help' },
};

export const JSON_OPTION: AuthCommandOption = { type: 'boolean', description: 'print JSON' };
