import { createRequire } from 'node:module';
import type { INestApplication } from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { describeError } from '../errors/describe-error.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import { firstWords, parseArguments, type ParsedArguments } from './arguments.js';
import type { CliCommand, CliProcess, LoadOptions } from './cli-command.js';
import { CliError } from './cli.error.js';
import { COMMANDS } from './commands.js';
import { didYouMean } from './did-you-mean.js';
import { findApplication, type FoundApplication } from './find-application.js';
import { helpOf, helpOfCommand } from './help.js';
import type { LoadedApplication } from './load-application.js';
import { CliOutput } from './output.js';

/** Runs one command. @returns the exit code. It never rejects. */
export async function runCli(process: CliProcess): Promise<number> {
  const output = new CliOutput(process.stdout, process.stderr);
  const { words, options } = firstWords(process.argv);
  try {
    if (options['version'] === true) {
      output.text(versionOf());
      return 0;
    }
    if (words.length === 0 || words[0] === 'help') {
      return await help(words.slice(1), output);
    }
    const command = await find(words);
    if (options['help'] === true) {
      output.text(helpOfCommand(command));
      return 0;
    }
    return await execute(command, process, output);
  } catch (error) {
    output.note(messageOf(error));
    if (options['verbose'] === true && error instanceof Error) {
      output.note(stackOf(error));
    }
    return error instanceof CliError ? error.exitCode : 1;
  }
}

async function execute(command: CliCommand, process: CliProcess, output: CliOutput): Promise<number> {
  const { cwd, env, stdin, stdout, stderr, argv } = process;
  const { args, options } = parseArguments(command, argv);
  const application = new Application(cwd, options);
  try {
    const code = await command.run({
      ...{ args, options, cwd, env, stdin, stdout, stderr, output },
      found: () => application.find(),
      app: (how) => application.load(how),
      fail: (message, exitCode = 1) => {
        throw new CliError(message, exitCode);
      },
    });
    return code ?? 0;
  } finally {
    await application.close();
  }
}

/** The application of a command, found and loaded when the command asks for it. */
class Application {
  private found: FoundApplication | undefined;
  private loading: Promise<LoadedApplication> | undefined;

  constructor(
    private readonly cwd: string,
    private readonly options: ParsedArguments['options'],
  ) {}

  find(): FoundApplication {
    const { module, setup } = this.options as { module?: string; setup?: string };
    this.found ??= findApplication(this.cwd, { ...(module && { module }), ...(setup && { setup }) });
    return this.found;
  }

  async load(how: LoadOptions = {}): Promise<INestApplication> {
    const found = this.find();
    this.loading ??= import('./load-application.js').then(({ LoadedApplication: it }) => it.load(found));
    const loaded = await this.loading;
    await loaded.start(how);
    return loaded.app;
  }

  async close(): Promise<void> {
    const loaded = await this.loading?.catch(() => undefined);
    await loaded?.close();
  }
}

/** @throws CliError when there is no such command */
async function find(words: readonly string[]): Promise<CliCommand> {
  const load = COMMANDS[words.slice(0, 2).join(' ')] ?? COMMANDS[words[0] ?? ''];
  if (load === undefined) {
    throw new CliError(`${unknown(words)} \`kit-auth help\` lists the commands.`);
  }
  return load();
}

function unknown([first = '', second]: readonly string[]): string {
  const names = Object.keys(COMMANDS);
  const isGroup = names.some((name) => name.startsWith(`${first} `));
  const asked = isGroup && second !== undefined ? `${first} ${second}` : first;
  return `There is no command "${asked}".${didYouMean(asked, names, '"')}`;
}

async function help(words: readonly string[], output: CliOutput): Promise<number> {
  if (words.length > 0) {
    output.text(helpOfCommand(await find(words)));
    return 0;
  }
  const commands: CliCommand[] = [];
  // One after another: Jest does not load modules at the same time that import the same module of Node.
  for (const load of Object.values(COMMANDS)) {
    commands.push(await load());
  }
  output.text(helpOf(commands));
  return 0;
}

function messageOf(error: unknown): string {
  return `kit-auth: ${isForPeople(error) ? error.message : describeError(outage(error) ?? error)}`;
}

/** Whether the message says what to do. */
function isForPeople(error: unknown): error is Error {
  return (
    error instanceof CliError ||
    error instanceof IllegalStateException ||
    (error instanceof AuthException && outage(error) === undefined)
  );
}

/** What made a dependency unavailable. The message of the exception is for clients, who must not learn that. */
function outage(error: unknown): unknown {
  return error instanceof AuthException && error.code === AuthErrorCode.AUTH_UNAVAILABLE
    ? error.cause
    : undefined;
}

/** With the stacks of the causes. */
function stackOf(error: Error): string {
  const { stack = String(error), cause } = error;
  return cause instanceof Error ? `${stack}\nCaused by: ${stackOf(cause)}` : stack;
}

/** Of the package that this file belongs to. */
function versionOf(): string {
  return (createRequire(import.meta.url)('kit-auth/package.json') as { version: string }).version;
}
