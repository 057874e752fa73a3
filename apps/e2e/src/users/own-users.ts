import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { Injectable, Module } from '@nestjs/common';
import {
  type AdministratorSeed,
  AUTH_USER_STORE,
  type AuthUserStore,
  type ListedUser,
  type LoginUser,
  type NewPassword,
  type SeededAdministrator,
  type StoredUser,
  type UserId,
  type UserPage,
} from 'kit-auth';

/** The part of better-sqlite3 that is used here. The library has no types. */
interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: unknown[]): { changes: number };
    get(...values: unknown[]): unknown;
    all(...values: unknown[]): unknown[];
  };
}

const Database = createRequire(import.meta.url)('better-sqlite3') as new (file: string) => SqliteDatabase;

interface Row {
  id: string;
  name: string;
  hash: string | null;
  active: 0 | 1;
  stamp: string;
  roles: string;
  permissions: string;
}

/** Users with text ids in a table of their own, without an ORM. */
@Injectable()
export class OwnUsers implements AuthUserStore {
  readonly idType = 'string';
  readonly db = new Database(':memory:');

  constructor() {
    this.db.exec(`create table account (id text primary key, name text not null unique, hash text,
      active integer not null, stamp text not null, roles text not null, permissions text not null, seen text)`);
  }

  insert(row: Partial<Row> & Pick<Row, 'name' | 'hash'>): UserId {
    const full = {
      id: `usr_${randomUUID()}`,
      active: 1,
      stamp: randomUUID(),
      roles: '[]',
      permissions: '[]',
      ...row,
    };
    this.db
      .prepare('insert into account values (@id, @name, @hash, @active, @stamp, @roles, @permissions, null)')
      .run(full);
    return idOf(full.id);
  }

  async findByUsername(username: string): Promise<StoredUser | undefined> {
    const row = this.row('name', username);
    return (
      row && {
        id: idOf(row.id),
        username: row.name,
        passwordHash: row.hash ?? undefined,
        enabled: row.active === 1,
        securityStamp: row.stamp,
      }
    );
  }

  async loadLoginUser(userId: UserId): Promise<LoginUser | undefined> {
    const row = this.row('id', userId);
    if (row?.active !== 1) {
      return undefined;
    }
    const roles = JSON.parse(row.roles) as string[];
    return {
      userId: idOf(row.id),
      username: row.name,
      nickname: row.name,
      roles,
      superAdmin: roles.includes('root'),
      permissions: JSON.parse(row.permissions) as string[],
    };
  }

  async stampOf(userId: UserId): Promise<string | undefined> {
    const row = this.row('id', userId);
    return row?.active === 1 ? row.stamp : undefined;
  }

  async noteLogin(userId: UserId, seenStamp: string): Promise<boolean> {
    return this.run('update account set seen = ? where id = ? and stamp = ?', 'now', userId, seenStamp) === 1;
  }

  async renewHash(userId: UserId, from: string, to: string): Promise<void> {
    this.run('update account set hash = ? where id = ? and hash = ?', to, userId, from);
  }

  async changePassword(userId: UserId, { passwordHash, seenStamp }: NewPassword): Promise<boolean> {
    const sql = 'update account set hash = ?, stamp = ? where id = ? and stamp = ?';
    return this.run(sql, passwordHash, randomUUID(), userId, seenStamp) === 1;
  }

  async listUsers({ after, limit }: UserPage): Promise<ListedUser[]> {
    const sql = 'select * from account where id > ? order by id limit ?';
    return (this.db.prepare(sql).all(after ?? '', limit) as Row[]).map(({ id, name, active, roles }) => ({
      id: idOf(id),
      username: name,
      nickname: name,
      enabled: active === 1,
      roles: JSON.parse(roles) as string[],
    }));
  }

  async disableUser(userId: UserId): Promise<boolean> {
    const sql = 'update account set active = 0, stamp = ? where id = ? and active = 1';
    return this.run(sql, randomUUID(), userId) === 1;
  }

  async enableUser(userId: UserId): Promise<boolean> {
    const sql = 'update account set active = 1, stamp = ? where id = ? and active = 0';
    return this.run(sql, randomUUID(), userId) === 1;
  }

  async ensureAdministrator(seed: AdministratorSeed): Promise<SeededAdministrator> {
    const find = () =>
      this.db.prepare(`select * from account where roles like '%"root"%' limit 1`).get() as Row | undefined;
    if (find() === undefined) {
      const hash = await seed.hash();
      if (find() === undefined && this.row('name', seed.username) === undefined) {
        this.insert({ name: seed.username, hash, roles: '["root"]' });
        return { outcome: 'created', passwordHash: hash };
      }
    }
    const present = find();
    return present === undefined
      ? { outcome: 'refused' }
      : { outcome: 'present', passwordHash: present.hash ?? '' };
  }

  private row(column: 'id' | 'name', value: UserId | string): Row | undefined {
    return this.db.prepare(`select * from account where ${column} = ?`).get(value) as Row | undefined;
  }

  private run(sql: string, ...values: unknown[]): number {
    return this.db.prepare(sql).run(...values).changes;
  }
}

/** An application would declare `KitAuthTypes { userId: string }`. Other tests of this one have numbers. */
export function idOf(text: string): UserId {
  return text as unknown as UserId;
}

@Module({ providers: [OwnUsers, { provide: AUTH_USER_STORE, useExisting: OwnUsers }] })
export class OwnUsersModule {}
