import { hash } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, Optional } from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { AuthErrorCode, AuthException, KIT_AUTH_SETTINGS, type KitAuthSettings, type UserId } from 'kit-auth';
import { ActiveUserStore, type AuthIdentities } from 'kit-auth/feature';
import { PackageDatabase, readFromPrimary } from 'kit-auth/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { AuthIdentity, IDENTITY_TABLES, kitAuthEntities } from './identity.tables.js';

// Adds the entities to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature(kitAuthEntities);

const MAX_PER_USER = 10;

/** The natural key of an identity. */
export type IdentityKey = Pick<AuthIdentity, 'issuer' | 'subject'>;
/** An identity with the user who has linked it. */
export type LinkedIdentity = Pick<AuthIdentity, 'id' | 'version'> & { readonly userId: UserId };
/** An identity to link. */
export type NewIdentity = IdentityKey & Pick<AuthIdentity, 'provider' | 'address'>;

/** The identities of the users, in the table `auth_identity`. For `transaction` and errors, see `PackageDatabase`. */
@Injectable()
export class IdentityStore implements AuthIdentities, OnApplicationBootstrap {
  private readonly database: PackageDatabase;

  constructor(
    private readonly users: ActiveUserStore,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
    @Optional() @InjectDataSource() dataSource: DataSource | undefined,
  ) {
    this.database = new PackageDatabase('identities', IDENTITY_TABLES, dataSource);
  }

  /** @throws IllegalStateException when the data source or a table is missing */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.enabled) {
      await this.database.open();
    }
  }

  async find(key: IdentityKey): Promise<LinkedIdentity | undefined> {
    const id = identityIdOf(key);
    const row = await this.database.read((manager) => manager.findOneBy(AuthIdentity, { id }));
    const userId = row === null ? undefined : this.users.idFrom(row.userId);
    return row === null || userId === undefined ? undefined : { id, version: row.version, userId };
  }

  async userOf(issuer: string, subject: string): Promise<UserId | undefined> {
    return (await this.find({ issuer, subject }))?.userId;
  }

  /** The identities of a user, oldest first. */
  listOf(userId: UserId, transaction?: unknown): Promise<AuthIdentity[]> {
    return this.database.read((manager) => rowsOf(manager, userId), transaction);
  }

  /** Reads the latest rows, for changes. Locks them: other changes of the same user's identities wait. */
  latestOf(userId: UserId, transaction: unknown): Promise<AuthIdentity[]> {
    const { hasRowLocks } = this.database;
    return this.database.run((manager) => rowsOf(manager, userId, hasRowLocks), transaction);
  }

  /**
   * Links an identity to a user.
   *
   * @param isUsed whether the user just logged in with it
   * @throws AuthException 40900 with the reason `taken` for a linked identity, and `limit` for the eleventh of a user
   */
  async insert(userId: UserId, identity: NewIdentity, isUsed: boolean, transaction?: unknown): Promise<void> {
    const id = identityIdOf(identity);
    const now = Date.now();
    const row = {
      ...identity,
      id,
      userId: String(userId),
      createdAt: now,
      lastUsedAt: isUsed ? now : null,
      version: 0,
    };
    await this.database.run(
      async (manager) => {
        const { hasRowLocks } = this.database;
        if (hasRowLocks) {
          // PostgreSQL shows what others inserted during the wait for a lock only to the next statement.
          await rowsOf(manager, userId, hasRowLocks);
        }
        const own = await rowsOf(manager, userId, hasRowLocks);
        if (own.length >= MAX_PER_USER) {
          throw conflictOf('limit', `You can link at most ${MAX_PER_USER} identities. Remove one first`);
        }
        if (await manager.existsBy(AuthIdentity, { id })) {
          throw identityTaken();
        }
        await manager.insert(AuthIdentity, row);
      },
      transaction,
      async (error) => {
        // Another request may have inserted it. Reads outside of the failed transaction.
        const isTaken =
          !(error instanceof AuthException) &&
          (await readFromPrimary(this.database.dataSource, (manager) =>
            manager.existsBy(AuthIdentity, { id }),
          ));
        throw isTaken ? identityTaken() : error;
      },
    );
  }

  /** Records a login with an identity. @returns false if it was removed, or belongs to another user now */
  async use({ id, userId, version }: LinkedIdentity): Promise<boolean> {
    const use = { lastUsedAt: Date.now(), version: version + 1 };
    const { affected } = await this.database.write((manager) =>
      manager.update(AuthIdentity, { id, userId: String(userId) }, use),
    );
    return affected !== 0;
  }

  /**
   * Removes identities of a user. Other removals of the same user wait for this one.
   *
   * @param chosen gets the latest identities, oldest first, and returns the ones to remove
   */
  remove(
    userId: UserId,
    transaction: unknown,
    chosen: (identities: readonly AuthIdentity[]) => readonly AuthIdentity[],
  ): Promise<readonly AuthIdentity[]> {
    return this.database.run(async (manager) => {
      const removed = chosen(await rowsOf(manager, userId, this.database.hasRowLocks));
      if (removed.length > 0) {
        await manager.delete(
          AuthIdentity,
          removed.map(({ id }) => id),
        );
      }
      return removed;
    }, transaction);
  }
}

/** The primary key of an identity. */
export function identityIdOf({ issuer, subject }: IdentityKey): string {
  return hash('sha256', JSON.stringify([issuer, subject]), 'hex');
}

export function identityTaken(): AuthException {
  return conflictOf('taken', 'This identity is linked to an account already');
}

function conflictOf(reason: string, message: string): AuthException {
  return AuthException.refusal(AuthErrorCode.CONFLICT, { reason, message });
}

async function rowsOf(manager: EntityManager, userId: UserId, isLocked = false): Promise<AuthIdentity[]> {
  const owner = String(userId);
  const rows = await manager.find(AuthIdentity, {
    where: { userId: owner },
    order: { createdAt: 'ASC', id: 'ASC' },
    ...(isLocked && { lock: { mode: 'pessimistic_write' } }),
  });
  // Some databases ignore case in comparisons.
  return rows.filter((row) => row.userId === owner);
}
