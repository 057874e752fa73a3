import type { AuthCommand, AuthCommandOption } from 'kit-auth';
import { usageOf } from './arguments.js';
import { COMMON_OPTIONS } from './cli-command.js';

type AnyCommand = AuthCommand<never>;

/** The output of `kit-auth help`. @param modules first word of a command → the module that contributes it */
export function helpOf(commands: readonly AnyCommand[], modules: ReadonlyMap<string, string>): string {
  return [
    'Usage: kit-auth <command> [options]',
    '',
    'Commands:',
    ...listOf(commands),
    '',
    'Commands of packages, in applications that import their modules:',
    ...aligned([...modules].map(([word, module]) => [`${word} ...`, module])),
    '',
    'kit-auth help <command> describes a command.',
    '',
    'Exit codes: 0, it worked; 1, a check or the command failed; 2, wrong usage, or no application; 3, init did not',
    'understand a file.',
  ].join('\n');
}

/** The output of `kit-auth help user`: several commands with the same first word. */
export function helpOfGroup(commands: readonly AnyCommand[]): string {
  return ['Commands:', ...listOf(commands), '', 'kit-auth help <command> describes a command.'].join('\n');
}

/** The output of `kit-auth help <command>`. */
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

function listOf(commands: readonly AnyCommand[]): string[] {
  return aligned(commands.map(({ name, usage, summary }) => [`${name} ${usage}`.trim(), summary]));
}

function flagOf(name: string, { type, value = 'value' }: AuthCommandOption): string {
  return type === 'boolean' ? `--${name}` : `--${name}=<${value}>`;
}

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
