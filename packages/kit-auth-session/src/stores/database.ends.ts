import type { DatabaseTransactions, LoginRows } from 'kit-auth/typeorm';
import { type EntityManager, IsNull } from 'typeorm';
import { AuthSession, toRow, toStoredSession } from './auth-session.entity.js';
import { mergeEnds } from './ends-of-all.js';
import type { DatabaseReplacements } from './database.replacements.js';
import type { EndOfAll, SessionEnd } from './session-store.js';

/** Ends single sessions in a database, and stores the ends of stateless ones. */
export class DatabaseEnds {
  constructor(
    private readonly transactions: DatabaseTransactions,
    private readonly rows: LoginRows<AuthSession>,
    private readonly replacements: DatabaseReplacements,
  ) {}

  async endOne(id: string, by: SessionEnd, now: number, onBehalfOf: string | undefined): Promise<boolean> {
    if (await this.rows.end(id, by, now, onBehalfOf)) {
      return true;
    }
    const successorId = await this.replacements.successorOf(id);
    return successorId !== undefined && this.endOne(successorId, by, now, onBehalfOf);
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
