export type { TypeOrmChange } from './typeorm/users/account-changes.js';
export { SUPER_ADMIN } from './users/stored-users.js';
export { AuthDatabase } from './typeorm/users/auth-database.entity.js';
export { AuthRole } from './typeorm/users/auth-role.entity.js';
export { AuthUser, AuthUserStatus, newSecurityStamp } from './typeorm/users/auth-user.entity.js';
export { serializedWrite } from './typeorm/database/connections.js';
export {
  DatabaseTransactions,
  deleteBatch,
  lockRow,
  PackageDatabase,
} from './typeorm/database/package-database.js';
export {
  dataSourceOf,
  isSqlite,
  milliseconds,
  readFromPrimary,
  readFromReplica,
  wholeNumber,
} from './typeorm/database/data-source.js';
export { junctionTable } from './typeorm/database/junction-table.js';
export { asBadRequest, ifUnstorable, isUnstorable, verifyStored } from './typeorm/database/stored-strings.js';
export { kitAuthEntities, kitAuthMigrations } from './typeorm/users/kit-auth.migrations.js';
export { type LoginLimit, LoginRows } from './typeorm/users/login-rows.js';
export { isRoleCode } from './users/stored-users.js';
export { RoleGraph } from './typeorm/users/role.graph.js';
export { type LoadJoined, type LoadOwned, LoginUserLoader } from './typeorm/users/login-user.loader.js';
/** For the command line: the tables of an entry, the entries that an application uses, and whether SQL could be injected. */
export { assertTables, metadataOf, type OwnTables, tablesUsedIn } from './typeorm/database/own-tables.js';
export { assertSafeConnections } from './typeorm/database/safe-escaping.js';
export { TablesMigration } from './typeorm/database/tables.migration.js';
export { TypeOrmUserStore } from './typeorm/users/typeorm.user-store.js';
export {
  type RoleChange,
  type RoleView,
  type RunRoleChange,
  TypeOrmRoles,
} from './typeorm/roles/typeorm.roles.js';

// The settings of programs that import this entry alone.
export type {} from './config/kit-auth.options.js';
