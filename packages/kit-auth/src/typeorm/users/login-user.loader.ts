import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  type DataSource,
  type EntityManager,
  type ObjectLiteral,
  Repository,
  type SelectQueryBuilder,
} from 'typeorm';
import type { LoginUser } from '../../contract/login-user.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../../contract/settings.js';
import { withinDeadline } from '../../errors/deadline.js';
import { plainText } from '../../errors/describe.js';
import { SUPER_ADMIN } from '../../users/stored-users.js';
import { AuthUser, AuthUserStatus } from './auth-user.entity.js';
import { lookUp } from '../database/connections.js';
import { dataSourceOf } from '../database/data-source.js';
import {
  asInteger,
  type JoinedRow,
  type LoginUserRow,
  selectFrom,
  selectLoginUser,
  withLoginUser,
} from './login-user.query.js';
import { isUnreadable, readPermissions } from './role-permissions.js';

/** The result of `prepareJoin()`. `rows[i]` belongs to `keys[i]`, and is undefined where the table has no such row. */
export type LoadJoined<Row> = (
  userId: number,
  keys: readonly string[],
) => Promise<{ user: LoginUser | undefined; rows: (Row | undefined)[] }>;

/** The result of `prepareOwned()`. No row if the key is unknown, no user if the owner is unknown or not enabled. */
export type LoadOwned<Row> = (key: string) => Promise<{ user: LoginUser | undefined; row: Row | undefined }>;

/** Runs SQL that was built once: 14 microseconds of CPU on SQLite, instead of 81 for a query built for each lookup. */
type Statement<Row> = (values: Record<string, unknown>, manager?: EntityManager) => Promise<Row[]>;

/** Loads the current state of users, for packages that look up users on every request. */
@Injectable()
export class LoginUserLoader {
  private readonly logger = new Logger('KitAuth');
  private readonly broken = new Set<string>();
  private byId: Statement<LoginUserRow> | undefined;
  private stampById: Statement<{ status: string; stamp: string }> | undefined;

