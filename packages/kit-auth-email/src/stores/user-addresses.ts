import { Inject, Injectable, type OnApplicationBootstrap, Optional } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { AuthException, KIT_AUTH_SETTINGS, type KitAuthSettings, type UserId } from 'kit-auth';
import { ActiveUserStore, badRequest, conflict, parseAddress } from 'kit-auth/feature';
import { withinDeadline } from 'kit-auth/tools';
import { PackageDatabase, readFromPrimary } from 'kit-auth/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { ADDRESS_TABLES } from './address.migrations.js';
import { type AddressSource, AuthUserEmail } from './auth-user-email.entity.js';

const TIMEOUT_MS = 900;

/** The address of a user. Mails go to exactly this spelling of `address`. */
export interface UserAddress {
  readonly userId: UserId;
  readonly address: string;
  /** The address in lower case. */
  readonly key: string;
  /** Undefined until the address is verified. */
  readonly verifiedAt: Date | undefined;
  readonly source: AddressSource;
  /** When a link to the address has reset the password. Undefined without a reset. */
  readonly resetAt: Date | undefined;
}

/** Facts about an address. */
export interface AssignedAddress {
  /** The user is known to own the address. Password resets also work without it. */
  readonly verified: boolean;
  /** Default: `import` for a verified address, otherwise `user`. */
  readonly source?: AddressSource;
}

/**
 * The addresses of the users, in the table `auth_user_email`.
 *
 * @example
 * ```ts
 * constructor(private readonly addresses: UserAddresses) {}
 *
 * async import(user: { id: number; email: string }): Promise<void> {
 *   await this.addresses.assign(user.id, user.email, { verified: true });
 * }
 * ```
 */
@Injectable()
export class UserAddresses implements OnApplicationBootstrap {
  private readonly database: PackageDatabase;

  constructor(
    private readonly users: ActiveUserStore,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
    @Optional() @InjectDataSource() dataSource: DataSource | undefined,
  ) {
    this.database = new PackageDatabase('addresses', ADDRESS_TABLES, dataSource);
  }

