export type { TypeOrmChange } from './users/typeorm/account-changes.js';
export { SUPER_ADMIN } from './users/stored-users.js';
export { AuthDatabase } from './users/typeorm/auth-database.entity.js';
export { AuthRole } from './users/typeorm/auth-role.entity.js';
export { AuthUser, AuthUserStatus, newSecurityStamp } from './users/typeorm/auth-user.entity.js';
export { serializedWrite } from './database/connections.js';
export { DatabaseTransactions, deleteBatch, lockRow, PackageDatabase } from './database/package-database.js';
export {
  dataSourceOf,
  isSqlite,
  milliseconds,
  readFromPrimary,
  readFromReplica,
  wholeNumber,
} from './database/data-source.js';
export { junctionTable } from './database/junction-table.js';
export { asBadRequest, ifUnstorable, isUnstorable, verifyStored } from './database/stored-strings.js';
export { kitAuthEntities, kitAuthMigrations } from './users/typeorm/kit-auth.migrations.js';
export { type LoginLimit, LoginRows } from './users/typeorm/login-rows.js';
export { isRoleCode } from './users/stored-users.js';
export { RoleGraph } from './users/typeorm/role.graph.js';
export { type LoadJoined, type LoadOwned, LoginUserLoader } from './users/typeorm/login-user.loader.js';
/** For the command line: the tables of an entry, the entries that an application uses, and whether SQL could be injected. */
export { assertTables, metadataOf, type OwnTables, tablesUsedIn } from './database/own-tables.js';
export { assertSafeConnections } from './database/safe-escaping.js';
export { TablesMigration } from './database/tables.migration.js';
export { TypeOrmUserStore } from './users/typeorm/typeorm.user-store.js';
export { type RoleChange, type RoleView, type RunRoleChange, TypeOrmRoles } from './roles/typeorm.roles.js';

// The settings of programs that import this entry alone.
export type {} from './config/kit-auth.options.js';
