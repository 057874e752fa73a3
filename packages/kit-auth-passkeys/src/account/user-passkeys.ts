import { Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import type { Removal } from 'kit-auth/feature';
import { SecondFactorLogin } from 'kit-auth/store';
import type { OwnPasskey, PasskeyInfo } from '../passkeys.api.js';
import { RelyingParty } from '../passkeys.options.js';
import type { AuthPasskey } from '../stores/auth-passkey.entity.js';
import { PasskeyStore } from '../stores/passkey.store.js';

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
// The compiled declaration lacks the internal methods, so it cannot say `implements OwnedStore`.
@Injectable()
export class UserPasskeys {
  constructor(
    private readonly store: PasskeyStore,
    private readonly login: SecondFactorLogin,
    private readonly relyingParty: RelyingParty,
  ) {}

  /** Oldest first. */
  async listOf(userId: UserId): Promise<PasskeyInfo[]> {
    return (await this.store.listOf(userId)).map(infoOf);
  }

  /** @internal */
  async listOwn(userId: UserId): Promise<OwnPasskey[]> {
    const passkeys = await this.store.listOf(userId);
    const handle = passkeys.length === 0 ? '' : await this.store.handleOf(userId);
    return passkeys.map((passkey) => this.ownInfoOf(passkey, handle));
  }

  /** @internal @param handle of the user */
  ownInfoOf(passkey: AuthPasskey, handle: string): OwnPasskey {
    const signal = { rpId: this.relyingParty.id, userId: handle, credentialId: passkey.credentialId };
    return { ...infoOf(passkey), signal };
  }

  /** @internal Without passkeys, no login of the user waits for one. */
  async remove(
    userId: UserId,
    { id, allow }: Removal<PasskeyInfo>,
    transaction: unknown,
  ): Promise<PasskeyInfo[]> {
    const { removed, isEmpty } = await this.store.change(userId, transaction, async (passkeys) => {
      const all = (await passkeys.latest()).map(infoOf);
      allow?.(all);
      const chosen = all.filter((passkey) => id === undefined || passkey.id === id);
      await passkeys.delete(chosen.map((passkey) => passkey.id));
      return { removed: chosen, isEmpty: chosen.length === all.length };
    });
    if (isEmpty) {
      await this.login.cancelOf(userId, transaction);
    }
    return removed;
  }

  /**
   * Removes all passkeys of a user, and the handle by which authenticators know the user, and ends logins that wait for a
   * second factor. Call it when your own code deletes a user. `kit-auth-admin` calls it automatically.
   *
   * @param transaction the transaction that deletes the user, for example `AccountChange.transaction`
   * @returns the number of removed passkeys
   */
  async removeAllOf(userId: UserId, transaction?: unknown): Promise<number> {
    const count = await this.store.change(userId, transaction, async (passkeys) => {
      const ids = (await passkeys.latest()).map(({ id }) => id);
      await passkeys.delete(ids);
      await passkeys.deleteUser();
      return ids.length;
    });
    await this.login.cancelOf(userId, transaction);
    return count;
  }
}

function infoOf(passkey: AuthPasskey): PasskeyInfo {
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
