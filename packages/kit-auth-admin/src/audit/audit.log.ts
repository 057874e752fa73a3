import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type AuthEvent, type AuthEventSink } from 'kit-auth';
import { plainText } from 'kit-auth/extend';
import { isUnusableText, noneIfUnusable } from 'kit-auth/typeorm';
import { type EntityManager, In, LessThan, Repository } from 'typeorm';
import { type Page, type Query, readPage, readText, readTime } from '../input/page.js';
import { AuthAudit } from './auth-audit.entity.js';

const FORGOTTEN_AT_ONCE = 1000;

/** Keeps events in the application's own database, and finds them again. */
@Injectable()
export class AuditLog implements AuthEventSink {
  constructor(@InjectRepository(AuthAudit) private readonly rows: Repository<AuthAudit>) {}

  async keep(event: AuthEvent, manager: EntityManager = this.rows.manager): Promise<void> {
    try {
      await insert([event], manager);
    } catch (error) {
      if (!isUnusableText(error)) {
        throw error;
      }
      // The table has another character set than the one of users: their id still tells who it was.
      await insert([inAscii(event)], manager);
    }
  }

  async keepAll(events: readonly AuthEvent[]): Promise<void> {
    await insert(events, this.rows.manager);
  }

  /**
   * The newest first.
   *
   * @param query `actor` and `subject` (a username, the code of a role, or the id of a user), `type`, `from` (with it)
   * and `to` (without it) in ISO 8601, `page`, `size`
   * @throws AuthException 40000
   */
  async read(query: Query): Promise<Page<AuthAudit>> {
    const { page, size, skip } = readPage(query);
    const found = this.rows.createQueryBuilder('row').where('1 = 1');
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

  /** Forgets some of what is older. Several instances may do so at once. @returns how many; 0 when nothing is left */
  async forget(before: Date): Promise<number> {
    const old = await this.rows.find({
      select: { id: true },
      where: { at: LessThan(before) },
      order: { id: 'ASC' },
      take: FORGOTTEN_AT_ONCE,
    });
    if (old.length > 0) {
      await this.rows.delete({ id: In(old.map(({ id }) => id)) });
    }
    return old.length;
  }
}

/** In one statement, without a look at the rows that come of it. */
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
