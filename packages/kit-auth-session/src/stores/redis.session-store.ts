import { Logger } from '@nestjs/common';
import { IllegalStateException } from 'kit-auth';
import { createClient } from 'redis';
import { Deadline } from './deadline.js';
import { CREATE, END, END_ALL, KEEP_END, KEEP_END_OF_ALL, LIST, TOUCH } from './redis.scripts.js';
import {
  type EndOfAll,
  REMEMBERED_MS,
  SESSION_ENDS,
  type Session,
  type SessionEnd,
  type SessionLimit,
  type SessionStore,
  type SparedSession,
  type StoredSession,
} from './session-store.js';

type Fields = (string | null)[];

/** What is used of a node-redis client, pool or cluster. */
export interface RedisCommands {
  hmGet(key: string, fields: string[]): Promise<Fields>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

export interface RedisSessionStoreOptions {
  /** `redis://user:password@host:port/db`; the store connects, reconnects and closes by itself. */
  url?: string | undefined;
  /** An existing client, connected and closed by whoever made it; instead of `url`. */
  client?: RedisCommands | undefined;
  /** Precedes every key. Default `kit-auth:`. */
  keyPrefix?: string | undefined;
  /** How long Redis may take to answer before a request gets 50300, in milliseconds. Default 500. */
  commandTimeoutMs?: number | undefined;
}

const CONNECT_MS = 5000;
const MOST_QUEUED = 1000;
const FIELDS = [
  ...['id', 'userId', 'createdAt', 'lastSeenAt', 'expiresAt'],
  ...['address', 'userAgent', 'endedBy', 'spared'],
];

/** Sessions in Redis, on its own or as a cluster: everything of one user has one hash tag. */
export class RedisSessionStore implements SessionStore {
  private readonly logger = new Logger('KitAuthSession');
  private readonly redis: RedisCommands;
  private readonly own: ReturnType<typeof createClient> | undefined;
  private readonly keyPrefix: string;
  private readonly deadline: Deadline;

  /** @throws IllegalStateException without `url` and `client`, or with a `commandTimeoutMs` that is no time */
  constructor({ url, client, keyPrefix = 'kit-auth:', commandTimeoutMs = 500 }: RedisSessionStoreOptions) {
    if ((url === undefined) === (client === undefined)) {
      throw new IllegalStateException('RedisSessionStore needs either a url or a client.');
    }
    if (!Number.isInteger(commandTimeoutMs) || commandTimeoutMs < 1 || commandTimeoutMs > 60_000) {
      throw new IllegalStateException(
        'RedisSessionStore: commandTimeoutMs must be a whole number from 1 to 60000.',
      );
    }
    this.own = url === undefined ? undefined : this.clientOf(url);
    this.redis = client ?? (this.own as unknown as RedisCommands);
    this.keyPrefix = keyPrefix;
    this.deadline = new Deadline('Redis', commandTimeoutMs, MOST_QUEUED);
  }

  async open(): Promise<void> {
    if (this.own === undefined) {
      return;
    }
    try {
      await new Deadline('Redis', CONNECT_MS).within(() =>
        (this.own as ReturnType<typeof createClient>).connect(),
      );
    } catch (cause) {
      this.own.destroy();
      throw new IllegalStateException('RedisSessionStore cannot reach Redis: see its url.', { cause });
    }
  }

  async create(session: Session, limit?: SessionLimit): Promise<boolean> {
    const { id, createdAt, expiresAt } = session;
    const created = await this.run(CREATE, id, [
      ...[this.prefixOf(id), id, createdAt, expiresAt + REMEMBERED_MS],
      ...[limit?.max ?? 0, limit?.overflow ?? '', limit?.seenSince ?? 0, expiresAt],
      ...fieldsOf(session),
    ]);
    return created === 1;
  }

  async keepEnd(end: StoredSession): Promise<void> {
    await this.run(KEEP_END, end.id, [
      end.expiresAt + REMEMBERED_MS,
      ...fieldsOf(end),
      'endedBy',
      end.endedBy ?? '',
    ]);
  }

  async keepEndOfAll(end: EndOfAll): Promise<void> {
    const { id, userId, at, by, expiresAt, exceptId = '', onBehalfOf } = end;
    await this.run(KEEP_END_OF_ALL, id, [
      ...[id, userId, at, by, expiresAt, REMEMBERED_MS, exceptId],
      ...[onBehalfOf?.id ?? '', onBehalfOf?.createdAt ?? 0],
    ]);
  }

