import type { DatabaseTransactions } from 'kit-auth/typeorm';
import { IsNull, MoreThan } from 'typeorm';
import { AuthSession, toRow, toStoredSession } from './auth-session.entity.js';
import type { Session, StoredSession } from './session-store.js';

/** Sessions in a database that take the place of others. */
export class DatabaseReplacements {
  constructor(private readonly transactions: DatabaseTransactions) {}

  replace(formerId: string, session: Session): Promise<boolean> {
    return this.transactions.run(async (manager) => {
      // The row of the former session comes first: an end of it waits here, and then finds the successor.
      const live = { id: formerId, endedBy: IsNull(), expiresAt: MoreThan(session.createdAt) };
      const end = { endedBy: 'replaced', successorId: session.id } as const;
      if ((await manager.update(AuthSession, live, end)).affected !== 1) {
        return false;
      }
      await manager.insert(AuthSession, toRow({ ...session, endedBy: undefined }));
      return true;
    }, 'READ COMMITTED');
  }

  /** The id of the session that took the place of this one. */
  async successorOf(id: string): Promise<string | undefined> {
    const former = await this.transactions.read((manager) =>
      manager.findOneBy(AuthSession, { id, endedBy: 'replaced' }),
    );
    return former?.successorId ?? undefined;
  }

  keepFirstEnd(end: StoredSession): Promise<StoredSession> {
    return this.transactions.write(async (manager) => {
      const insert = manager.createQueryBuilder().insert().into(AuthSession);
      await insert.values(toRow(end)).orIgnore().execute();
      return toStoredSession(await manager.findOneByOrFail(AuthSession, { id: end.id }));
    });
  }
}
