import type { UserId } from 'kit-auth';
import { ownerOf } from 'kit-auth/login';
import { dataSourceOf, isSqlite, verifyStored } from 'kit-auth/typeorm';
import { type EntityManager, type FindOneOptions, In } from 'typeorm';
import { AuthPasskey, AuthPasskeyUser } from './auth-passkey.entity.js';

/** The rows of one user, in one transaction. */
export class PasskeyRows {
  private readonly userId: string;
  private readonly owner: string;

  /** @param transaction which other writes of the change join */
  constructor(
    readonly transaction: EntityManager,
    userId: UserId,
  ) {
    this.userId = String(userId);
    this.owner = ownerOf(userId);
  }

  /** Other changes of the same user's passkeys wait until this one is committed. */
  async lock(): Promise<void> {
    if (this.rowLock !== undefined) {
      await this.transaction.findOne(AuthPasskeyUser, { where: { id: this.owner }, lock: this.rowLock });
    }
  }

  /** Oldest first. */
  async list(): Promise<AuthPasskey[]> {
    return this.rows();
  }

  /** The latest rows, locked, oldest first. A transaction that has read before may not see them without the lock. */
  latest(): Promise<AuthPasskey[]> {
    return this.rows(this.rowLock);
  }

  /** Looks for the id among the passkeys of all users. */
  isTaken(id: string): Promise<boolean> {
    return this.transaction.existsBy(AuthPasskey, { id });
  }

  async insert(passkey: Omit<AuthPasskey, 'userId' | 'version' | 'lastUsedAt'>): Promise<AuthPasskey> {
    const row = { ...passkey, userId: this.userId, version: 0, lastUsedAt: null };
    await this.transaction.insert(AuthPasskey, row);
    await verifyStored(this.transaction, AuthPasskey, row.id, { name: row.name });
    return row;
  }

  async rename(id: string, name: string): Promise<void> {
    await this.transaction.update(AuthPasskey, { id }, { name });
    await verifyStored(this.transaction, AuthPasskey, id, { name });
  }

  async delete(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) {
      await this.transaction.delete(AuthPasskey, { id: In([...ids]) });
    }
  }

  /** Deletes the handle of the user. */
  async deleteUser(): Promise<void> {
    await this.transaction.delete(AuthPasskeyUser, { id: this.owner });
  }

  private async rows(lock?: FindOneOptions['lock']): Promise<AuthPasskey[]> {
    const { userId } = this;
    const order = { createdAt: 'ASC', id: 'ASC' } as const;
    const rows = await this.transaction.find(AuthPasskey, {
      where: { userId },
      order,
      ...(lock && { lock }),
    });
    return rows.filter((row) => row.userId === userId); // some databases ignore case in comparisons
  }

  /** Undefined on SQLite, where no other write comes in between. */
  private get rowLock(): FindOneOptions['lock'] {
    return isSqlite(dataSourceOf(this.transaction)) ? undefined : { mode: 'pessimistic_write' };
  }
}