  find(id: string): Promise<StoredSession | undefined> {
    return this.deadline
      .within(() => this.redis.hmGet(this.prefixOf(id) + id, FIELDS))
      .then(
        (fields) => this.read(fields),
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
    return (await this.run(END, id, [id, by, now, this.prefixOf(id), onBehalfOf])) === 1;
  }

  async endAllOf(
    userId: number,
    by: SessionEnd,
    now: number,
    exceptId = '',
    onBehalfOf = '',
  ): Promise<number> {
    const anyId = `${userId.toString(36)}.`;
    return Number(await this.run(END_ALL, anyId, [this.prefixOf(anyId), by, now, exceptId, onBehalfOf]));
  }

  async listOf(userId: number, now: number): Promise<Session[]> {
    const anyId = `${userId.toString(36)}.`;
    const lists = (await this.run(LIST, anyId, [this.prefixOf(anyId), now, ...FIELDS])) as Fields[];
    return lists
      .map((fields) => this.read(fields))
      .filter((session) => session !== undefined && session.endedBy === undefined && now < session.expiresAt)
      .map((session) => session as StoredSession)
      .map(({ endedBy, ...session }) => session)
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Redis forgets by itself. */
  prune(): number {
    return 0;
  }

  async close(): Promise<void> {
    if (this.own?.isOpen) {
      this.own.destroy();
    }
  }

  private run(script: string, id: string, values: (string | number)[]): Promise<unknown> {
    const prefix = this.prefixOf(id);
    const keys = [`${prefix}index`, prefix + id];
    return this.deadline.within(() => this.redis.eval(script, { keys, arguments: values.map(String) }));
  }

  private prefixOf(id: string): string {
    return `${this.keyPrefix}{${id.slice(0, id.indexOf('.'))}}:`;
  }

  /** Undefined for what is not there, and for what cannot be a session, which is logged. */
  private read([id, ...fields]: Fields): StoredSession | undefined {
    if (id === null && fields.every((field) => field === null)) {
      return undefined;
    }
    const [userId, createdAt, lastSeenAt, expiresAt, address, userAgent, endedBy, spared] = fields;
    const session: StoredSession = {
      id: id ?? '',
      userId: Number(userId ?? NaN),
      createdAt: Number(createdAt ?? NaN),
      lastSeenAt: Number(lastSeenAt ?? NaN),
      expiresAt: Number(expiresAt ?? NaN),
      address: address ?? undefined,
      userAgent: userAgent ?? undefined,
      endedBy: (endedBy ?? undefined) as SessionEnd | undefined,
      ...(typeof spared === 'string' && { spared: sparedOf(spared) }),
    };
    if (!isSession(session)) {
      this.logger.error('[auth] Redis holds something under the key of a session that is no session');
      return undefined;
    }
    return session;
  }

  private clientOf(url: string): ReturnType<typeof createClient> {
    const client = createClient({
      url,
      // Nothing waits for a server that is away: requests are answered, and the client tries again.
      disableOfflineQueue: true,
      commandsQueueMaxLength: MOST_QUEUED,
      socket: { connectTimeout: 1000, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1000) },
    });
    let isAway = false;
    client.on('error', (error: Error) => {
      if (!isAway) {
        isAway = true;
        this.logger.error(`[auth] Redis is away: ${error.message}`);
      }
    });
    client.on('ready', () => {
      if (isAway) {
        isAway = false;
        this.logger.log('[auth] Redis is back');
      }
    });
    return client as ReturnType<typeof createClient>;
  }
}

function fieldsOf({ id, userId, createdAt, lastSeenAt, expiresAt, address, userAgent }: Session): string[] {
  const fields = { id, userId, createdAt, lastSeenAt, expiresAt, address, userAgent };
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [name, String(value)],
  );
}

/** Id, time and reason, with spaces in between: as one field, because every look-up reads it. */
function sparedOf(text: string): SparedSession {
  const [id = '', endedAt, endedBy] = text.split(' ');
  return { id, endedAt: Number(endedAt ?? NaN), endedBy: endedBy ? (endedBy as SessionEnd) : undefined };
}

function isSession({
  id,
  userId,
  createdAt,
  lastSeenAt,
  expiresAt,
  endedBy,
  spared,
}: StoredSession): boolean {
  return (
    id !== '' &&
    Number.isSafeInteger(userId) &&
    Number.isSafeInteger(createdAt) &&
    Number.isSafeInteger(lastSeenAt) &&
    Number.isSafeInteger(expiresAt) &&
    (endedBy === undefined || SESSION_ENDS.includes(endedBy)) &&
    (spared === undefined || Number.isSafeInteger(spared.endedAt)) &&
    (spared?.endedBy === undefined || SESSION_ENDS.includes(spared.endedBy))
  );
}
