import type { ListedUser, StoredUser } from 'kit-auth';
import { type ActiveUserStore, isDisplayName } from 'kit-auth/feature';
import { CliError } from './cli.error.js';
import { didYouMean } from './reason.js';

const PAGE = 500;
const MAX_NAME_LENGTH = 255;
/** Hint for an unknown role. */
export const ROLES_HINT = 'Roles are named by their codes, case included. `kit-auth role list` lists them.';

/** Limit of the users that are read for a suggestion. */
const MAX_SUGGESTED = 5000;

/** The account of a name. @throws CliError when there is none, with a suggestion if the store can list users */
export async function userNamed(users: ActiveUserStore, username: string): Promise<StoredUser> {
  const user = await users.findByUsername(username);
  if (user === undefined) {
    throw new CliError(`There is no user "${username}".${await suggestion(users, username)}`, 1);
  }
  return user;
}

/** The argument that names a user. @throws CliError when it is absent */
export function usernameOf([username]: readonly string[], command: string): string {
  if (username === undefined) {
    throw new CliError(`Name a user: kit-auth ${command} <username>`);
  }
  return username;
}

/** A name that people see. @throws CliError that says what is allowed */
export function nameOf(text: string, what: string): string {
  if (!isDisplayName(text, MAX_NAME_LENGTH)) {
    throw new CliError(
      `The ${what} must have 1 to ${MAX_NAME_LENGTH} characters, without control characters, and without spaces at its ` +
        'beginning and end.',
    );
  }
  return text;
}

/** All accounts, in pages. @throws CliError when the pages of a store have no end */
export async function* allUsers(users: ActiveUserStore): AsyncGenerator<readonly ListedUser[]> {
  let last: ListedUser | undefined;
  do {
    const page = await users.listUsers({ ...(last && { after: last.id }), limit: PAGE });
    if (page.length === 0) {
      return;
    }
    if (page.at(-1)?.id === last?.id) {
      const store = users.get().constructor.name;
      throw new CliError(`${store}.listUsers() returns the same page again: it ignores page.after.`, 1);
    }
    last = page.at(-1);
    yield page;
  } while (last !== undefined);
}

async function suggestion(users: ActiveUserStore, username: string): Promise<string> {
  const names: string[] = [];
  for await (const page of allUsers(users)) {
    names.push(...page.map((user) => user.username));
    if (names.length >= MAX_SUGGESTED) {
      break;
    }
  }
  return didYouMean(username, names, '"') || ' `kit-auth user list` lists the users.';
}
