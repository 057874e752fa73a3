import type { CliCommand } from './cli-command.js';

/** The commands of the core, in the order in which people need them. Each is loaded when it is run. */
export const COMMANDS: Readonly<Record<string, () => Promise<CliCommand>>> = {
  secret: async () => (await import('./commands/secret.command.js')).secretCommand,
  routes: async () => (await import('./commands/routes.command.js')).routesCommand,
  explain: async () => (await import('./commands/explain.command.js')).explainCommand,
  'user create': async () => (await import('./commands/user-create.command.js')).userCreateCommand,
  'user password': async () => (await import('./commands/user-password.command.js')).userPasswordCommand,
  'user list': async () => (await import('./commands/user-list.command.js')).userListCommand,
  doctor: async () => (await import('./commands/doctor.command.js')).doctorCommand,
};

/** Commands that other packages contribute: what their first word needs. */
export const CONTRIBUTED: Readonly<Record<string, string>> = {
  keys: "KitAuthKeysModule of 'kit-auth-keys'",
};
