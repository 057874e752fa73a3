import { hash, randomBytes } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, Optional } from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { AuthException, KIT_AUTH_SETTINGS, type KitAuthSettings, type UserId } from 'kit-auth';
import { conflict } from 'kit-auth/feature';
import { ownerOf } from 'kit-auth/login';
import { asBadRequest, PackageDatabase, readFromPrimary } from 'kit-auth/typeorm';
import { type DataSource, type EntityManager, Not } from 'typeorm';
import { AuthPasskey, AuthPasskeyUser } from './auth-passkey.entity.js';
import { PASSKEY_TABLES } from './passkey.migrations.js';
import { PasskeyRows } from './passkey.rows.js';

// Adds the entities to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthPasskey, AuthPasskeyUser]);

const HANDLE_BYTES = 32;

/** A passkey with its user. */
export interface FoundPasskey {
  readonly passkey: AuthPasskey;
  readonly userId: UserId;
  /** The WebAuthn user handle. */
  readonly handle: string;
}

/** The columns that a use changes. */
export type PasskeyUse = Pick<AuthPasskey, 'counter' | 'backedUp'>;

/**
 * The passkeys of the users, in the tables `auth_passkey` and `auth_passkey_user`. For `transaction` and errors, see
 * `PackageDatabase`.
 */
@Injectable()
export class PasskeyStore implements OnApplicationBootstrap {
  private readonly database: PackageDatabase;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
    @Optional() @InjectDataSource() dataSource: DataSource | undefined,
  ) {
    this.database = new PackageDatabase('passkeys', PASSKEY_TABLES, dataSource);
  }

  /** @throws IllegalStateException when the data source or a table is missing */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.enabled) {
      await this.database.open();
    }
  }

  /**
   * @param credentialId in base64url
   * @param idFrom converts a string to the id of a user. Returns undefined for a string that is not an id
   */
  find(
    credentialId: string,
    idFrom: (text: string) => UserId | undefined,
  ): Promise<FoundPasskey | undefined> {
    return this.database.read(async (manager) => {
      const passkey = await manager.findOneBy(AuthPasskey, { id: passkeyIdOf(credentialId) });
      const userId = passkey?.credentialId === credentialId ? idFrom(passkey.userId) : undefined;
      const handle = userId === undefined ? undefined : await handleIn(manager, userId);
      return passkey === null || userId === undefined || handle === undefined
        ? undefined
        : { passkey, userId, handle };
    });
  }

  /** The passkeys of a user, oldest first. */
  listOf(userId: UserId, transaction?: unknown): Promise<AuthPasskey[]> {
    return this.database.read((manager) => new PasskeyRows(manager, userId).list(), transaction);
  }

  /** The handle of a user, 32 random bytes in base64url. The first call creates it. */
  async handleOf(userId: UserId): Promise<string> {
    const known = await this.database.read((manager) => handleIn(manager, userId));
    return known ?? this.database.write((manager) => createHandle(manager, userId));
  }

  /**
   * Records a use of a passkey. Only one of several concurrent calls succeeds.
   *
   * @param passkey as it was checked
   * @returns false when it was used or removed in the meantime
   */
  async use({ id, version }: AuthPasskey, { counter, backedUp }: PasskeyUse): Promise<boolean> {
    const use = { counter, backedUp, lastUsedAt: Date.now(), version: version + 1 };
    const { affected } = await this.database.write((manager) =>
      manager.update(AuthPasskey, { id, version }, use),
    );
    // Without a count of the driver, the use is refused: otherwise two requests could share one.
    return affected === 1;
  }

  /**
   * Runs a change of a user's passkeys. Other changes of the same user wait for it.
   *
   * @param written the name, and the id of a new passkey, for errors
   * @throws AuthException 40000 for a name that the database cannot store, 40900 for an id that another user's passkey has
   */
  change<T>(
    userId: UserId,
    transaction: unknown,
    work: (passkeys: PasskeyRows) => Promise<T>,
    { id, name }: Partial<Pick<AuthPasskey, 'id' | 'name'>> = {},
  ): Promise<T> {
    const locked = async (manager: EntityManager) => {
      const passkeys = new PasskeyRows(manager, userId);
      await passkeys.lock();
      return work(passkeys);
    };
    return this.database.run(locked, transaction, async (error) => {
      // Another user may have inserted it in the meantime.
      if (id !== undefined && !(error instanceof AuthException) && (await this.isOfOther(userId, id))) {
        throw passkeyTaken();
      }
      return asBadRequest({ name })(error);
    });
  }

  /** Reads outside of the failed transaction. */
  private isOfOther(userId: UserId, id: string): Promise<boolean> {
    const which = { id, userId: Not(String(userId)) };
    return readFromPrimary(this.database.dataSource, (manager) => manager.existsBy(AuthPasskey, which));
  }
}

/** The message must not name the owner. */
export function passkeyTaken(): AuthException {
  return conflict('This passkey is registered already. Use another one');
}

/** The primary key of a passkey. */
export function passkeyIdOf(credentialId: string): string {
  return hash('sha256', Buffer.from(credentialId, 'base64url'), 'hex');
}

async function handleIn(manager: EntityManager, userId: UserId): Promise<string | undefined> {
  return (await manager.findOneBy(AuthPasskeyUser, { id: ownerOf(userId) }))?.handle;
}

/** Concurrent calls get the same handle. */
async function createHandle(manager: EntityManager, userId: UserId): Promise<string> {
  const handle = randomBytes(HANDLE_BYTES).toString('base64url');
  await manager
    .createQueryBuilder()
    .insert()
    .into(AuthPasskeyUser)
    .values({ id: ownerOf(userId), userId: String(userId), handle })
    .orIgnore()
    .updateEntity(false)
    .execute();
  return (await handleIn(manager, userId)) ?? handle;
}
