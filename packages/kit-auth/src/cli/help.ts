import type { AuthCommand, AuthCommandOption } from '../contract/auth-command.js';
import { usageOf } from './arguments.js';
import { COMMON_OPTIONS } from './cli-command.js';

type AnyCommand = AuthCommand<never>;

/** What `kit-auth help` prints. */
export function helpOf(commands: readonly AnyCommand[]): string {
  return [
    'Usage: kit-auth <command> [options]',
    '',
    'Commands:',
    ...aligned(commands.map(({ name, usage, summary }) => [`${name} ${usage}`.trim(), summary])),
    '',
    'kit-auth help <command> describes a command. Packages such as kit-auth-keys add commands to an application that',
    'imports them.',
    '',
    'Exit codes: 0, it worked; 1, a check or the command failed; 2, wrong usage, or no application.',
  ].join('\n');
}

/** What `kit-auth help <command>` prints. */
export function helpOfCommand(command: AnyCommand): string {
  const options = Object.entries({ ...command.options, ...COMMON_OPTIONS });
  return [
    `Usage: ${usageOf(command)}`,
    '',
    command.summary,
    ...(command.details === undefined ? [] : ['', command.details]),
    '',
    'Options:',
    ...aligned(options.map(([name, option]) => [flagOf(name, option), option.description])),
  ].join('\n');
}

function flagOf(name: string, { type, value = 'value' }: AuthCommandOption): string {
  return type === 'boolean' ? `--${name}` : `--${name}=<${value}>`;
}

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
