import type { Readable, Writable } from 'node:stream';
import type { INestApplication } from '@nestjs/common';
import type { AuthCommand, AuthCommandContext, AuthCommandOption } from 'kit-auth';
import type { FoundApplication } from './application/find-application.js';

/** A built-in command. It loads the application only if it needs one. */
export type CliCommand = AuthCommand<CliContext>;

/** The process as a command sees it. */
export interface CliProcess {
  /** The arguments after the program and the script. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
}

export interface CliContext extends AuthCommandContext, Omit<CliProcess, 'argv'> {
  /** Finds the application without loading it. @throws CliError that says what was looked for */
  readonly found: () => FoundApplication;
  /**
   * Loads the application, once. The command line closes it when the command has ended. Hooks of kit-auth run, except
   * those that seed the administrator. From the application, `onModuleInit()` of what kit-auth injects runs, and nothing else.
   *
   * @throws CliError when there is none, or it cannot be loaded
   */
  readonly app: (options?: LoadOptions) => Promise<INestApplication>;
  /** Hooks that kit-auth needs and that have not run, for example `Database.onModuleInit()`. */
  readonly hooksLeft: () => Promise<string[]>;
}

/** The context of `init`. The application may not have kit-auth yet. */
export type InitContext = Pick<
  CliContext,
  'args' | 'options' | 'cwd' | 'env' | 'stdin' | 'stdout' | 'stderr' | 'output'
>;

export interface LoadOptions {
  /** Called for each hook that rejects. Without it, the first of them rejects. */
  readonly onProblem?: (error: unknown) => void;
  /**
   * The last hook to run. `init` runs `onModuleInit()` of kit-auth, which needs no table: enough to read routes and
   * options. It runs nothing of the application that may change a database, for example the pool of its user store. A later
   * call can continue. Default: `bootstrap`.
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
  setup: {
    type: 'string',
    value: 'file#function',
    description: 'a function that gets the app, as main.ts does',
  },
  verbose: { type: 'boolean', description: 'print the stack of an error, and the output of the application' },
  help: { type: 'boolean', description: 'print this help' },
};

export const JSON_OPTION: AuthCommandOption = { type: 'boolean', description: 'print JSON' };
