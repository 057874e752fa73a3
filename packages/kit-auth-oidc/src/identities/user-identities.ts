import { Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { badRequest, type Removal } from 'kit-auth/feature';
import type { IdentityInfo } from '../oidc.api.js';
import { isSubject, SUBJECT_FORM } from '../providers/claims.js';
import { Providers } from '../providers/providers.js';
import { IdentityStore } from '../stores/identity.store.js';
import type { AuthIdentity } from '../stores/identity.tables.js';

/**
 * The identities of the users.
 *
 * @example
 * ```ts
 * constructor(private readonly identities: UserIdentities) {}
 *
 * async deleteAccount(userId: number): Promise<void> {
 *   await this.users.delete(userId);
 *   await this.identities.removeAllOf(userId);
 * }
 * ```
 */
// The compiled declaration lacks the internal method, so it cannot say `implements OwnedStore`.
@Injectable()
export class UserIdentities {
  constructor(
    private readonly store: IdentityStore,
    private readonly providers: Providers,
  ) {}

  /** Oldest first. */
  async listOf(userId: UserId): Promise<IdentityInfo[]> {
    return (await this.store.listOf(userId)).map((identity) => this.infoOf(identity));
  }

  /**
   * Links an identity, for example when you move users from another library. Does not check that the user exists.
   *
   * @param identity `provider` is a name in `kit.auth.oidc.providers`, `subject` the id of the user there
   * @param transaction for example `AccountChange.transaction`
   * @throws AuthException 40000 for a subject that is not a string of 1 to 255 printable ASCII characters, 40400 for an unknown
   * provider, 40900 for a linked identity
   */
  async link(
    userId: UserId,
    {
      provider,
      subject,
      address,
    }: { readonly provider: string; readonly subject: string; readonly address?: string },
    transaction?: unknown,
  ): Promise<void> {
    const { issuer } = this.providers.get(provider);
    if (!isSubject(subject)) {
      throw badRequest(`"subject" must be ${SUBJECT_FORM}`);
    }
    await this.store.insert(
      userId,
      { provider, issuer, subject, address: address ?? null },
      false,
      transaction,
    );
  }

  /**
   * @param removal `allow` gets the identities that the user can log in with, and the one to remove
   * @internal
   */
  async remove(
    userId: UserId,
    { id, allow }: Removal<IdentityInfo>,
    transaction: unknown,
  ): Promise<IdentityInfo[]> {
    const removed = await this.store.remove(userId, transaction, (all) => {
      const chosen = all.filter((identity) => id === undefined || identity.id === id);
      const usable = all.filter((identity) => this.providers.ofIdentity(identity) !== undefined);
      allow?.([...new Set([...usable, ...chosen])].map((identity) => this.infoOf(identity)));
      return chosen;
    });
    return removed.map((identity) => this.infoOf(identity));
  }

  /**
   * Removes all identities of a user. Call it when your own code deletes a user. `kit-auth-admin` calls it automatically.
   *
   * @param transaction the transaction that deletes the user, for example `AccountChange.transaction`
   * @returns the number of removed identities
   */
  async removeAllOf(userId: UserId, transaction?: unknown): Promise<number> {
    return (await this.store.remove(userId, transaction, (all) => all)).length;
  }

  private infoOf({ id, provider, address, createdAt, lastUsedAt }: AuthIdentity): IdentityInfo {
    return {
      id,
      provider,
      title: this.providers.find(provider)?.title ?? provider,
      address,
      createdAt: new Date(createdAt),
      lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
    };
  }
}
