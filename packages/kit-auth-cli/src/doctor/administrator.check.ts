import type { INestApplication } from '@nestjs/common';
import { AuthException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import {
  ADMIN_PASSWORD_KEY,
  BUILT_IN_ADMIN_PASSWORD,
  PasswordHashing,
  PasswordPolicy,
  PublicDefaults,
  SUPER_ADMIN,
  variableOf,
} from 'kit-auth/cli';
import { ActiveUserStore } from 'kit-auth/feature';
import type { DataSourceInspection } from '../database/data-source.inspection.js';
import { type Finding, type Passed, problem, warning } from './diagnosis.js';

/** Administrators are among the oldest users. */
const MOST_USERS = 100;
/** Each one needs a slow comparison with a hash. */
const MOST_ADMINISTRATORS = 10;

type UsersState = Awaited<ReturnType<DataSourceInspection['users']>>;

/** The option with the password of the first administrator, if it is published or easy to guess. */
interface BadSeed {
  readonly problem: string;
  readonly cure: string;
  /** Undefined for the built-in password. */
  readonly guessable?: string;
}

/**
 * Looks for administrators with the built-in default password, or with a `kit.auth.defaultAdminPassword` that is easy to
 * guess: the user named `kit.auth.defaultAdminUsername`, and those with the role `SUPER_ADMIN` among the first users.
 * Creates no user.
 *
 * @param state `none`: no user exists yet
 */
export async function checkAdministrator(
  app: INestApplication,
  isProduction: boolean,
  state: UsersState = 'elsewhere',
): Promise<Finding[] | Passed> {
  const users = app.get(ActiveUserStore);
  const { defaultAdminUsername, strict = isProduction } = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS);
  const seed = await badSeedOf(app);
  const names =
    state === 'readable' || state === 'elsewhere' ? await administrators(users, defaultAdminUsername) : [];
  const found: Finding[] = [];
  for (const name of names) {
    const known = await knownPasswordOf(app, name, seed);
    if (known !== undefined) {
      found.push(
        problem(
          `The administrator ${name} has ${known}.`,
          `npx kit-auth user password ${/^[\w.@-]+$/.test(name) ? name : JSON.stringify(name)}`,
        ),
      );
    }
  }
  if (seed === undefined || found.length > 0) {
    return found;
  }
  if (strict && seed.guessable === undefined) {
    return [problem(`${seed.problem} kit.auth.strict refuses to start with it.`, seed.cure)];
  }
  if (state !== 'unreadable' && names.length === 0) {
    const who = `the administrator ${defaultAdminUsername}`;
    return [problem(`${seed.problem} The next start creates ${who} with it.`, seed.cure)];
  }
  return [warning(`${seed.problem} In a new database, the administrator is created with it.`, seed.cure)];
}

async function badSeedOf(app: INestApplication): Promise<BadSeed | undefined> {
  const builtIn = app
    .get(PublicDefaults)
    .options()
    .find(({ key }) => key === ADMIN_PASSWORD_KEY);
  if (builtIn !== undefined || !app.get(ActiveUserStore).has('ensureAdministrator')) {
    return builtIn;
  }
  try {
    await app.get(PasswordPolicy).checkSeeded();
    return undefined;
  } catch (error) {
    if (!(error instanceof AuthException)) {
      throw error;
    }
    const { defaultAdminPassword } = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS);
    return {
      problem: `${ADMIN_PASSWORD_KEY} is not allowed for users: ${lowerFirst(error.message)}.`,
      cure: `Set it, or ${variableOf(ADMIN_PASSWORD_KEY)}, to a password of your own that is hard to guess.`,
      guessable: defaultAdminPassword,
    };
  }
}

/** The names of the administrators that exist. */
async function administrators(users: ActiveUserStore, username: string): Promise<string[]> {
  const named = await users.findByUsername(username);
  const listed = await users.listUsers({ limit: MOST_USERS });
  const others = listed.filter(({ roles }) => roles.includes(SUPER_ADMIN)).slice(0, MOST_ADMINISTRATORS);
  return [...new Set([...(named ? [username] : []), ...others.map((user) => user.username)])];
}

/** The known password that a user has, or undefined. */
async function knownPasswordOf(
  app: INestApplication,
  username: string,
  seed: BadSeed | undefined,
): Promise<string | undefined> {
  const user = await app.get(ActiveUserStore).findByUsername(username);
  const storedHash = user?.enabled === true ? user.passwordHash : undefined;
  if (typeof storedHash !== 'string') {
    return undefined;
  }
  const hashing = app.get(PasswordHashing);
  if (await hashing.verify(BUILT_IN_ADMIN_PASSWORD, storedHash)) {
    return 'the built-in default password';
  }
  return seed?.guessable !== undefined && (await hashing.verify(seed.guessable, storedHash))
    ? `the password ${ADMIN_PASSWORD_KEY}, which is easy to guess`
    : undefined;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
