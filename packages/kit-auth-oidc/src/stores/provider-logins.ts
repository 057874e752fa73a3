import { hash } from 'node:crypto';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { AuthErrorCode, AuthException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { badRequest } from 'kit-auth/feature';
import { PeriodicCleaner } from 'kit-auth/tools';
import { deleteBatch, PackageDatabase } from 'kit-auth/typeorm';
import { type DataSource, type EntityManager, In, LessThan, MoreThanOrEqual } from 'typeorm';
import { AuthIdentityLogin, AuthIdentityLogout, IDENTITY_TABLES } from './identity.tables.js';

const BATCH = 1000;
/** Longer than a login can take after the provider has answered: 10 minutes for a sign-up, then 5 for a second factor. */
const BEGUN_MS = 60 * 60 * 1000;

/** Selects the logins of a logout token: a session at the provider, or all logins of an identity. */
export type EndedAtProvider = Pick<AuthIdentityLogin, 'issuer'> & {
  readonly sid?: string;
  readonly subject?: string;
};

/** Claims that a logout token can match. */
export interface LoginAtProvider {
  readonly issuer: string;
  readonly sub: string;
  readonly sid?: string | undefined;
}

/** Stores logins with providers for back-channel logout, until they end. */
@Injectable()
export class ProviderLogins implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly database: PackageDatabase;
  private readonly cleaner = new PeriodicCleaner('old logins with providers', () => this.prune());

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
    @Optional() @InjectDataSource() dataSource: DataSource | undefined,
  ) {
    this.database = new PackageDatabase('logins with providers', IDENTITY_TABLES, dataSource);
  }

  onApplicationBootstrap(): void {
    if (this.settings.enabled) {
      this.cleaner.start();
    }
  }

  onApplicationShutdown(): void {
    this.cleaner.stop();
  }

  async insert(login: AuthIdentityLogin): Promise<void> {
    await this.database.write((manager) => manager.insert(AuthIdentityLogin, login));
  }

  async find(id: string): Promise<AuthIdentityLogin | undefined> {
    const row = await this.database.read((manager) => manager.findOneBy(AuthIdentityLogin, { id }));
    return row?.id === id ? row : undefined;
  }

  /** With a `sid`, finds the logins of this session only. */
  async listOf({ issuer, sid, subject }: EndedAtProvider): Promise<AuthIdentityLogin[]> {
    const which = sid === undefined ? { subject: subject as string } : { sid };
    const rows = await this.database.read((manager) =>
      manager.findBy(AuthIdentityLogin, { issuer, ...which }),
    );
    // Some databases ignore case in comparisons.
    return rows.filter(
      (row) =>
        row.issuer === issuer &&
        (sid === undefined || row.sid === sid) &&
        (subject === undefined || row.subject === subject),
    );
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) {
      await this.database.write((manager) => manager.delete(AuthIdentityLogin, ids));
    }
  }

  /** Records a logout for logins that are not complete yet. Call it before `listOf`. */
  async logOut({ issuer, sid, subject }: EndedAtProvider): Promise<void> {
    const id = logoutIdOf(issuer, sid ?? null, subject ?? null);
    const expiresAt = Date.now() + BEGUN_MS;
    await this.database.write(async (manager) => {
      // In this order, the latest of concurrent logouts wins.
      await manager
        .createQueryBuilder()
        .insert()
        .into(AuthIdentityLogout)
        .values({ id, expiresAt })
        .orIgnore()
        .updateEntity(false)
        .execute();
      await manager.update(AuthIdentityLogout, { id, expiresAt: LessThan(expiresAt) }, { expiresAt });
    });
  }

  /**
   * Whether a logout ended a login. Call it after `insert`: then it cannot miss a concurrent logout.
   *
   * @param since in milliseconds since 1970
   */
  isLoggedOut({ issuer, sub, sid }: LoginAtProvider, since: number): Promise<boolean> {
    const ids = [
      logoutIdOf(issuer, null, sub),
      ...(sid === undefined ? [] : [logoutIdOf(issuer, sid, null), logoutIdOf(issuer, sid, sub)]),
    ];
    const expiresAt = MoreThanOrEqual(since + BEGUN_MS);
    return this.database.read((manager) => manager.existsBy(AuthIdentityLogout, { id: In(ids), expiresAt }));
  }

  /** Whether a logout token was used before. */
  isUsed(issuer: string, jti: string): Promise<boolean> {
    const id = logoutIdOf(issuer, jti);
    return this.database.read((manager) => manager.existsBy(AuthIdentityLogout, { id }));
  }

  /**
   * Marks a logout token as used. Of several concurrent calls, one succeeds.
   *
   * @param expiresAt in milliseconds since 1970
   * @returns false if it was used before
   */
  async useUp(issuer: string, jti: string, expiresAt: number): Promise<boolean> {
    const row = { id: logoutIdOf(issuer, jti), expiresAt };
    const insert = (manager: EntityManager) => manager.insert(AuthIdentityLogout, row);
    try {
      await this.database.run(insert, undefined, async (error) => {
        // Another request may have inserted it.
        throw (await this.isUsed(issuer, jti)) ? badRequest('The logout token was used') : error;
      });
      return true;
    } catch (error) {
      if (error instanceof AuthException && error.code === AuthErrorCode.BAD_REQUEST) {
        return false;
      }
      throw error;
    }
  }

  /** @returns the number of deleted rows */
  private async prune(): Promise<number> {
    const { dataSource } = this.database;
    const old = { expiresAt: LessThan(Date.now()) };
    return (
      (await deleteBatch(dataSource, AuthIdentityLogin, old, BATCH)) +
      (await deleteBatch(dataSource, AuthIdentityLogout, old, BATCH))
    );
  }
}

/** @param which `[jti]`, or `[sid, sub]` */
function logoutIdOf(issuer: string, ...which: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify([issuer, ...which]), 'hex');
}
