import { randomBytes } from 'node:crypto';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { KIT_AUTH_SETTINGS, type KitAuthSettings, type UserId } from 'kit-auth';
import { ownerOf } from 'kit-auth/login';
import { PeriodicCleaner } from 'kit-auth/tools';
import {
  asBadRequest,
  dataSourceOf,
  deleteBatch,
  isSqlite,
  lockRow,
  PackageDatabase,
  verifyStored,
} from 'kit-auth/typeorm';
import { type DataSource, type EntityManager, type FindOneOptions, In, IsNull, LessThan } from 'typeorm';
import { newRecoveryCodes, recoveryIdOf } from '../secrets/recovery-codes.js';
import { AuthRecoveryCode, AuthTotp } from './factor.entities.js';
import { FACTOR_TABLES } from './factor.migrations.js';

// Adds the entities to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthTotp, AuthRecoveryCode]);

/** Time to confirm a device. */
export const PENDING_MS = 10 * 60_000;
const BATCH = 1000;
const ID_BYTES = 16;

/** A device that its user has confirmed. */
export type Device = AuthTotp & { confirmedAt: number };

/**
 * The second factors of the users, in the tables `auth_totp` and `auth_recovery_code`. For `transaction` and errors, see
 * `PackageDatabase`.
 */
@Injectable()
export class FactorStore implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly cleaner = new PeriodicCleaner('devices that were not confirmed', () => this.prune());
  private readonly database: PackageDatabase;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
    @Optional() @InjectDataSource() dataSource: DataSource | undefined,
  ) {
    this.database = new PackageDatabase('second factors', FACTOR_TABLES, dataSource);
  }

  /** @throws IllegalStateException when the data source or a table is missing */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.enabled) {
      await this.database.open();
      this.cleaner.start();
    }
  }

  onApplicationShutdown(): void {
    this.cleaner.stop();
  }

  read<T>(userId: UserId, work: (factors: OwnedFactors) => Promise<T>): Promise<T> {
    return this.database.read((manager) => work(new OwnedFactors(manager, userId)));
  }

  /**
   * Runs a change of a user's factors. Other changes of the same user wait for it.
   *
   * @param name the name that the work writes
   * @throws AuthException 40000 for a name that the database cannot store
   */
  change<T>(
    userId: UserId,
    transaction: unknown,
    work: (factors: OwnedFactors) => Promise<T>,
    name?: string,
  ): Promise<T> {
    const locked = async (manager: EntityManager) => {
      const factors = new OwnedFactors(manager, userId);
      await factors.lock();
      return work(factors);
    };
    return this.database.run(locked, transaction, async (error) => asBadRequest({ name })(error));
  }

  /**
   * Records that a code of a confirmed device was accepted. Only one of several concurrent calls for a step succeeds.
   *
   * @param secret the sealed secret
   * @returns false when a code of this or a later step was already accepted
   */
  async use({ id, secret }: Pick<AuthTotp, 'id' | 'secret'>, step: number): Promise<boolean> {
    const { affected } = await this.database.write((manager) =>
      manager
        .createQueryBuilder()
        .update(AuthTotp)
        .set({ lastStep: step, lastUsedAt: Date.now(), secret })
        .where([
          { id, lastStep: IsNull() },
          { id, lastStep: LessThan(step) },
        ])
        .execute(),
    );
    // Refuses the code also if the driver reports no count: otherwise two requests could use one code.
    return affected === 1;
  }

  /** Consumes a recovery code. Only one of several concurrent calls succeeds. @returns false when there is no such code */
  async useRecoveryCode(id: string): Promise<boolean> {
    const { affected } = await this.database.write((manager) => manager.delete(AuthRecoveryCode, { id }));
    return affected === 1;
  }

  private prune(): Promise<number> {
    const old = { confirmedAt: IsNull(), createdAt: LessThan(Date.now() - PENDING_MS) };
    return deleteBatch(this.database.dataSource, AuthTotp, old, BATCH);
  }
}

/** The factors of one user, in one transaction. */
export class OwnedFactors {
  private readonly userId: string;
  private readonly owner: string;

  constructor(
    private readonly manager: EntityManager,
    userId: UserId,
  ) {
    this.userId = String(userId);
    this.owner = ownerOf(userId);
  }

