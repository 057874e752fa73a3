import { IS_SWEEP, type Platform, SERVERS } from 'test-support';
import { describeChanges } from './account/changes.suite.js';
import { describeLoginWays, describeOwnLoginWays } from './account/login-ways.suite.js';
import { describeRoleCommands } from './cli/roles.suite.js';
import { describeUserCommands } from './cli/users.suite.js';
import { describeNaming } from './database/naming.suite.js';
import { describeSeeding } from './database/seeding.suite.js';
import { describeAddresses } from './email/address.suite.js';
import { describeSignUp } from './email/login-links-sign-up.suite.js';
import { describeLoginLinks } from './email/login-links.suite.js';
import { describeReset } from './email/reset.suite.js';
import { describeEnrolment } from './factors/enrolment.suite.js';
import { describeFactorLogin } from './factors/factors.suite.js';
import { describeLinkedUsers } from './issuers/linked.suite.js';
import { describeKeys } from './keys/keys.suite.js';
import { describeKeysReset } from './keys/reset.suite.js';
import { describeBegunLogouts } from './oidc/logout-begun.suite.js';
import { describeOidc } from './oidc/oidc.suite.js';
import { describeOneTime } from './one-time/one-time.suite.js';
import { describePasskeyAccounts } from './passkeys/account.suite.js';
import { describePasskeys } from './passkeys/passkeys.suite.js';
import { describePasskeysAsFactors } from './passkeys/second-factor.suite.js';
import { describeRefreshFaults } from './refresh/faults.suite.js';
import { describeRefreshModel } from './refresh/model.suite.js';
import { describeRefresh } from './refresh/refresh.suite.js';
import { describeRegistration } from './registration/registration.suite.js';
import { describeRevocation } from './session/revocation.suite.js';
import { describeSessions } from './session/session.suite.js';
import { describeDatabaseStore } from './session/stores.suite.js';
import { describePackagesWithOwnUsers } from './users/packages.suite.js';
import { describeTextIds, SECRET } from './users/text-ids.suite.js';
import { describeDefaultUserStore } from './users/user-store.suite.js';

interface Server {
  database: (typeof SERVERS)[number];
  platform: Platform;
}

/** What differs between servers: tables, ids, charsets, transactions and races. */
const ON_BOTH: ((server: Server) => void)[] = [
  ({ database }) => describeNaming(database, database === 'postgres' ? 'own' : undefined),
  ({ database }) => describeSeeding(database),
  ({ database }) => describeDefaultUserStore(database),
  ({ database }) => describeDatabaseStore(database),
  ({ database }) => describeTextIds('sessions', { maxPerUser: 3 }, { database }),
  ({ database }) =>
    describeTextIds('stateless sessions', { mode: 'stateless', secret: SECRET }, { database }),
  ({ database }) => describeChanges(database),
  ({ database }) => describeOneTime(database),
  ({ database }) => describeRefreshModel(database),
  ({ database }) => describeRefreshFaults(database),
  ({ database }) => describeRefresh(database, 50),
  ({ database }) => describeReset(database, 'session'),
  (server) => describeKeysReset({ ...server, tokens: 'stateful sessions' }, { rounds: 10 }),
  (server) => describeLoginWays({ ...server, tokens: 'jwt' }),
  (server) => describeFactorLogin({ ...server, tokens: 'stateless sessions' }),
  (server) => describeRegistration({ ...server, provider: 'session' }),
  ({ database }) => describeSessions({ name: database, database }),
];

/** What is the same on all servers runs on one. At night, it runs on both. */
const ON_ONE: ((server: Server) => void)[] = [
  ({ database }) => describeAddresses(database, 'jwt'),
  ({ database }) => describeRevocation({ name: database, database }),
  (server) => describeOwnLoginWays(server),
  (server) => describeUserCommands({ ...server, provider: 'session' }),
  (server) => describeRoleCommands({ ...server, provider: 'session' }),
  (server) => describeLoginLinks({ ...server, provider: 'session' }),
  (server) => describeSignUp({ ...server, provider: 'session' }),
  (server) => describeEnrolment({ ...server, tokens: 'jwt' }),
  (server) => describePackagesWithOwnUsers(server),
  (server) => describeLinkedUsers({ ...server, tokens: 'jwt' }),
  (server) => describeKeys({ ...server, tokens: 'jwt with refresh tokens' }),
  (server) => describeBegunLogouts({ ...server, tokens: 'jwt with refresh tokens' }),
  (server) => describeOidc({ ...server, tokens: 'jwt' }),
  (server) => describePasskeys({ ...server, tokens: 'jwt' }),
  (server) => describePasskeyAccounts({ ...server, tokens: 'jwt' }),
  (server) => describePasskeysAsFactors({ ...server, tokens: 'jwt' }),
];

/** The suites of a server. They run on SQLite in `npm test`, from the specs beside them. */
export function describeSuitesOn(database: Server['database']): void {
  const platform = database === 'postgres' ? 'fastify' : 'express';
  const suites = database === SERVERS[0] || IS_SWEEP ? [...ON_BOTH, ...ON_ONE] : ON_BOTH;
  suites.forEach((describeSuite) => describeSuite({ database, platform }));
}
