import type { CliCommand } from './cli-command.js';

/** The commands of the core, in the order in which people need them. Each is loaded when it is run. */
export const COMMANDS: Readonly<Record<string, () => Promise<CliCommand>>> = {
  secret: async () => (await import('./commands/secret.command.js')).secretCommand,
  routes: async () => (await import('./commands/routes.command.js')).routesCommand,
  explain: async () => (await import('./commands/explain.command.js')).explainCommand,
  'user create': async () => (await import('./commands/user-create.command.js')).userCreateCommand,
  'user password': async () => (await import('./commands/user-password.command.js')).userPasswordCommand,
  'user list': async () => (await import('./commands/user-list.command.js')).userListCommand,
  'user disable': async () => (await import('./commands/user-disable.command.js')).userDisableCommand,
  'user unlock': async () => (await import('./commands/user-unlock.command.js')).userUnlockCommand,
  'sessions list': async () => (await import('./commands/sessions-list.command.js')).sessionsListCommand,
  'sessions end': async () => (await import('./commands/sessions-end.command.js')).sessionsEndCommand,
  'migration:generate': async () =>
    (await import('./commands/migration-generate.command.js')).migrationGenerateCommand,
  doctor: async () => (await import('./commands/doctor.command.js')).doctorCommand,
};

/** By their first words: the modules that contribute the commands of our other packages. */
export const MODULES: ReadonlyMap<string, string> = new Map([
  ['keys', "KitAuthKeysModule of 'kit-auth-keys'"],
]);