  /** @throws IllegalStateException when the data source or the table is missing */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.enabled) {
      await this.database.open();
    }
  }

  async find(userId: UserId): Promise<UserAddress | undefined> {
    const id = String(userId);
    const row = await this.database.read((manager) => rowOf(manager, id));
    return row && this.addressOf(row);
  }

  /**
   * @param key an address in lower case
   * @param transaction of a change, for example `AccountChange.transaction`
   */
  async findByKey(key: string, transaction?: unknown): Promise<UserAddress | undefined> {
    const find = (manager: EntityManager) => manager.findOneBy(AuthUserEmail, { addressKey: key });
    const row = await this.database.read(find, transaction);
    return row?.addressKey === key ? this.addressOf(row) : undefined;
  }

  /**
   * Stores the address of a user and replaces the old one, if any. Links that were sent to the old one no longer work.
   *
   * @param transaction of a change, for example `AccountChange.transaction` or an `EntityManager`
   * @throws AuthException 40000 for an invalid address, 40900 for the address of another user, and for a verified address
   * that is the username of another user
   */
  async assign(
    userId: UserId,
    address: string,
    { verified, source = verified ? 'import' : 'user' }: AssignedAddress,
    transaction?: unknown,
  ): Promise<void> {
    const parsed = parseAddress(address);
    if (parsed === undefined) {
      throw badRequest('This is not an email address');
    }
    if (verified && (await this.isUsername(parsed.key, userId, transaction))) {
      throw addressTaken();
    }
    const row: AuthUserEmail = {
      userId: String(userId),
      address: parsed.address,
      addressKey: parsed.key,
      verifiedAt: verified ? Date.now() : null,
      source,
      resetAt: null,
    };
    await this.database.run(
      (manager) => put(manager, row),
      transaction,
      async (error) => {
        // Another request may have inserted it in the meantime.
        const other = error instanceof AuthException ? undefined : await this.ownerOf(row);
        throw other === undefined ? error : addressTaken();
      },
    );
  }

  /**
   * Records that a user has verified an address. The source stays, because someone else may have typed it.
   *
   * @returns false when the user has another address by now
   * @throws AuthException 40900 when it is the username of another user
   */
  async markVerified(userId: UserId, key: string, transaction?: unknown): Promise<boolean> {
    if (await this.isUsername(key, userId, transaction)) {
      throw addressTaken();
    }
    return this.mark(userId, key, { verifiedAt: Date.now() }, transaction);
  }

  /**
   * Records that a link to an address has reset the password. It verifies the address, unless that is the username of
   * another user.
   *
   * @param isOwned tells that all factors that someone else may have added are gone
   * @returns false when the user has another address by now
   */
  async markReset(userId: UserId, key: string, isOwned: boolean, transaction?: unknown): Promise<boolean> {
    const now = Date.now();
    const isFree = !(await this.isUsername(key, userId, transaction));
    const marks = {
      resetAt: now,
      ...(isFree && { verifiedAt: now }),
      ...(isOwned && { source: 'owner' as const }),
    };
    return this.mark(userId, key, marks, transaction);
  }

  /**
   * Tells whether the address is the username of another user. Then it cannot be verified: a login with it would be ambiguous.
   *
   * @param key the address in lower case
   */
  isUsername(key: string, userId: UserId, transaction?: unknown): Promise<boolean> {
    return this.users.isUsernameTaken(key, userId, transaction === undefined ? undefined : { transaction });
  }

  private mark(
    userId: UserId,
    key: string,
    marks: Partial<AuthUserEmail>,
    transaction: unknown,
  ): Promise<boolean> {
    const id = String(userId);
    return this.database.run(async (manager) => {
      if ((await rowOf(manager, id))?.addressKey !== key) {
        return false;
      }
      const which = { userId: id, addressKey: key };
      const { affected } = await manager.update(AuthUserEmail, which, marks);
      return affected !== 0;
    }, transaction);
  }

  /** Call this when your own code deletes a user. `kit-auth-admin` does it for you. */
  async remove(userId: UserId, transaction?: unknown): Promise<void> {
    const id = String(userId);
    await this.database.run(async (manager) => {
      if ((await rowOf(manager, id)) !== undefined) {
        await manager.delete(AuthUserEmail, { userId: id });
      }
    }, transaction);
  }

  /** Another user who has the address by now. Undefined if there is none, or the lookup fails. */
  private async ownerOf({ userId, addressKey }: AuthUserEmail): Promise<AuthUserEmail | undefined> {
    // Outside the transaction, because some databases abort it after the first error.
    const find = readFromPrimary(this.database.dataSource, (manager) =>
      manager.findOneBy(AuthUserEmail, { addressKey }),
    );
    const found = await withinDeadline(TIMEOUT_MS, find).catch(() => undefined);
    return found?.userId === userId ? undefined : (found ?? undefined);
  }

  private addressOf(row: AuthUserEmail): UserAddress | undefined {
    const userId = this.users.idFrom(row.userId);
    const { address, addressKey: key, source } = row;
    const [verifiedAt, resetAt] = [dateOf(row.verifiedAt), dateOf(row.resetAt)];
    return userId === undefined ? undefined : { userId, address, key, verifiedAt, source, resetAt };
  }
}

function dateOf(milliseconds: number | null): Date | undefined {
  return milliseconds === null ? undefined : new Date(milliseconds);
}

/** Some databases ignore case in comparisons. */
async function rowOf(manager: EntityManager, userId: string): Promise<AuthUserEmail | undefined> {
  const row = await manager.findOneBy(AuthUserEmail, { userId });
  return row?.userId === userId ? row : undefined;
}

async function put(manager: EntityManager, row: AuthUserEmail): Promise<void> {
  const { userId, addressKey } = row;
  const rows = await manager.findBy(AuthUserEmail, [{ userId }, { addressKey }]);
  if (rows.some((row) => row.userId !== userId)) {
    throw addressTaken();
  }
  if (rows.length === 0) {
    await manager.insert(AuthUserEmail, row);
  } else {
    await manager.update(AuthUserEmail, { userId }, row);
  }
}

export function addressTaken(): AuthException {
  return conflict('The address is taken');
}
