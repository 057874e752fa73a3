import { Inject, Injectable, type OnApplicationBootstrap, Optional } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  type AuthEvent,
  type AuthEventSink,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type UserId,
} from 'kit-auth';
import { ActiveUserStore, type Call } from 'kit-auth/feature';
import { plainText } from 'kit-auth/tools';
import {
  deleteBatch,
  ifUnstorable,
  isUnstorable,
  PackageDatabase,
  readFromReplica,
  serializedWrite,
} from 'kit-auth/typeorm';
import { type DataSource, type EntityManager, LessThan, type SelectQueryBuilder } from 'typeorm';
import { type Page, rangeOf } from '../input/query.js';
import type { auditApi } from './audit.api.js';
import { AuthAudit } from './auth-audit.entity.js';
import { AUDIT_TABLES } from './kit-auth-admin.migrations.js';

const DELETE_BATCH = 1000;

type Query = Call<typeof auditApi, 'GET audit'>['query'];

/** An event of the log. The ids of users have the type of the user store. */
export interface AuditEntry extends AuthEvent {
  id: number;
}

/** Stores events in the database of the application, and reads them. */
@Injectable()
export class AuditLog implements AuthEventSink, OnApplicationBootstrap {
  private readonly database: PackageDatabase;

  constructor(
    private readonly users: ActiveUserStore,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    @Optional() @InjectDataSource() dataSource: DataSource | undefined,
  ) {
    this.database = new PackageDatabase('audit events', AUDIT_TABLES, dataSource);
  }

  /** @throws IllegalStateException when the data source or the table is missing */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.enabled) {
      await this.database.open();
    }
  }

  /** @param transaction of the user store; used if it is an `EntityManager` of the same data source */
  async keep(event: AuthEvent, transaction?: unknown): Promise<void> {
    const joined = this.database.joined(transaction);
    await (joined === undefined ? this.write((manager) => keepIn(manager, event)) : keepIn(joined, event));
  }

  async keepAll(events: readonly AuthEvent[]): Promise<void> {
    await this.write((manager) => insert(events, manager));
  }

  /**
   * Reads a page of the log, newest events first.
   *
   * @param query `actor` and `subject` are a username, the code of a role, or the id of a user. `from` is inclusive, `to` is
   * exclusive
   */
  read(query: Query): Promise<Page<AuditEntry>> {
    return readFromReplica(this.database.dataSource, (manager) => this.pageIn(manager, query));
  }

  private async pageIn(manager: EntityManager, query: Query): Promise<Page<AuditEntry>> {
    const { type, from, to } = query;
    const { page, size, skip } = rangeOf(query);
    const found = manager.createQueryBuilder(AuthAudit, 'row').where('1 = 1');
    for (const name of ['actor', 'subject'] as const) {
      const text = query[name];
      if (text !== undefined) {
        found.andWhere(`(row.${name} = :${name} OR row.${name}Id = :${name}Id)`, {
          [name]: plainText(text),
          [`${name}Id`]: text,
        });
      }
    }
    if (type !== undefined) {
      found.andWhere('row.type = :type', { type });
    }
    if (from !== undefined) {
      found.andWhere('row.at >= :from', { from: from.getTime() });
    }
    if (to !== undefined) {
      found.andWhere('row.at < :to', { to: to.getTime() });
    }
    const [rows, total] = await pageOf(found, skip, size).catch(ifUnstorable<[AuthAudit[], number]>([[], 0]));
    return { items: rows.map((row) => this.entryOf(row)), page, size, total };
  }

  private entryOf({ actorId, subjectId, ...row }: AuthAudit): AuditEntry {
    return { ...row, actorId: this.idFrom(actorId), subjectId: this.idFrom(subjectId) };
  }

  private idFrom(text: string | null): UserId | null {
    return text === null ? null : (this.users.idFrom(text) ?? null);
  }

  /**
   * Deletes a batch of events from before a time. Several instances of the application may call it concurrently.
   *
   * @returns how many; 0 when none is left
   */
  deleteBefore(time: Date): Promise<number> {
    return deleteBatch(this.database.dataSource, AuthAudit, { at: LessThan(time) }, DELETE_BATCH);
  }

  /** Runs a write outside of changes. No request waits for it, so it may take longer than `PackageDatabase` allows. */
  private write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { dataSource } = this.database;
    // eslint-disable-next-line kit-auth/primary-reads -- The work writes only.
    return serializedWrite(dataSource, () => work(dataSource.manager));
  }
}

/**
 * A page, newest events first. A page of the older half is read from the end of the index, because the database steps over
 * all rows before a page.
 */
async function pageOf(
  found: SelectQueryBuilder<AuthAudit>,
  skip: number,
  size: number,
): Promise<[AuthAudit[], number]> {
  const total = await found.getCount();
  const left = Math.min(size, total - skip);
  if (left <= 0) {
    return [[], total]; // PostgreSQL might read the whole table backwards to find nothing.
  }
  const behind = total - skip - left;
  const rows = await (
    skip > behind ? found.orderBy('row.id', 'ASC').skip(behind) : found.orderBy('row.id', 'DESC').skip(skip)
  )
    .take(left)
    .getMany();
  return [skip > behind ? rows.reverse() : rows, total];
}

async function keepIn(manager: EntityManager, event: AuthEvent): Promise<void> {
  try {
    await insert([event], manager);
  } catch (error) {
    if (!isUnstorable(error)) {
      throw error;
    }
    // The table and `auth_user` have different character sets. The id still identifies the user.
    await insert([inAscii(event)], manager);
  }
}

/** Inserts with one statement, without reading the row back. */
async function insert(events: readonly AuthEvent[], manager: EntityManager): Promise<void> {
  await manager
    .createQueryBuilder()
    .insert()
    .into(AuthAudit)
    .values(events.map(rowOf))
    .updateEntity(false)
    .execute();
}

function rowOf({ actorId, subjectId, onBehalfOfId, onBehalfOf, ...event }: AuthEvent): Omit<AuthAudit, 'id'> {
  const ids = { actorId: textOf(actorId), subjectId: textOf(subjectId) };
  if (onBehalfOfId === undefined) {
    return { ...event, ...ids };
  }
  const represented = `on behalf of ${onBehalfOf} (${onBehalfOfId})`;
  const detail = event.detail === null ? represented : plainText(`${represented}: ${event.detail}`);
  return { ...event, ...ids, detail };
}

function textOf(id: UserId | null): string | null {
  return id === null ? null : String(id);
}

function inAscii(event: AuthEvent): AuthEvent {
  const entries = Object.entries(event).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? value.replace(/[^ -~]/gu, '?') : value,
  ]);
  return Object.fromEntries(entries) as AuthEvent;
}
