import { Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { SecondFactorLogin } from 'kit-auth/store';
import type { FactorList } from '../factors.api.js';
import { FactorStore } from '../stores/factor.store.js';

/**
 * The second factors of the users.
 *
 * @example
 * ```ts
 * constructor(private readonly factors: UserFactors) {}
 *
 * async deleteAccount(userId: number): Promise<void> {
 *   await this.users.delete(userId);
 *   await this.factors.removeAllOf(userId);
 * }
 * ```
 */
@Injectable()
export class UserFactors {
  constructor(
    private readonly store: FactorStore,
    private readonly login: SecondFactorLogin,
  ) {}

  listOf(userId: UserId): Promise<FactorList> {
    return this.store.read(userId, async (owned) => {
      const devices = await owned.confirmed();
      return {
        factors: devices.map(({ id, name, createdAt, lastUsedAt }) => ({
          id,
          kind: 'totp',
          name,
          createdAt: new Date(createdAt),
          lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
        })),
        recoveryCodesLeft: await owned.countRecoveryCodes(),
      };
    });
  }

  /**
   * Removes all devices and recovery codes of a user, and ends logins that wait for the second factor. Call it when
   * your own code deletes a user. `kit-auth-admin` calls it automatically.
   *
   * @param transaction the transaction that deletes the user, for example `AccountChange.transaction`
   * @returns the number of devices that were removed
   */
  async removeAllOf(userId: UserId, transaction?: unknown): Promise<number> {
    const count = await this.store.change(userId, transaction, (factors) => factors.clear());
    await this.login.cancelOf(userId, transaction);
    return count;
  }
}
