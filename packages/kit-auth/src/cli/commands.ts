import type { CliCommand } from './cli-command.js';

/** The commands of the core, in the order in which people need them. Each is loaded when it is run. */
export const COMMANDS: Readonly<Record<string, () => Promise<CliCommand>>> = {
  secret: async () => (await import('./commands/secret.command.js')).secretCommand,
  routes: async () => (await import('./commands/routes.command.js')).routesCommand,
  explain: async () => (await import('./commands/explain.command.js')).explainCommand,
  'user create': async () => (await import('./commands/user-create.command.js')).userCreateCommand,
  'user password': async () => (await import('./commands/user-password.command.js')).userPasswordCommand,
  'user list': async () => (await import('./commands/user-list.command.js')).userListCommand,
  'migration:generate': async () =>
    (await import('./commands/migration-generate.command.js')).migrationGenerateCommand,
  doctor: async () => (await import('./commands/doctor.command.js')).doctorCommand,
};

/** By their first words: the modules that contribute the commands of our other packages. */
export const MODULES: ReadonlyMap<string, string> = new Map([
  ['keys', "KitAuthKeysModule of 'kit-auth-keys'"],
]);
