import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { KIT_AUTH_SETTINGS, type KitAuthSettings, type UserId } from 'kit-auth';
import { ActiveUserStore, type OwnedStore, type Removal } from 'kit-auth/feature';
import { Deadline, PeriodicCleaner } from 'kit-auth/tools';
import { storeCalls } from 'kit-auth/login';
import {
  deleteBatch,
  type LoadOwned,
  LoginUserLoader,
  PackageDatabase,
  asBadRequest,
  verifyStored,
} from 'kit-auth/typeorm';
import { type DataSource, type FindOneOptions, IsNull, LessThanOrEqual } from 'typeorm';
import type { KeyInfo } from '../keys.api.js';
import { AuthApiKey } from './auth-api-key.entity.js';
import { KEY_TABLES } from './key.migrations.js';
import { endRows, liveOf, lockOwner } from './key.rows.js';
import { abilitiesOf, type FoundKey, infoOf, type NewKey, rowOf } from './stored-key.js';

// Adds the entity to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthApiKey]);

const TIMEOUT_MS = 900;
const BATCH = 1000;
/** How long a key is stored after its end, so that a request with it learns why it is refused. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

const COLUMNS = ['hash', 'abilities', 'secondFactor', 'expiresAt', 'lastUsedAt', 'endedBy'] as const;

type FoundRow = Pick<AuthApiKey, (typeof COLUMNS)[number]>;

/**
 * The API keys of the users, in the table `auth_api_key`. A key is live until it is ended or expires, and never becomes
 * live again. With the default user store, a key and its owner are loaded with one statement.
 */
@Injectable()
export class KeyStore implements OwnedStore<KeyInfo>, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly cleaner = new PeriodicCleaner('old API keys', () => this.prune());
  private readonly database: PackageDatabase;
  private readonly deadline = new Deadline('the database of API keys', TIMEOUT_MS);
  private loadOwned: LoadOwned<FoundRow> | undefined;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
    private readonly users: ActiveUserStore,
    @Optional() @InjectDataSource() dataSource: DataSource | undefined,
    @Optional() private readonly loader?: LoginUserLoader,
  ) {
    this.database = new PackageDatabase('API keys', KEY_TABLES, dataSource);
  }

  /** @throws IllegalStateException when the data source or the table is missing */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.enabled) {
      await this.database.open();
      this.cleaner.start();
    }
  }

  onApplicationShutdown(): void {
    this.cleaner.stop();
  }

  /** Finds a key with its owner, whether it is live or not. */
  find(id: string): Promise<FoundKey | undefined> {
    return storeCalls.isObserved
      ? storeCalls.run({ store: 'keys', operation: 'find' }, () => this.load(id))
      : this.load(id);
  }

  /**
   * Adds a key, unless its owner has as many live keys as allowed.
   *
   * @param transaction that of a change
   * @returns false when the owner has too many
   * @throws AuthException 40000 when the database cannot store the name
   */
  add(key: NewKey, max: number, transaction: unknown): Promise<boolean> {
    const row = rowOf(key);
    const { name } = key;
    return this.database.run(
      async (manager) => {
        await lockOwner(manager, key.userId, row.createdAt);
        if ((await liveOf(manager, key.userId, row.createdAt)).length >= max) {
          return false;
        }
        await manager.insert(AuthApiKey, row);
        await verifyStored(manager, AuthApiKey, row.id, { name });
        return true;
      },
      transaction,
      async (error) => asBadRequest({ name })(error),
    );
  }

  /** The live keys of a user, oldest first. */
  async listOf(userId: UserId): Promise<KeyInfo[]> {
    const rows = await this.database.read((manager) => liveOf(manager, userId, Date.now()));
    return rows.map(infoOf);
  }

  /** Ends a live key of a user, or all of them, including those that are being added. */
  remove(userId: UserId, { id, reason }: Removal<KeyInfo>, transaction: unknown): Promise<KeyInfo[]> {
    const now = Date.now();
    return this.database.run(async (manager) => {
      if (id !== undefined) {
        const row = await manager.findOneBy(AuthApiKey, { id });
        const isOwned = row?.userId === String(userId) && now < (row.expiresAt ?? Infinity);
        return isOwned && (await endRows(manager, [id], reason, now)) > 0 ? [infoOf(row)] : [];
      }
      await lockOwner(manager, userId, now);
      // A transaction that has read before would not see the latest keys without the lock.
      const rows = await liveOf(manager, userId, now, this.rowLock);
      const ids = rows.map((row) => row.id);
      if (ids.length > 0) {
        await endRows(manager, ids, reason, now);
      }
      return rows.map(infoOf);
    }, transaction);
  }

  /**
   * Records when and from where a key was used, unless the last record is later than `before`. Times are milliseconds.
   */
  async touch(id: string, at: number, before: number, address: string | null): Promise<void> {
    await this.database.write((manager) =>
      manager
        .createQueryBuilder()
        .update(AuthApiKey)
        .set({ lastUsedAt: at, lastAddress: address })
        .where([
          { id, endedBy: IsNull(), lastUsedAt: IsNull() },
          { id, endedBy: IsNull(), lastUsedAt: LessThanOrEqual(before) },
        ])
        .execute(),
    );
  }

  /** Deletes a batch of keys that ended a month ago. @returns how many */
  prune(): Promise<number> {
    const old = { expiresAt: LessThanOrEqual(Date.now() - KEPT_MS) };
    return deleteBatch(this.database.dataSource, AuthApiKey, old, BATCH);
  }

  private async load(id: string): Promise<FoundKey | undefined> {
    const { loader } = this;
    if (loader !== undefined) {
      const loadOwned = (this.loadOwned ??= loader.prepareOwned(AuthApiKey, 'id', 'userId', COLUMNS));
      const { row, user } = await this.deadline.within(() => loadOwned(id));
      return row && foundKey(row, async () => user);
    }
    const row = await this.database.read((manager) => manager.findOneBy(AuthApiKey, { id }));
    const userId = row === null ? undefined : this.users.idFrom(row.userId);
    return row === null
      ? undefined
      : foundKey(row, async () => (userId === undefined ? undefined : this.users.loadLoginUser(userId)));
  }

  private get rowLock(): FindOneOptions['lock'] {
    return this.database.hasRowLocks ? { mode: 'pessimistic_write' } : undefined;
  }
}

function foundKey(row: FoundRow, owner: FoundKey['owner']): FoundKey {
  const { hash, secondFactor, expiresAt, lastUsedAt, endedBy } = row;
  return { hash, secondFactor, expiresAt, lastUsedAt, endedBy, abilities: abilitiesOf(row), owner };
}
