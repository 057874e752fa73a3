import { Logger } from '@nestjs/common';
import { IllegalStateException, type UserId } from 'kit-auth';
import { ownerOf } from 'kit-auth/login';
import type { RedisCommands } from './redis.client.js';
import { RedisConnection } from './redis.connection.js';
import type { IoredisClient } from './redis.ioredis-client.js';
import { type Fields, FIELDS, fieldsOf, readFields } from './redis.fields.js';
import {
  CREATE,
  END,
  END_ALL,
  KEEP_END,
  KEEP_END_OF_ALL,
  KEEP_FIRST_END,
  LIST,
  REPLACE,
  TOUCH,
} from './redis.scripts.js';
import {
  type EndOfAll,
  REMEMBERED_MS,
  type Session,
  type SessionEnd,
  type SessionLimit,
  type SessionStore,
  type StoredSession,
} from './session-store.js';

export interface RedisSessionStoreOptions {
  /** `redis://user:password@host:port/db`, with the package `redis`. The store connects, reconnects and disconnects. */
  url?: string | undefined;
  /**
   * A client instead of `url`. Your application closes it.
   *
   * - Of `redis`: a connected client, cluster, sentinel or pool. When its connections become silent, the store continues
   *   with a duplicate, which it closes itself.
   * - Of `ioredis`: a client, also one with sentinels, or a cluster. The store only uses a duplicate with time-outs of its
   *   own, which it connects and closes itself.
   */
  client?: RedisCommands | IoredisClient | undefined;
  /** Prefix of all keys, before the realm. Default `kit-auth:`. */
  keyPrefix?: string | undefined;
  /** Milliseconds after which a request without an answer from Redis gets 50300. 1 to 60000, default 500. */
  commandTimeoutMs?: number | undefined;
}

/**
 * Stores sessions in Redis. Supports clusters, because all keys of a user share a hash tag.
 *
 * @example
 * KitAuthSessionModule.forRoot({ store: new RedisSessionStore({ url: 'redis://127.0.0.1:6379' }) })
 *
 * @example
 * import { Redis } from 'ioredis';
 * KitAuthSessionModule.forRoot({ store: new RedisSessionStore({ client: new Redis('redis://127.0.0.1:6379') }) })
 */
export class RedisSessionStore implements SessionStore {
  private readonly logger = new Logger('KitAuthSession');
  private readonly connection: RedisConnection;
  readonly needsRealm = true;
  private readonly keyPrefix: string;
  private realmPrefix = '';

  /** @throws IllegalStateException without `url` and `client`, with both, or for an invalid `commandTimeoutMs` */
  constructor({ url, client, keyPrefix = 'kit-auth:', commandTimeoutMs = 500 }: RedisSessionStoreOptions) {
    if (!url === !client) {
      throw new IllegalStateException('RedisSessionStore needs either a url or a client.');
    }
    if (!Number.isInteger(commandTimeoutMs) || commandTimeoutMs < 1 || commandTimeoutMs > 60_000) {
      throw new IllegalStateException(
        'RedisSessionStore: commandTimeoutMs must be a whole number from 1 to 60000.',
      );
    }
    this.connection = client
      ? RedisConnection.ofClient(client, commandTimeoutMs)
      : RedisConnection.ofUrl(url as string, commandTimeoutMs);
    this.keyPrefix = keyPrefix;
  }

  /**
   * Creates a session that has expired long ago. Redis deletes it immediately.
   *
   * @param realm part of all keys, so that users of other databases have other sessions
   * @throws IllegalStateException if that does not work
   */
  async open(realm?: string): Promise<void> {
    this.realmPrefix = realm === undefined ? '' : `${realm}:`;
    const now = Date.now();
    const nobody = { id: '0.start-up', userId: 0, address: undefined, userAgent: undefined };
    const session = { ...nobody, createdAt: now, lastSeenAt: now, expiresAt: now - REMEMBERED_MS };
    const options = this.optionsOf(session.id, this.creationOf(session));
    await this.connection.open(async (redis) => Array.isArray(await redis.eval(CREATE, options)));
  }

  async create(session: Session, limit?: SessionLimit): Promise<boolean> {
    const replaced = await this.run(CREATE, session.id, this.creationOf(session, limit));
    if (!Array.isArray(replaced)) {
      return false;
    }
    replaced.forEach((id) => limit?.ended?.(String(id)));
    return true;
  }

