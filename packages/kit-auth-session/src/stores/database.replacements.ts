import type { DatabaseTransactions, LoginRows } from 'kit-auth/typeorm';
import { IsNull, MoreThan } from 'typeorm';
import { AuthSession, toRow, toStoredSession } from './auth-session.entity.js';
import type { Session, StoredSession } from './session-store.js';

/** Replaces sessions in a database with new ones. */
export class DatabaseReplacements {
  constructor(
    private readonly transactions: DatabaseTransactions,
    private readonly rows: LoginRows<AuthSession>,
  ) {}

  replace(formerId: string, session: Session): Promise<boolean> {
    return this.transactions.run(async (manager) => {
      const row = toRow({ ...session, endedBy: undefined });
      await this.rows.lockOwner(manager, row);
      // The row of the old session is locked first: an end of it waits for this, and then finds the successor.
      const live = { id: formerId, endedBy: IsNull(), expiresAt: MoreThan(session.createdAt) };
      const end = { endedBy: 'replaced', successorId: session.id } as const;
      if ((await manager.update(AuthSession, live, end)).affected !== 1) {
        return false;
      }
      await manager.insert(AuthSession, row);
      return true;
    }, 'READ COMMITTED');
  }

  /** The id of the session that replaced this one. */
  async successorOf(id: string): Promise<string | undefined> {
    const former = await this.transactions.read((manager) =>
      manager.findOneBy(AuthSession, { id, endedBy: 'replaced' }),
    );
    return former?.successorId ?? undefined;
  }

  async keepFirstEnd(end: StoredSession): Promise<StoredSession> {
    await this.transactions.write((manager) =>
      manager.createQueryBuilder().insert().into(AuthSession).values(toRow(end)).orIgnore().execute(),
    );
    const { id } = end;
    return toStoredSession(
      await this.transactions.read((manager) => manager.findOneByOrFail(AuthSession, { id })),
    );
  }
}