  /**
   * Makes other changes of the same user's factors wait until this one is committed. The locked row is not a device,
   * and has no owner.
   */
  lock(): Promise<void> {
    const unowned = { userId: '', name: '', secret: '', createdAt: 0, confirmedAt: 0 };
    return lockRow(this.manager, AuthTotp, { id: this.lockId, ...unowned });
  }

  /** Oldest first. Only confirmed devices count as factors. */
  async devices(): Promise<{ confirmed: Device[]; pending: AuthTotp[] }> {
    const rows = await this.rows();
    return {
      confirmed: rows.filter((row): row is Device => row.confirmedAt !== null),
      pending: rows.filter(({ confirmedAt }) => confirmedAt === null),
    };
  }

  /** The devices that count, oldest first. */
  async confirmed(): Promise<Device[]> {
    return (await this.devices()).confirmed;
  }

  /** Adds a device that the user has to confirm. @returns its id */
  async add(device: Pick<AuthTotp, 'name' | 'secret' | 'createdAt'>): Promise<string> {
    const id = `${this.owner}.${randomBytes(ID_BYTES).toString('base64url')}`;
    await this.manager.insert(AuthTotp, { id, ...device, userId: this.userId });
    await verifyStored(this.manager, AuthTotp, id, { name: device.name });
    return id;
  }

  /** @param lastStep the step of its first code. @returns false for a device that is not pending any more */
  async confirm(id: string, lastStep: number | null, now: number): Promise<boolean> {
    const pending = { id, confirmedAt: IsNull() };
    const confirmed = { confirmedAt: now, lastUsedAt: now, lastStep };
    return (await this.manager.update(AuthTotp, pending, confirmed)).affected === 1;
  }

  /** Makes the used codes of a device usable again, for tests. */
  async forgetSteps(id: string): Promise<void> {
    await this.manager.update(AuthTotp, { id }, { lastStep: null });
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) {
      await this.manager.delete(AuthTotp, { id: In([...ids]) });
    }
  }

  async countRecoveryCodes(): Promise<number> {
    return (await this.recoveryCodes()).length;
  }

  /** Replaces all recovery codes. @returns the new ones */
  async renewRecoveryCodes(now: number): Promise<string[]> {
    await this.removeRecoveryCodes();
    const codes = newRecoveryCodes();
    const rows = codes.map((code) => ({
      id: recoveryIdOf(this.userId, code) as string,
      userId: this.userId,
      createdAt: now,
    }));
    await this.manager.insert(AuthRecoveryCode, rows);
    return codes;
  }

  async removeRecoveryCodes(): Promise<void> {
    const ids = (await this.recoveryCodes(this.rowLock)).map(({ id }) => id);
    if (ids.length > 0) {
      await this.manager.delete(AuthRecoveryCode, { id: In(ids) });
    }
  }

  /** Deletes everything, including the row of the lock. @returns how many confirmed devices there were */
  async clear(): Promise<number> {
    const rows = await this.rows(this.rowLock);
    await this.removeRecoveryCodes();
    await this.remove([...rows.map(({ id }) => id), this.lockId]);
    return rows.filter(({ confirmedAt }) => confirmedAt !== null).length;
  }

  private async rows(lock?: FindOneOptions['lock']): Promise<AuthTotp[]> {
    const rows = await this.manager.find(AuthTotp, {
      where: { userId: this.userId },
      order: { createdAt: 'ASC', id: 'ASC' },
      ...(lock && { lock }),
    });
    // Some databases ignore case in comparisons.
    return rows.filter(({ id, userId }) => userId === this.userId && id.startsWith(`${this.owner}.`));
  }

  private async recoveryCodes(lock?: FindOneOptions['lock']): Promise<AuthRecoveryCode[]> {
    const where = { userId: this.userId };
    const rows = await this.manager.find(AuthRecoveryCode, { where, ...(lock && { lock }) });
    return rows.filter((row) => row.userId === this.userId);
  }

  /** Locks the rows. Without the lock, a transaction that has read before would not see the latest rows. */
  private get rowLock(): FindOneOptions['lock'] {
    return isSqlite(dataSourceOf(this.manager)) ? undefined : { mode: 'pessimistic_write' };
  }

  private get lockId(): string {
    return `${this.owner}.lock`;
  }
}