  async replace(formerId: string, session: Session): Promise<boolean> {
    const { id, createdAt, expiresAt } = session;
    const replaced = await this.run(REPLACE, id, [
      formerId,
      id,
      createdAt,
      expiresAt + REMEMBERED_MS,
      expiresAt,
      ...fieldsOf(session),
    ]);
    return isDone(replaced);
  }

  async keepEnd(end: StoredSession): Promise<void> {
    await this.run(KEEP_END, end.id, endFieldsOf(end));
  }

  async keepFirstEnd(end: StoredSession): Promise<StoredSession> {
    await this.run(KEEP_FIRST_END, end.id, endFieldsOf(end));
    return (await this.find(end.id)) ?? end;
  }

  async keepEndOfAll(end: EndOfAll): Promise<void> {
    const { id, userId, at, by, expiresAt, exceptId = '', onBehalfOf } = end;
    await this.run(KEEP_END_OF_ALL, id, [
      id,
      userId,
      at,
      by,
      expiresAt,
      REMEMBERED_MS,
      exceptId,
      onBehalfOf?.id ?? '',
      onBehalfOf?.createdAt ?? 0,
    ]);
  }

  find(id: string): Promise<StoredSession | undefined> {
    const key = this.prefixOf(id) + id;
    return this.connection
      .call(key, (redis) => redis.hmGet(key, FIELDS))
      .then(
        (fields) => this.read(fields as Fields),
        (error: unknown) => {
          if (error instanceof Error && error.message.startsWith('WRONGTYPE')) {
            return this.read(['of another type']);
          }
          throw error;
        },
      );
  }

  async touch(id: string, at: number): Promise<void> {
    await this.run(TOUCH, id, [at]);
  }

  async end(id: string, by: SessionEnd, now: number, onBehalfOf = ''): Promise<boolean> {
    return isDone(await this.run(END, id, [id, by, now, onBehalfOf]));
  }

  async endAllOf(
    userId: UserId,
    by: SessionEnd,
    now: number,
    exceptId = '',
    onBehalfOf = '',
  ): Promise<number> {
    const anyId = `${ownerOf(userId)}.`;
    return Number(await this.run(END_ALL, anyId, [by, now, exceptId, onBehalfOf]));
  }

  async listOf(userId: UserId, now: number): Promise<Session[]> {
    const anyId = `${ownerOf(userId)}.`;
    const lists = (await this.run(LIST, anyId, [now, ...FIELDS])) as Fields[];
    return lists
      .map((fields) => this.read(fields))
      .filter((session) => session !== undefined && session.endedBy === undefined && now < session.expiresAt)
      .map((session) => session as StoredSession)
      .map(({ endedBy, ...session }) => session)
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Redis deletes expired keys itself. */
  prune(): number {
    return 0;
  }

  async close(): Promise<void> {
    this.connection.close();
  }

  private run(script: string, id: string, values: (string | number)[]): Promise<unknown> {
    const options = this.optionsOf(id, values);
    return this.connection.call(options.keys[1], (redis) => redis.eval(script, options));
  }

  private optionsOf(
    id: string,
    values: (string | number)[],
  ): { keys: [index: string, session: string]; arguments: string[] } {
    const prefix = this.prefixOf(id);
    return { keys: [`${prefix}index`, prefix + id], arguments: values.map(String) };
  }

  private creationOf(session: Session, limit?: SessionLimit): (string | number)[] {
    const { id, createdAt, expiresAt } = session;
    return [
      id,
      createdAt,
      expiresAt + REMEMBERED_MS,
      limit?.max ?? 0,
      limit?.overflow ?? '',
      limit?.seenSince ?? 0,
      expiresAt,
      ...fieldsOf(session),
    ];
  }

  private prefixOf(id: string): string {
    return `${this.keyPrefix}${this.realmPrefix}{${id.slice(0, id.indexOf('.'))}}:`;
  }

  /** Undefined for missing keys, and for invalid content, which is logged. */
  private read(fields: Fields): StoredSession | undefined {
    const session = readFields(fields);
    if (session === 'invalid') {
      this.logger.error('[auth] the content of a session key in Redis is not a session');
      return undefined;
    }
    return session;
  }
}

function endFieldsOf(end: StoredSession): (string | number)[] {
  return [end.expiresAt + REMEMBERED_MS, ...fieldsOf(end), 'endedBy', end.endedBy ?? ''];
}

/** The results of scripts. */
function isDone(answer: unknown): boolean {
  return answer === 1;
}
