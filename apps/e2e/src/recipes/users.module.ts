import { randomUUID } from 'node:crypto';
import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import {
  AUTH_USER_STORE,
  type AdministratorSeed,
  type AuthUserStore,
  type LoginUser,
  type NewPassword,
  type SeededAdministrator,
  type StoredUser,
  type UserId,
} from 'kit-auth';
import { Pool } from 'pg';

@Injectable()
export class PgUserStore implements AuthUserStore, OnApplicationShutdown {
  private readonly pool = new Pool({ connectionString: process.env['DATABASE_URL'] });

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }

  /** Required. For a login: finds an account by its exact name, also if it is disabled. */
  async findByUsername(username: string): Promise<StoredUser | undefined> {
    if (username.includes('\0')) {
      return undefined; // PostgreSQL rejects it
    }
    const { rows } = await this.pool.query<StoredUser>(
      `select id, email as username, password_hash as "passwordHash", active as enabled, stamp as "securityStamp"
       from app_user where email = $1`,
      [username],
    );
    return rows[0];
  }

  /** Required. The current user of requests. Undefined if the user is unknown or disabled. */
  async loadLoginUser(userId: UserId): Promise<LoginUser | undefined> {
    const { rows } = await this.pool.query<LoginUser>(
      `select id as "userId", email as username, name as nickname, is_admin as "superAdmin", roles, permissions
       from app_user where id = $1 and active`,
      [userId],
    );
    return rows[0];
  }

  /** For `jwt.checkStamp`. */
  async stampOf(userId: UserId): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ stamp: string }>(
      'select stamp from app_user where id = $1 and active',
      [userId],
    );
    return rows[0]?.stamp;
  }

  /** Refuses a login if the user has changed since the password check. */
  async noteLogin(userId: UserId, seenStamp: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'update app_user set last_login_at = now() where id = $1 and stamp = $2',
      [userId, seenStamp],
    );
    return rowCount === 1;
  }

  /** For `POST password`. */
  async changePassword(userId: UserId, { passwordHash, seenStamp }: NewPassword): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'update app_user set password_hash = $3, stamp = $4 where id = $1 and stamp = $2',
      [userId, seenStamp, passwordHash, randomUUID()],
    );
    return rowCount === 1;
  }

  /** For the administrator at start-up. Several instances may run this at the same time. */
  async ensureAdministrator(seed: AdministratorSeed): Promise<SeededAdministrator> {
    const find = async () => {
      const { rows } = await this.pool.query<{ passwordHash: string }>(
        'select password_hash as "passwordHash" from app_user where is_admin limit 1',
      );
      return rows[0];
    };
    const present = await find();
    if (present !== undefined) {
      return { outcome: 'present', ...present };
    }
    const passwordHash = await seed.hash();
    const { rowCount } = await this.pool.query(
      `insert into app_user (email, name, password_hash, active, stamp, is_admin, roles, permissions)
       values ($1, $1, $2, true, $3, true, '{}', '{}') on conflict do nothing`,
      [seed.username, passwordHash, randomUUID()],
    );
    if (rowCount === 1) {
      return { outcome: 'created', passwordHash };
    }
    const other = await find();
    return other === undefined ? { outcome: 'refused' } : { outcome: 'present', ...other };
  }
}

@Module({ providers: [{ provide: AUTH_USER_STORE, useClass: PgUserStore }] })
export class UsersModule {}
