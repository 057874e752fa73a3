import type { INestApplication } from '@nestjs/common';
import { BUILT_IN_ADMIN_PASSWORD } from '../../config/kit-auth.options.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../../contract/settings.js';
import { PublicDefaults } from '../../seeding/public.defaults.js';
import { ActiveUserStore } from '../../users/active.user-store.js';
import type { DataSourceInspection } from '../../users/typeorm/data-source.inspection.js';
import { PasswordHashing } from '../../users/password.hashing.js';
import { type Finding, type Passed, problem, warning } from './finding.js';
import { PASSWORD_KEY } from './secret.check.js';

/** Administrators are among the oldest users. */
const MOST_USERS = 100;
/** Each takes a comparison of a hash. */
const MOST_ADMINISTRATORS = 10;
const SUPER_ADMIN = 'SUPER_ADMIN';

type UsersState = Awaited<ReturnType<DataSourceInspection['users']>>;

/**
 * Looks for administrators with the built-in default password: the user named `kit.auth.defaultAdminUsername`, and those
 * with the role `SUPER_ADMIN` among the first users. Creates nobody.
 *
 * @param state whether users can be read. `none`: there are none yet
 */
export async function checkAdministrator(
  app: INestApplication,
  state: UsersState = 'elsewhere',
): Promise<Finding[] | Passed> {
  const users = app.get(ActiveUserStore);
  const { defaultAdminUsername, strict } = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS);
  const option = app
    .get(PublicDefaults)
    .options()
    .find(({ key }) => key === PASSWORD_KEY);
  const names =
    state === 'readable' || state === 'elsewhere' ? await administrators(users, defaultAdminUsername) : [];
  const found: Finding[] = [];
  for (const name of names) {
    if (await hasDefaultPassword(app, users, name)) {
      found.push(
        problem(
          `The administrator ${name} has the built-in default password.`,
          `npx kit-auth user password ${/^[\w.@-]+$/.test(name) ? name : JSON.stringify(name)}`,
        ),
      );
    }
  }
  if (option === undefined || found.length > 0) {
    return found;
  }
  if (strict === true) {
    return [problem(`${option.problem} kit.auth.strict refuses to start with it.`, option.cure)];
  }
  if (state !== 'unreadable' && names.length === 0) {
    const who = `the administrator ${defaultAdminUsername}`;
    return [problem(`${option.problem} The next start creates ${who} with it.`, option.cure)];
  }
  const created = 'In a new database, the administrator is created with it.';
  return [warning(`${option.problem} ${created} kit-auth 0.2 refuses it in production.`, option.cure)];
}

/** The names of the administrators that exist. */
async function administrators(users: ActiveUserStore, username: string): Promise<string[]> {
  const named = await users.findByUsername(username);
  const listed = await users.listUsers({ limit: MOST_USERS });
  const others = listed.filter(({ roles }) => roles.includes(SUPER_ADMIN)).slice(0, MOST_ADMINISTRATORS);
  return [...new Set([...(named ? [username] : []), ...others.map((it) => it.username)])];
}

async function hasDefaultPassword(
  app: INestApplication,
  users: ActiveUserStore,
  username: string,
): Promise<boolean> {
  const user = await users.findByUsername(username);
  return (
    user?.enabled === true &&
    typeof user.passwordHash === 'string' &&
    (await app.get(PasswordHashing).verify(BUILT_IN_ADMIN_PASSWORD, user.passwordHash))
  );
}
