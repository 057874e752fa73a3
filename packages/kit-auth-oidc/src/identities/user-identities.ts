import { Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { badRequest } from 'kit-auth/extend';
import { Providers } from '../config/providers.js';
import { isSubject, SUBJECT_FORM } from '../provider/claims.js';
import type { AuthIdentity } from '../stores/auth-identity.entity.js';
import { IdentityStore } from '../stores/identity.store.js';

/** An identity that a user has linked. */
export interface IdentityInfo {
  readonly id: string;
  /** The name of the provider in the options. */
  readonly provider: string;
  /** The name of the provider that people see. */
  readonly title: string;
  /** The address at the provider when the identity was linked, for people. */
  readonly address: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

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
   * @param identity `provider` is a name in `kit.auth.oidc.providers`, and `subject` what identifies the user there
   * @param transaction that of a change, for example `AccountChange.transaction`
   * @throws AuthException 40000 for a subject that is not a string of 1 to 255 printable ASCII characters, 40400 for an unknown
   * provider, 40900 for an identity that is linked already
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
   * Removes all identities of a user. Call it when your own code deletes a user. `kit-auth-admin` calls it automatically.
   *
   * @param transaction the transaction that deletes the user, for example `AccountChange.transaction`
   * @returns the number of identities that were removed
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
