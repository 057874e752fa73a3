import { AuthEvents, type UserId } from 'kit-auth';
import { ActiveLogins, ActiveProvider, ActiveUserStore } from 'kit-auth/extend';
import { Installation } from './application/installation.js';
import type { CliContext } from './cli-command.js';
import { CliError } from './cli.error.js';
import type { DefaultRoles } from './database/default-roles.js';
import { didYouMean } from './reason.js';

/** For a role that does not exist. */
export const ROLES_HINT = 'Roles are named by their codes, case included. `kit-auth role list` lists them.';

/** The roles of the application. @throws CliError if it keeps its users elsewhere than in the default user store */
export async function rolesOf({ app, found }: CliContext, command: string): Promise<DefaultRoles> {
  const loaded = await app();
  const store = loaded.get(ActiveUserStore).get();
  const roles =
    new Installation(found().root).find('typeorm') === undefined
      ? undefined
      : (await import('./database/default-roles.js')).DefaultRoles.of(loaded, store);
  if (roles === undefined) {
    throw new CliError(
      `kit-auth ${command} manages the default user store, with the tables auth_user and auth_role. This application ` +
        `has its own, ${store.constructor.name}: change roles where it keeps them.`,
      1,
    );
  }
  return roles;
}

interface RolesChange {
  readonly command: string;
  /** Computes the roles of the user. `codes` are the arguments. */
  readonly next: (current: readonly string[], codes: readonly string[]) => readonly string[];
}

interface ChangedRoles {
  readonly id: UserId;
  readonly username: string;
  /** The arguments, each once. */
  readonly codes: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Changes the roles of the user whom the arguments name, and publishes the event. @throws CliError */
export async function changeRoles(
  context: CliContext,
  { command, next }: RolesChange,
): Promise<ChangedRoles> {
  const [username, ...named] = context.args;
  if (username === undefined || named.length === 0) {
    throw new CliError(`Name a user and a role: kit-auth ${command} <username> <role...>`);
  }
  const codes = [...new Set(named)];
  const roles = await rolesOf(context, command);
  const { id } = await context.user(username);
  requireKnown(codes, await roles.list());
  const app = await context.app();
  const action = app.get(AuthEvents).begin();
  const { before, after } = await roles.changeUser(action, { id, username }, (current) =>
    next(current, codes),
  );
  app.get(ActiveProvider).userChanged(id);
  if (after.length !== before.length && !app.get(ActiveLogins).areKnown()) {
    context.output.note(
      'Note: tokens that were issued before contain the former roles until they expire, unless kit.auth.jwt.checkStamp ' +
        'is on.',
    );
  }
  return { id, username, codes, before, after };
}

/** Such as `the role editor` or `the roles editor, reader`. */
export function rolesText(codes: readonly string[]): string {
  return codes.length === 1 ? `the role ${codes[0]}` : `the roles ${codes.join(', ')}`;
}

/** @throws CliError that names the first role that does not exist */
function requireKnown(codes: readonly string[], roles: readonly { readonly code: string }[]): void {
  const known = roles.map(({ code }) => code);
  const unknown = codes.find((code) => !known.includes(code));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known, '"') || ` ${ROLES_HINT}`;
    throw new CliError(`There is no role "${unknown}".${hint}`, 1);
  }
}
