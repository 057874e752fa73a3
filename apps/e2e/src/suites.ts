import { IS_SWEEP, type Platform, replicateNothing, SERVERS } from 'test-support';
import { describeChanges } from './account/changes.suite.js';
import { describeLoginWays, describeOwnLoginWays } from './account/login-ways.suite.js';
import { describeRemovals } from './account/removals.suite.js';
import { describeUserCommands } from './cli/users.suite.js';
import { ALL } from './database/migrations.suite.js';
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
  ({ database }) => describeRefresh(database),
  (server) => describeReset({ ...server, tokens: 'stateful sessions' }),
  (server) => describeKeysReset({ ...server, tokens: 'stateful sessions' }, { rounds: 10 }),
  (server) => describeLoginWays({ ...server, tokens: 'jwt' }),
  (server) => describeRemovals({ ...server, tokens: 'stateful sessions' }),
  (server) => describeFactorLogin({ ...server, tokens: 'stateless sessions' }),
  (server) => describeRegistration({ ...server, tokens: 'stateful sessions' }),
  ({ database }) => describeSessions({ name: database, database }),
];

/** What is the same on all servers. */
const ON_ONE: ((server: Server) => void)[] = [
  (server) => describeAddresses({ ...server, tokens: 'jwt with refresh tokens' }),
  ({ database }) => describeRevocation({ name: database, database }),
  (server) => describeOwnLoginWays(server),
  (server) => describeUserCommands({ ...server, provider: 'session' }),
  (server) => describeLoginLinks({ ...server, tokens: 'stateful sessions' }),
  (server) => describeSignUp({ ...server, tokens: 'stateful sessions' }),
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

/** One journey of each package that reads tables. */
const JOURNEYS: ((server: Server) => void)[] = [
  ({ database }) => describeChanges(database),
  ({ database }) => describeRefresh(database),
  (server) => describeReset({ ...server, tokens: 'stateful sessions' }),
  (server) => describeFactorLogin({ ...server, tokens: 'stateless sessions' }),
  (server) => describeRegistration({ ...server, tokens: 'stateful sessions' }),
  (server) => describeKeys({ ...server, tokens: 'jwt with refresh tokens' }),
  (server) => describeOidc({ ...server, tokens: 'jwt' }),
  (server) => describePasskeyAccounts({ ...server, tokens: 'jwt' }),
  ({ database }) => describeSessions({ name: database, database }),
];

/** They run on SQLite in `npm test`, from the specs beside them. */
export function describeSuitesOn(database: Server['database'], suites = ON_BOTH): void {
  const platform = database === 'postgres' ? 'fastify' : 'express';
  suites.forEach((describeSuite) => describeSuite({ database, platform }));
}

/** With a replica that has no rows: what asks it finds nothing. */
export function describeSuitesWithReplica(database: Server['database']): void {
  replicateNothing(database, ALL.entities);
  describeSuitesOn(database, JOURNEYS);
}

/** At night, they run on both. */
export function describeOtherSuites(): void {
  (IS_SWEEP ? SERVERS : SERVERS.slice(0, 1)).forEach((database) => describeSuitesOn(database, ON_ONE));
}
