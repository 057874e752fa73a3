import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AUTH_COMMAND, type AuthCommand } from 'kit-auth';
import { contributionsTo, usable } from 'kit-auth/cli';
import { describeError } from 'kit-auth/tools';
import type { Application } from './application/application.js';
import type { CliCommand } from './cli-command.js';
import { CliError } from './cli.error.js';
import { didYouMean } from './reason.js';

/** The built-in commands, in the order of the help. Each is loaded when it runs. */
const COMMANDS: Readonly<Record<string, () => Promise<CliCommand>>> = {
  init: async () => (await import('./commands/init.command.js')).initCommand,
  secret: async () => (await import('./commands/secrets.commands.js')).secretCommand,
  'jwt-key': async () => (await import('./commands/secrets.commands.js')).jwtKeyCommand,
  routes: async () => (await import('./commands/routes.command.js')).routesCommand,
  explain: async () => (await import('./commands/explain.command.js')).explainCommand,
  'user create': async () => (await import('./commands/user-create.command.js')).userCreateCommand,
  'user password': async () => (await import('./commands/user-password.command.js')).userPasswordCommand,
  'user list': async () => (await import('./commands/user-list.command.js')).userListCommand,
  'user disable': async () => (await import('./commands/user-disable.command.js')).userDisableCommand,
  'user unlock': async () => (await import('./commands/user-unlock.command.js')).userUnlockCommand,
  'user roles': async () => (await import('./commands/roles.commands.js')).userRolesCommand,
  'role create': async () => (await import('./commands/roles.commands.js')).roleCreateCommand,
  'role list': async () => (await import('./commands/roles.commands.js')).roleListCommand,
  'role grant': async () => (await import('./commands/roles.commands.js')).roleGrantCommand,
  'role revoke': async () => (await import('./commands/roles.commands.js')).roleRevokeCommand,
  'sessions list': async () => (await import('./commands/sessions.commands.js')).sessionsListCommand,
  'sessions end': async () => (await import('./commands/sessions.commands.js')).sessionsEndCommand,
  'migration:generate': async () =>
    (await import('./commands/migration-generate.command.js')).migrationGenerateCommand,
  'migration:run': async () => (await import('./commands/migration-run.command.js')).migrationRunCommand,
  doctor: async () => (await import('./commands/doctor.command.js')).doctorCommand,
};

/** First word of a command → the package that provides it. */
export const MODULES: ReadonlyMap<string, string> = new Map([
  ['keys', "KitAuthKeysModule of 'kit-auth-keys'"],
  ['identities', "KitAuthOidcModule of 'kit-auth-oidc'"],
  ['passkeys', "KitAuthPasskeysModule of 'kit-auth-passkeys'"],
]);

/** The built-in commands. */
export function allOfCore(): Promise<CliCommand[]> {
  return loaded(Object.keys(COMMANDS));
}

/**
 * Finds the command that words begin with: a built-in one, or one that a module of the application contributes. The
 * application is loaded only if no built-in command begins with the first word.
 *
 * @returns several for the first word of a group, for example `user`
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
  // One after another: Jest cannot load modules concurrently that import the same module of Node.
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
    return names.map((name) => commands.find((command) => command.name === name) as CliCommand);
  }
  const module = all.some((name) => name.startsWith(`${first} `)) ? undefined : MODULES.get(first);
  throw module === undefined
    ? unknown(words, [...Object.keys(COMMANDS), ...all])
    : new CliError(`The command "${first}" needs ${module}, which the application does not import.`);
}

async function commandsOf(application: Application): Promise<CliCommand[]> {
  try {
    return contributedCommands(await application.load({ until: 'init' }));
  } catch (error) {
    if ((await application.hooksLeft()).length === 0) {
      throw error;
    }
    return contributedCommands(await application.load());
  }
}

/** The commands that modules of an application contribute. @throws IllegalStateException for an invalid one */
function contributedCommands(app: INestApplication): AuthCommand[] {
  return contributionsTo(app.get(DiscoveryService), AUTH_COMMAND).map((contribution) =>
    usable<AuthCommand>(contribution, 'AuthCommand', ['run']),
  );
}

/** The name that words begin with, or all names of a group. */
function namedBy(words: readonly string[], names: readonly string[]): string[] {
  const [first = ''] = words;
  const exact = [words.slice(0, 2).join(' '), first].find((name) => names.includes(name));
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

/** Adds the first words of commands, for example `user`. */
function withGroups(names: readonly string[]): string[] {
  return [...names, ...new Set(names.flatMap((name) => name.split(' ').slice(0, -1)))];
}
