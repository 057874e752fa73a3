import { Injectable } from '@nestjs/common';
import { type AuthEvent, type AuthEventSink } from 'kit-auth';
import { plainText } from 'kit-auth/extend';
import { isUnusableText, noneIfUnusable, writeInTurn } from 'kit-auth/typeorm';
import { type EntityManager, In, LessThan } from 'typeorm';
import { DefaultUserStore } from '../administration/default-user-store.js';
import { type Page, type Query, readPage, readText, readTime } from '../input/page.js';
import { AuthAudit } from './auth-audit.entity.js';

const DELETE_BATCH = 1000;

/** Stores events in the database of the application, and reads them. */
@Injectable()
export class AuditLog implements AuthEventSink {
  constructor(private readonly store: DefaultUserStore) {}

  async keep(event: AuthEvent, transaction?: EntityManager): Promise<void> {
    await (transaction === undefined
      ? this.write((manager) => keepIn(manager, event))
      : keepIn(transaction, event));
  }

  async keepAll(events: readonly AuthEvent[]): Promise<void> {
    await this.write((manager) => insert(events, manager));
  }

  /**
   * Reads a page of the log, newest events first.
   *
   * @param query `actor` and `subject` (a username, the code of a role, or the id of a user), `type`, `from` (inclusive)
   * and `to` (exclusive) in ISO 8601, `page`, `size`
   * @throws AuthException 40000
   */
  async read(query: Query): Promise<Page<AuthAudit>> {
    const { page, size, skip } = readPage(query);
    const found = this.store.manager.createQueryBuilder(AuthAudit, 'row').where('1 = 1');
    for (const name of ['actor', 'subject'] as const) {
      const text = readText(query, name);
      if (text !== undefined) {
        const id = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : -1;
        found.andWhere(`(row.${name} = :${name} OR row.${name}Id = :${name}Id)`, {
          [name]: plainText(text),
          [`${name}Id`]: id,
        });
      }
    }
    const type = readText(query, 'type');
    const [from, to] = [readTime(query, 'from'), readTime(query, 'to')];
    if (type !== undefined) {
      found.andWhere('row.type = :type', { type });
    }
    if (from !== undefined) {
      found.andWhere('row.at >= :from', { from: from.getTime() });
    }
    if (to !== undefined) {
      found.andWhere('row.at < :to', { to: to.getTime() });
    }
    const reading = found.orderBy('row.id', 'DESC').skip(skip).take(size).getManyAndCount();
    const [items, total] = await reading.catch(noneIfUnusable<[AuthAudit[], number]>([[], 0]));
    return { items, page, size, total };
  }

  /**
   * Deletes some of the events from before a time. Several instances of the application may call it at once.
   *
   * @returns how many; 0 when none is left
   */
  async deleteBefore(time: Date): Promise<number> {
    const old = await this.store.manager.find(AuthAudit, {
      select: { id: true },
      where: { at: LessThan(time) },
      order: { id: 'ASC' },
      take: DELETE_BATCH,
    });
    if (old.length > 0) {
      const ids = old.map(({ id }) => id);
      await this.write((manager) => manager.delete(AuthAudit, { id: In(ids) }));
    }
    return old.length;
  }

  /** Runs a write that belongs to no change. */
  private write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { manager } = this.store;
    return writeInTurn(manager.dataSource, () => work(manager));
  }
}

async function keepIn(manager: EntityManager, event: AuthEvent): Promise<void> {
  try {
    await insert([event], manager);
  } catch (error) {
    if (!isUnusableText(error)) {
      throw error;
    }
    // The table has another character set than `auth_user`. The id still identifies the user.
    await insert([inAscii(event)], manager);
  }
}

/** One statement, which does not read the rows back. */
async function insert(events: readonly AuthEvent[], manager: EntityManager): Promise<void> {
  await manager
    .createQueryBuilder()
    .insert()
    .into(AuthAudit)
    .values([...events])
    .updateEntity(false)
    .execute();
}

function inAscii(event: AuthEvent): AuthEvent {
  const entries = Object.entries(event).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? value.replace(/[^ -~]/gu, '?') : value,
  ]);
  return Object.fromEntries(entries) as AuthEvent;
}
