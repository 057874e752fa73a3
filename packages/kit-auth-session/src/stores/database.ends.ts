import type { DatabaseTransactions, LoginRows } from 'kit-auth/typeorm';
import { type EntityManager, IsNull, MoreThan } from 'typeorm';
import { AuthSession, toRow, toStoredSession } from './auth-session.entity.js';
import { mergeEnds } from './ends-of-all.js';
import type { EndOfAll, Session, SessionEnd, StoredSession } from './session-store.js';

/** Ends and replaces single sessions in a database, and stores the ends of stateless ones. */
export class DatabaseEnds {
  constructor(
    private readonly transactions: DatabaseTransactions,
    private readonly rows: LoginRows<AuthSession>,
  ) {}

  async endOne(id: string, by: SessionEnd, now: number, onBehalfOf: string | undefined): Promise<boolean> {
    if (await this.rows.end(id, by, now, onBehalfOf)) {
      return true;
    }
    const successorId = await this.successorOf(id);
    return successorId !== undefined && this.endOne(successorId, by, now, onBehalfOf);
  }

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

  async keepFirstEnd(end: StoredSession): Promise<StoredSession> {
    await this.transactions.write((manager) =>
      manager.createQueryBuilder().insert().into(AuthSession).values(toRow(end)).orIgnore().execute(),
    );
    const { id } = end;
    return toStoredSession(
      await this.transactions.read((manager) => manager.findOneByOrFail(AuthSession, { id })),
    );
  }

  async keepEndOfAll(end: EndOfAll): Promise<void> {
    // Merging an end twice has no further effect, so it does not matter which process inserted the row.
    if (!(await this.transactions.read((manager) => manager.existsBy(AuthSession, { id: end.id })))) {
      const first = toRow(mergeEnds(undefined, end));
      await this.transactions.write((manager) =>
        manager.createQueryBuilder().insert().into(AuthSession).values(first).orIgnore().execute(),
      );
    }
    while (!(await this.transactions.run((manager) => this.merge(manager, end))));
  }

  /** The id of the session that replaced this one. */
  private async successorOf(id: string): Promise<string | undefined> {
    const former = await this.transactions.read((manager) =>
      manager.findOneBy(AuthSession, { id, endedBy: 'replaced' }),
    );
    return former?.successorId ?? undefined;
  }

  /**
   * Reads under a row lock, merges and writes. SQLite has no row locks; there, the write only applies if the row is
   * unchanged.
   *
   * @returns false when another process changed the row in between
   */
  private async merge(manager: EntityManager, end: EndOfAll): Promise<boolean> {
    const row = await manager.findOneOrFail(AuthSession, {
      where: { id: end.id },
      ...this.transactions.lock,
    });
    const kept = toStoredSession(row);
    const merged = mergeEnds(kept, end);
    if (merged === kept) {
      return true;
    }
    const { id, createdAt, expiresAt, sparedId, sparedEndedAt } = row;
    const asRead = {
      id,
      createdAt,
      expiresAt,
      sparedId: sparedId ?? IsNull(),
      sparedEndedAt: sparedEndedAt ?? IsNull(),
    };
    return (await manager.update(AuthSession, asRead, toRow(merged))).affected !== 0;
  }
}
