import { parseArguments } from './arguments.js';
import type { CliProcess } from './cli-command.js';
import { CliError } from './cli.error.js';
import { initCommand } from './commands/init.command.js';
import { helpOfCommand } from './help.js';
import { CliOutput } from './output.js';

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
