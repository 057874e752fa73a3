import type { AuthCommand } from 'kit-auth';
import { parseArguments } from '../arguments.js';
import type { CliProcess, InitContext } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { helpOfCommand } from '../help.js';
import { CliOutput, safeSource } from '../output.js';
import { ask } from '../prompt.js';

export const initCommand: AuthCommand<InitContext> = {
  name: 'init',
  usage: '',
  summary: 'Adds kit-auth to an existing Nest application.',
  details:
    'Asks for what the options do not say. Shows the commands and the changes of the file of the root module, and asks\n' +
    'before it runs and writes them. --module names that file: --module=src/app.module.ts#AppModule. A file that it does\n' +
    'not understand stays as it is. It then prints what to add, and the exit code is 3.',
  options: {
    sessions: { type: 'boolean', description: 'tokens of sessions, with kit-auth-session (the default)' },
    jwt: { type: 'boolean', description: 'JWTs, with kit-auth-jwt' },
    database: {
      type: 'string',
      value: 'sqlite|postgres|mysql|mariadb|existing',
      description: 'where users are stored; by default the data source of the application',
    },
    cookies: { type: 'boolean', description: 'cookies for browsers, with kit-auth-browser' },
    with: {
      type: 'string',
      value: 'packages',
      description: 'admin, browser, keys, otel, refresh; separated by commas',
    },
    protect: {
      type: 'string',
      value: 'all|decorated',
      description: 'which routes need a token: all (the default), or those with a decorator',
    },
    project: { type: 'string', value: 'name', description: 'the application of a monorepo' },
    yes: { type: 'boolean', description: 'ask nothing' },
    'dry-run': { type: 'boolean', description: 'show the commands and changes, and write nothing' },
    'no-install': { type: 'boolean', description: 'write the file, and leave the packages to you' },
  },
  async run(context) {
    // It loads a parser of TypeScript.
    const { plan } = await import('../init/plan.js');
    const planned = await plan(context);
    context.stdout.write(safeSource(planned.text));
    if (planned.code === 3) {
      context.output.note(`kit-auth: ${planned.next}`);
    }
    if (planned.isDone || context.options['dry-run'] === true) {
      return planned.code;
    }
    await confirm(context);
    planned.carryOut();
    context.stdout.write(safeSource(planned.next));
    return 0;
  },
};

/** `kit-auth init` where kit-auth is not installed. @returns the exit code. It never rejects. */
export async function runInit(process: CliProcess): Promise<number> {
  const output = new CliOutput(process.stdout, process.stderr);
  try {
    const { args, options } = parseArguments(initCommand, process.argv, () => '');
    if (options['help'] === true) {
      output.text(helpOfCommand(initCommand));
      return 0;
    }
    return (await initCommand.run({ ...process, args, options, output })) ?? 0;
  } catch (error) {
    output.note(`kit-auth: ${error instanceof Error ? error.message : String(error)}`);
    if (process.argv.includes('--verbose') && error instanceof Error) {
      output.note(error.stack ?? '');
    }
    return error instanceof CliError ? error.exitCode : 1;
  }
}

async function confirm({ options, stdin, stderr }: InitContext): Promise<void> {
  if (options['yes'] === true) {
    return;
  }
  const [answer = ''] = await ask(['Do this? [Y/n] '], { stdin, stderr, isHidden: false });
  if (!/^\s*(?:y(?:es)?\s*)?$/i.test(answer)) {
    throw new CliError('Cancelled. Nothing was changed.', 1);
  }
}
