import type { UserId } from 'kit-auth';
import { ownerOf } from 'kit-auth/extend';
import { type EntityManager, In, IsNull, type FindOptionsWhere } from 'typeorm';
import { AuthRecoveryCode } from './auth-recovery-code.entity.js';
import { AuthTotp } from './auth-totp.entity.js';

/** A device that its user has not confirmed yet. */
export type NewDevice = Pick<AuthTotp, 'id' | 'name' | 'secret' | 'createdAt'>;
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
   * Makes other changes of the same user's factors wait until this one is committed: the first write of each is to a row
   * that is no device. The row belongs to nobody, so that no list reads it.
   */
  async lock(): Promise<void> {
    const nobody = { userId: '', name: '', secret: '', createdAt: 0, confirmedAt: 0 };
    await this.manager.upsert(AuthTotp, { id: this.lockId, ...nobody }, ['id']);
  }

  /** The devices that count, oldest first. */
  async confirmed(): Promise<Device[]> {
    return (await this.devices()).filter((it): it is Device => it.confirmedAt !== null);
  }

  /** Oldest first. */
  async pending(): Promise<AuthTotp[]> {
    return (await this.devices()).filter(({ confirmedAt }) => confirmedAt === null);
  }

  async add(device: NewDevice): Promise<void> {
    await this.manager.insert(AuthTotp, { ...device, userId: this.userId });
  }

  /** @param lastStep that of its first code. @returns false for a device that is not pending any more */
  async confirm(id: string, lastStep: number | null, now: number): Promise<boolean> {
    const pending = { id, confirmedAt: IsNull() };
    const confirmed = { confirmedAt: now, lastUsedAt: now, lastStep };
    return (await this.manager.update(AuthTotp, pending, confirmed)).affected === 1;
  }

  /** For tests: makes the codes that a device has used usable again. */
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

  /** Replaces all recovery codes. */
  async setRecoveryCodes(ids: readonly string[], now: number): Promise<void> {
    const former = await this.recoveryCodes();
    if (former.length > 0) {
      await this.manager.delete(AuthRecoveryCode, { id: In(former.map(({ id }) => id)) });
    }
    if (ids.length > 0) {
      const rows = ids.map((id) => ({ id, userId: this.userId, createdAt: now }));
      await this.manager.insert(AuthRecoveryCode, rows);
    }
  }

  /** Deletes everything, also the row of the lock. @returns how many confirmed devices there were */
  async clear(): Promise<number> {
    const devices = await this.devices();
    await this.setRecoveryCodes([], 0);
    await this.remove([...devices.map(({ id }) => id), this.lockId]);
    return devices.filter(({ confirmedAt }) => confirmedAt !== null).length;
  }

  private async devices(): Promise<AuthTotp[]> {
    const rows = await this.manager.find(AuthTotp, {
      where: { userId: this.userId },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    // Some databases ignore case in comparisons.
    return rows.filter(({ id, userId }) => userId === this.userId && id.startsWith(`${this.owner}.`));
  }

  private async recoveryCodes(): Promise<AuthRecoveryCode[]> {
    const where: FindOptionsWhere<AuthRecoveryCode> = { userId: this.userId };
    return (await this.manager.findBy(AuthRecoveryCode, where)).filter((it) => it.userId === this.userId);
  }

  private get lockId(): string {
    return `${this.owner}.lock`;
  }
}
