import { describeError } from 'kit-auth/extend';
import type { Application } from './application/application.js';
import type { CliCommand } from './cli-command.js';
import { CliError } from './cli.error.js';
import { COMMANDS, MODULES } from './commands.js';
import { didYouMean } from './did-you-mean.js';

/** The commands of the core, in the order of the help. */
export function allOfCore(): Promise<CliCommand[]> {
  return loaded(Object.keys(COMMANDS));
}

/**
 * Finds the command that words begin with: one of the core, or one that a module of the application contributes. The
 * application is loaded only for a first word that the core does not have.
 *
 * @returns several for the first word of a group, such as `user`
 * @throws CliError when there is no such command
 */
export async function findCommands(
  words: readonly string[],
  application: Application,
): Promise<CliCommand[]> {
  const ofCore = Object.keys(COMMANDS);
  const names = namedBy(words, ofCore);
  if (names.length > 0) {
    return loaded(names);
  }
  const [first = ''] = words;
  const isOfCore = ofCore.some((name) => name.startsWith(`${first} `));
  if (
    isOfCore ||
    didYouMean(first, withGroups(ofCore)) !== '' ||
    !(MODULES.has(first) || application.exists())
  ) {
    throw unknown(words, ofCore);
  }
  return contributed(words, application);
}

async function loaded(names: readonly string[]): Promise<CliCommand[]> {
  const commands: CliCommand[] = [];
  // One after another: Jest does not load modules at the same time that import the same module of Node.
  for (const name of names) {
    commands.push(await (COMMANDS[name] as () => Promise<CliCommand>)());
  }
  return commands;
}

async function contributed(words: readonly string[], application: Application): Promise<CliCommand[]> {
  const [first = ''] = words;
  const commands = await commandsOf(application).catch((cause: unknown) => {
    if (MODULES.has(first)) {
      throw cause;
    }
    const why = cause instanceof CliError ? cause.message : describeError(cause);
    throw new CliError(
      `kit-auth itself has no command "${first}", and the application cannot be asked. ${why}`,
      2,
      {
        cause,
      },
    );
  });
  const all = commands.map(({ name }) => name);
  const names = namedBy(words, all);
  if (names.length > 0) {
    return names.map((name) => commands.find((it) => it.name === name) as CliCommand);
  }
  const module = all.some((name) => name.startsWith(`${first} `)) ? undefined : MODULES.get(first);
  throw module === undefined
    ? unknown(words, [...Object.keys(COMMANDS), ...all])
    : new CliError(`The command "${first}" needs ${module}, which the application does not import.`);
}

async function commandsOf(application: Application): Promise<CliCommand[]> {
  const { contributedCommands } = await import('./contributed-commands.js');
  return contributedCommands(await application.load({ until: 'init' }));
}

/** The name that words begin with, or all names of a group. */
function namedBy(words: readonly string[], names: readonly string[]): string[] {
  const [first = ''] = words;
  const exact = [words.slice(0, 2).join(' '), first].find((it) => names.includes(it));
  if (exact !== undefined) {
    return [exact];
  }
  return words.length === 1 ? names.filter((name) => name.startsWith(`${first} `)) : [];
}

function unknown([first = '', second]: readonly string[], names: readonly string[]): CliError {
  const isGroup = names.some((name) => name.startsWith(`${first} `));
  const asked = isGroup && second !== undefined ? `${first} ${second}` : first;
  return new CliError(
    `There is no command "${asked}".${didYouMean(asked, withGroups(names), '"')} \`kit-auth help\` lists the commands.`,
  );
}

/** Also the first words of commands, such as `user`. */
function withGroups(names: readonly string[]): string[] {
  return [...names, ...new Set(names.flatMap((name) => name.split(' ').slice(0, -1)))];
}