  constructor(
    @InjectRepository(AuthUser) private readonly users: Repository<AuthUser>,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  /**
   * @param manager the manager of a transaction, to read inside it
   * @returns undefined when the user is unknown or not enabled
   */
  async load(userId: number, manager?: EntityManager): Promise<LoginUser | undefined> {
    // PostgreSQL reports an error for an id that the column cannot hold.
    if (userId > AuthUser.MAX_ID) {
      return undefined;
    }
    this.byId ??= prepared(this.dataSource, selectLoginUser(this.dataSource));
    return this.read(await this.byId({ userId }, manager));
  }

  /**
   * Loads the security stamp of a user.
   *
   * @param manager the manager of a transaction, to read inside it
   * @returns undefined when the user is unknown or not enabled
   */
  async stampOf(userId: number, manager?: EntityManager): Promise<string | undefined> {
    if (userId > AuthUser.MAX_ID) {
      return undefined;
    }
    this.stampById ??= prepared(
      this.dataSource,
      selectFrom(this.dataSource, AuthUser, 'kit_u')
        .select('kit_u.status', 'status')
        .addSelect('kit_u.securityStamp', 'stamp')
        .where('kit_u.id = :userId', { userId: 'userId' }),
    );
    const [row] = await withinDeadline(
      this.settings.login.databaseTimeoutMs,
      this.stampById({ userId }, manager),
    );
    return row?.status === (AuthUserStatus.ENABLED as string) ? row.stamp : undefined;
  }

  /**
   * Prepares a statement that loads a user together with rows of another table, for example the session of a token.
   *
   * @param key a unique text column of the table
   * @param columns the columns to read
   * @example
   * const load = this.users.prepareJoin(AuthSession, 'id', ['userId', 'expiresAt']);
   * const { user, rows: [session] } = await load(userId, [sessionId]);
   */
  prepareJoin<Entity extends ObjectLiteral, Column extends keyof Entity & string>(
    entity: new () => Entity,
    key: keyof Entity & string,
    columns: readonly Column[],
  ): LoadJoined<Pick<Entity, Column>> {
    const valuesOf = readerOf(this.dataSource, entity, columns);
    const prepare = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `key${index}`);
      const isAsked = `kit_j.${key} IN (${names.map((name) => `:${name}`).join(', ')})`;
      const query = selectLoginUser(this.dataSource)
        .leftJoin(entity, 'kit_j', isAsked, Object.fromEntries(names.map((name) => [name, name])))
        .addSelect(`kit_j.${key}`, 'kit_j_key');
      columns.forEach((name) => query.addSelect(`kit_j.${name}`, `kit_j_${name}`));
      return prepared<JoinedRow>(this.dataSource, query);
    };
    /** Statements by the number of keys. */
    const statements: Statement<JoinedRow>[] = [];
    return async (userId, keys) => {
      const statement = (statements[keys.length] ??= prepare(keys.length));
      const values: Record<string, unknown> = { userId };
      keys.forEach((value, index) => (values[`key${index}`] = value));
      const rows = await statement(values);
      const found = keys.map((value) => rows.find(({ kit_j_key }) => kit_j_key === value));
      return { user: this.read(rows), rows: found.map((row) => row && valuesOf(row)) };
    };
  }

  /**
   * Prepares a statement that loads a row of another table together with its owner, for example an API key.
   *
   * @param key a unique text column of the table
   * @param owner the text column with the id of the user
   * @param columns the columns to read
   * @example
   * const load = this.users.prepareOwned(AuthApiKey, 'id', 'userId', ['hash', 'expiresAt']);
   * const { user, row } = await load(keyId);
   */
  prepareOwned<Entity extends ObjectLiteral, Column extends keyof Entity & string>(
    entity: new () => Entity,
    key: keyof Entity & string,
    owner: keyof Entity & string,
    columns: readonly Column[],
  ): LoadOwned<Pick<Entity, Column>> {
    const valuesOf = readerOf(this.dataSource, entity, columns);
    const prepare = () => {
      const ownerId = selectFrom(this.dataSource, entity, 'kit_o')
        .select(asInteger(this.dataSource, `kit_o.${owner}`))
        .where(`kit_o.${key} = :key`)
        .getQuery();
      const rows = selectFrom(this.dataSource, entity, 'kit_j')
        .leftJoin(AuthUser, 'kit_u', `kit_u.id = (${ownerId})`)
        .where(`kit_j.${key} = :key`, { key: 'key' });
      const query = withLoginUser(this.dataSource, rows, `(${ownerId})`)
        .addSelect(`kit_j.${key}`, 'kit_j_key')
        .addSelect(`kit_j.${owner}`, 'kit_j_owner');
      columns.forEach((name) => query.addSelect(`kit_j.${name}`, `kit_j_${name}`));
      return prepared<JoinedRow>(this.dataSource, query);
    };
    let statement: Statement<JoinedRow> | undefined;
    return async (value) => {
      statement ??= prepare();
      const rows = await statement({ key: value });
      const [first] = rows;
      // Some databases ignore case in comparisons, and cast the text `2f` to 2.
      if (first?.kit_j_key !== value) {
        return { user: undefined, row: undefined };
      }
      const isOwned = first['kit_j_owner'] === String(first.kit_user_id);
      return { user: isOwned ? this.read(rows) : undefined, row: valuesOf(first) };
    };
  }

  /**
   * Reads the permissions of a role. A value that is not a list of strings grants nothing, and is logged once.
   *
   * @param stored the JSON text of the column, or the value that TypeORM made of it
   */
  permissionsOf(code: string, stored: unknown): string[] {
    const permissions = readPermissions(stored);
    if (isUnreadable(permissions) && !this.broken.has(code)) {
      this.broken.add(code);
      this.logger.warn(
        `[auth] the role ${plainText(code)} grants no permissions: its column permissions in auth_role is not a JSON ` +
          'list of strings such as ["note:read"]',
      );
    }
    return permissions;
  }

  private get dataSource(): DataSource {
    return dataSourceOf(this.users.manager);
  }

  /** @returns undefined when there is no row, or the user is not enabled */
  private read(rows: readonly (LoginUserRow | JoinedRow)[]): LoginUser | undefined {
    const [first] = rows;
    if (first?.kit_status !== (AuthUserStatus.ENABLED as string)) {
      return undefined;
    }
    const roles = new Set<string>();
    const permissions = new Set<string>();
    for (const { kit_role: code, kit_permissions, kit_bound } of rows) {
      // A role cannot include super administration, even if the table says so.
      if (code !== null && (code !== SUPER_ADMIN || Number(kit_bound) === 1) && !roles.has(code)) {
        roles.add(code);
        this.permissionsOf(code, kit_permissions).forEach((permission) => permissions.add(permission));
      }
    }
    const user: LoginUser = {
      userId: Number(first.kit_user_id),
      username: first.kit_username,
      nickname: first.kit_nickname,
      superAdmin: roles.has(SUPER_ADMIN),
      roles: [...roles],
      permissions: [...permissions],
    };
    return first.kit_must_change ? { ...user, mustChangePassword: true } : user;
  }
}

/**
 * TypeORM sends SQL to the primary, also with replication.
 *
 * @param query has parameters with their own names as values, which gives the order of the parameters
 */
function prepared<Row>(dataSource: DataSource, query: SelectQueryBuilder<ObjectLiteral>): Statement<Row> {
  const [text, names] = query.getQueryAndParameters();
  return (values, manager) => {
    const parameters = names.map((name: string) => values[name]);
    return manager === undefined
      ? lookUp(dataSource, () => dataSource.query<Row[]>(text, parameters))
      : manager.query<Row[]>(text, parameters);
  };
}

/** Returns a function that reads columns of another table from a row. */
function readerOf<Entity extends ObjectLiteral, Column extends keyof Entity & string>(
  dataSource: DataSource,
  entity: new () => Entity,
  columns: readonly Column[],
): (row: JoinedRow) => Pick<Entity, Column> {
  const { driver } = dataSource;
  const selected = dataSource
    .getMetadata(entity)
    .columns.filter(({ propertyName }) => columns.includes(propertyName as Column))
    .map((column) => ({ name: column.propertyName, alias: `kit_j_${column.propertyName}` as const, column }));
  return (row) => {
    const values: Record<string, unknown> = {};
    for (const { name, alias, column } of selected) {
      values[name] = driver.prepareHydratedValue(row[alias], column);
    }
    return values as Pick<Entity, Column>;
  };
}
