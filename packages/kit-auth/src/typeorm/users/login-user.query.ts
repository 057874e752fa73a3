import type { DataSource, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { AuthRole } from './auth-role.entity.js';
import { AuthUser } from './auth-user.entity.js';
import { junctionTable } from '../database/junction-table.js';

/** A row of the statement: one for each effective role of a user, one with nulls for a user without roles. */
export interface LoginUserRow {
  kit_user_id: number | string;
  kit_username: string;
  kit_nickname: string;
  kit_status: string;
  kit_must_change: boolean | number;
  kit_role: string | null;
  kit_permissions: string | null;
  /** 1 for a role that the user has, 0 for a role that another one includes. */
  kit_bound: number | string | null;
}

/** The same with columns of another table. Without a user, all others are null. */
export type JoinedRow = (LoginUserRow | Record<keyof LoginUserRow, null>) & {
  kit_j_key: string | null;
  [column: `kit_j_${string}`]: unknown;
};

/** Begins a statement of which only the SQL is used. */
export function selectFrom<Entity extends ObjectLiteral>(
  dataSource: DataSource,
  entity: new () => Entity,
  alias: string,
): SelectQueryBuilder<Entity> {
  // eslint-disable-next-line kit-auth/primary-reads -- TypeORM sends SQL to the primary.
  return dataSource.createQueryBuilder(entity, alias);
}

/** Selects a user, with a row for each role. */
export function selectLoginUser(dataSource: DataSource): SelectQueryBuilder<AuthUser> {
  const query = selectFrom(dataSource, AuthUser, 'kit_u');
  return withLoginUser(dataSource, query, ':userId').where('kit_u.id = :userId', { userId: 'userId' });
}

/**
 * Adds the columns of a user and a row for each role.
 *
 * @param query has the user as `kit_u`
 * @param id an expression for the id of the user
 */
export function withLoginUser<Entity extends ObjectLiteral>(
  dataSource: DataSource,
  query: SelectQueryBuilder<Entity>,
  id: string,
): SelectQueryBuilder<Entity> {
  const escape = escaping(dataSource);
  return query
    .addCommonTableExpression(effectiveRoles(dataSource, id), 'kit_ur', {
      recursive: true,
      columnNames: ['roleId', 'bound'],
    })
    .leftJoin('kit_ur', 'kit_ur', '1 = 1')
    .leftJoin(AuthRole, 'kit_r', `kit_r.id = ${escape('kit_ur', 'roleId')}`)
    .select('kit_u.id', 'kit_user_id')
    .addSelect('kit_u.username', 'kit_username')
    .addSelect('kit_u.nickname', 'kit_nickname')
    .addSelect('kit_u.status', 'kit_status')
    .addSelect('kit_u.mustChangePassword', 'kit_must_change')
    .addSelect('kit_r.code', 'kit_role')
    .addSelect('kit_r.permissions', 'kit_permissions')
    .addSelect(escape('kit_ur', 'bound'), 'kit_bound');
}

/** Converts a string to a whole number. Other strings become NULL first, because PostgreSQL would fail for them. */
export function asInteger({ options: { type } }: DataSource, column: string): string {
  if (type === 'postgres') {
    return `CAST(SUBSTRING(${column} FROM '^[0-9]{1,18}$') AS BIGINT)`;
  }
  return `CAST(${column} AS ${/mysql|mariadb/.test(type) ? 'SIGNED' : 'INTEGER'})`;
}

/** Selects the roles of a user and the roles that they include. `UNION` ends the recursion for cycles. */
function effectiveRoles(dataSource: DataSource, id: string): string {
  const escape = escaping(dataSource);
  const bound = junctionTable(dataSource, AuthUser, 'roles');
  const included = junctionTable(dataSource, AuthRole, 'includes');
  return (
    `SELECT ur.${bound.inverse}, 1 FROM ${bound.table} ur WHERE ur.${bound.owner} = ${id} ` +
    `UNION SELECT ri.${included.inverse}, 0 FROM ${included.table} ri ` +
    `INNER JOIN ${escape('kit_ur')} ON ${escape('kit_ur', 'roleId')} = ri.${included.owner}`
  );
}

function escaping({ driver }: DataSource): (...path: string[]) => string {
  return (...path) => path.map((name) => driver.escape(name)).join('.');
}
