import { Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { SecondFactorLogin } from 'kit-auth/second-factor';
import type { AuthPasskey } from '../stores/auth-passkey.entity.js';
import { PasskeyStore } from '../stores/passkey.store.js';

/** A passkey of a user. */
export interface PasskeyInfo {
  readonly id: string;
  /** The name that the user chose, or that of the authenticator. */
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  /** Whether a copy exists, for example in the cloud of a password manager. */
  readonly backedUp: boolean;
  /** `multi` if the passkey can be on several devices. */
  readonly deviceType: 'single' | 'multi';
  /** How browsers reach the authenticator, such as `internal`, `hybrid` or `usb`. */
  readonly transports: string[];
}

/**
 * The passkeys of the users.
 *
 * @example
 * ```ts
 * constructor(private readonly passkeys: UserPasskeys) {}
 *
 * async deleteAccount(userId: number): Promise<void> {
 *   await this.users.delete(userId);
 *   await this.passkeys.removeAllOf(userId);
 * }
 * ```
 */
@Injectable()
export class UserPasskeys {
  constructor(
    private readonly store: PasskeyStore,
    private readonly login: SecondFactorLogin,
  ) {}

  /** Oldest first. */
  async listOf(userId: UserId): Promise<PasskeyInfo[]> {
    return (await this.store.listOf(userId)).map(infoOf);
  }

  /**
   * Removes all passkeys of a user, and the handle by which authenticators know the user, and ends logins that wait for a
   * second factor. Call it when your own code deletes a user. `kit-auth-admin` calls it automatically.
   *
   * @param transaction the transaction that deletes the user, for example `AccountChange.transaction`
   * @returns the number of passkeys that were removed
   */
  async removeAllOf(userId: UserId, transaction?: unknown): Promise<number> {
    const count = await this.store.change(userId, transaction, async (passkeys) => {
      const ids = (await passkeys.latest()).map(({ id }) => id);
      await passkeys.remove(ids);
      await passkeys.forgetUser();
      return ids.length;
    });
    await this.login.cancelOf(userId, transaction);
    return count;
  }
}

export function infoOf(passkey: AuthPasskey): PasskeyInfo {
  const { id, name, createdAt, lastUsedAt, backedUp, deviceType, transports } = passkey;
  return {
    id,
    name,
    createdAt: new Date(createdAt),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
    backedUp,
    deviceType,
    transports: transports === '' ? [] : transports.split(','),
  };
}
