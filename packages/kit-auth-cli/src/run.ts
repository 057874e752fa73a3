import { createRequire } from 'node:module';
import { Application } from './application/application.js';
import { firstWords, parseArguments, usageOf } from './arguments.js';
import type { CliCommand, CliProcess } from './cli-command.js';
import { CliError } from './cli.error.js';
import { allOfCore, findCommands, MODULES } from './find-command.js';
import { helpOf, helpOfCommand, helpOfGroup } from './help.js';
import { CliOutput } from './output.js';
import { didYouMean, outageOf, reasonOf } from './reason.js';
import { userNamed } from './users.js';

/** Runs one command. @returns the exit code. It never rejects. */
export async function runCli(process: CliProcess): Promise<number> {
  const output = new CliOutput(process.stdout, process.stderr);
  let application: Application | undefined;
  try {
    const { words, options } = firstWords(process.argv, didYouMean);
    application = new Application(process.cwd, options);
    return await run({ words, options, process, application, output });
  } catch (error) {
    output.note(messageOf(error));
    if (process.argv.includes('--verbose') && error instanceof Error) {
      output.note(stackOf(error));
    }
    return error instanceof CliError ? error.exitCode : 1;
  } finally {
    await application?.close();
  }
}

interface Run extends ReturnType<typeof firstWords> {
  readonly process: CliProcess;
  readonly application: Application;
  readonly output: CliOutput;
}

async function run({ words, options, process, application, output }: Run): Promise<number> {
  if (options.version === true) {
    output.text(versionOf());
    return 0;
  }
  const asked = words[0] === 'help' ? words.slice(1) : words;
  if (asked.length === 0) {
    output.text(helpOf(await allOfCore(), MODULES));
    return 0;
  }
  const commands = await findCommands(asked, application);
  const [command, ...others] = commands as [CliCommand, ...CliCommand[]];
  if (options.help === true || words[0] === 'help') {
    output.text(others.length === 0 ? helpOfCommand(command) : helpOfGroup(commands));
    return 0;
  }
  if (others.length > 0) {
    const list = commands.map((one) => `\n  ${usageOf(one)}`).join('');
    throw new CliError(`Which of these commands?${list}`);
  }
  return execute(command, process, application, output);
}

async function execute(
  command: CliCommand,
  process: CliProcess,
  application: Application,
  output: CliOutput,
): Promise<number> {
  const { cwd, env, stdin, stdout, stderr, argv } = process;
  const { args, options } = parseArguments(command, argv, didYouMean);
  const code = await command.run({
    args,
    options,
    cwd,
    env,
    stdin,
    stdout,
    stderr,
    output,
    found: () => application.find(),
    app: (how) => application.load(how),
    hooksLeft: () => application.hooksLeft(),
    user: async (username) => {
      const { ActiveUserStore } = await import('kit-auth/feature');
      const users = (await application.load()).get(ActiveUserStore);
      users.require(`kit-auth ${command.name}`, 'findByUsername');
      return userNamed(users, username);
    },
    fail: (message, exitCode = 1) => {
      throw new CliError(message, exitCode);
    },
  });
  return code ?? 0;
}

function messageOf(error: unknown): string {
  const hint =
    outageOf(error) === undefined
      ? ''
      : '\n`kit-auth doctor` checks the database, its tables and the keys of issuers.';
  return `kit-auth: ${reasonOf(error)}${hint}`;
}

/** The stacks of an error and of its causes. */
function stackOf(error: Error): string {
  const { stack = String(error), cause } = error;
  return cause instanceof Error ? `${stack}\nCaused by: ${stackOf(cause)}` : stack;
}

function versionOf(): string {
  return (createRequire(import.meta.url)('kit-auth-cli/package.json') as { version: string }).version;
}
