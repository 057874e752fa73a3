import { randomBytes } from 'node:crypto';
import type { UserId } from 'kit-auth';
import { ownerOf } from 'kit-auth/extend';
import { dataSourceOf, isSqlite, lockRow, verifyStored } from 'kit-auth/typeorm';
import { type EntityManager, type FindOneOptions, In, IsNull } from 'typeorm';
import { newRecoveryCodes, recoveryIdOf } from '../recovery/recovery-codes.js';
import { AuthRecoveryCode } from './auth-recovery-code.entity.js';
import { AuthTotp } from './auth-totp.entity.js';

const ID_BYTES = 16;

/** A device that its user has confirmed. */
export type Device = AuthTotp & { confirmedAt: number };

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
      confirmed: rows.filter((it): it is Device => it.confirmedAt !== null),
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

  /** @param lastStep that of its first code. @returns false for a device that is not pending any more */
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

  /** Deletes everything, also the row of the lock. @returns how many confirmed devices there were */
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

  /** A transaction that has read before would not see the latest rows without it. */
  private get rowLock(): FindOneOptions['lock'] {
    return isSqlite(dataSourceOf(this.manager)) ? undefined : { mode: 'pessimistic_write' };
  }

  private get lockId(): string {
    return `${this.owner}.lock`;
  }
}
