import type { UserId } from './user-id.js';
import type { AccountChange } from './user-store.js';

/**
 * Injection token of the email addresses of users. With it, users log in with their verified address as well as with their
 * username, and packages such as `kit-auth-oidc` know whose address one is. `kit-auth-email` contributes it. A module with users
 * of its own may contribute it instead, at most once.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: AUTH_ADDRESSES, useClass: CustomerAddresses }] })
 * export class CustomersModule {}
 * ```
 */
export const AUTH_ADDRESSES = Symbol.for('kit-auth.addresses');

/**
 * The email addresses of users. Methods reject when the database does not answer.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class CustomerAddresses implements AuthAddresses {
 *   constructor(private readonly db: Database) {}
 *
 *   async addressOf(userId: UserId) {
 *     const row = await this.db.customers.findOne({ id: userId });
 *     return row && { address: row.email, verified: row.emailVerified };
 *   }
 *
 *   async ownerOf(address: string, change?: AccountChange) {
 *     const row = await this.db.customers.findOne({ emailLower: address }, change?.transaction);
 *     return row && { userId: row.id, verified: row.emailVerified };
 *   }
 *
 *   async keepVerified(userId: UserId, address: string, { transaction }: AccountChange) {
 *     await this.db.customers.update({ id: userId }, { email: address, emailVerified: true }, transaction);
 *   }
 * }
 * ```
 */
export interface AuthAddresses {
  /** The address of a user. Undefined if the user has none. */
  addressOf(userId: UserId): Promise<{ readonly address: string; readonly verified: boolean } | undefined>;
  /**
   * The user who has an address, verified or not.
   *
   * @param address in lower case, with the domain in ASCII
   * @param change if given, look in its transaction
   */
  ownerOf(
    address: string,
    change?: AccountChange,
  ): Promise<{ readonly userId: UserId; readonly verified: boolean } | undefined>;
  /**
   * Stores the verified address of a new account.
   *
   * @param change the change that creates the account
   * @throws AuthException 40900 when another user has the address
   */
  keepVerified(userId: UserId, address: string, change: AccountChange): Promise<void>;
}
