import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { KIT_AUTH_SETTINGS, type KitAuthSettings, type UserId } from 'kit-auth';
import { PeriodicCleaner } from 'kit-auth/extend';
import { deleteBatch, PackageDatabase, asBadRequest } from 'kit-auth/typeorm';
import { type DataSource, type EntityManager, IsNull, LessThan } from 'typeorm';
import { AuthRecoveryCode } from './auth-recovery-code.entity.js';
import { AuthTotp } from './auth-totp.entity.js';
import { FACTOR_TABLES } from './factor.migrations.js';
import { OwnedFactors } from './owned-factors.js';

/** How long a device can be confirmed. */
export const PENDING_MS = 10 * 60_000;
const BATCH = 1000;

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
   * Runs a change of a user's factors. Others of the same user wait for it.
   *
   * @param name that the work writes
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
   * Notes that a code of a confirmed device was accepted. Of several calls for one step at once, one succeeds.
   *
   * @param secret sealed
   * @returns false when a code of this step, or of a later one, was accepted before
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
    // Also if the driver does not report a count: otherwise two requests could use one code.
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
