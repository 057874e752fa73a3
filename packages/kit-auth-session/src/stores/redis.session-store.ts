import { Logger } from '@nestjs/common';
import { IllegalStateException } from 'kit-auth';
import { type RedisCommands, RedisConnection } from './redis.connection.js';
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

export interface RedisSessionStoreOptions {
  /** `redis://user:password@host:port/db`; the store connects, reconnects and closes by itself. */
  url?: string | undefined;
  /**
   * An existing client, connected and closed by whoever made it; instead of `url`. Where its connections go silent, the
   * store goes on with a duplicate of its own, and closes that.
   */
  client?: RedisCommands | undefined;
  /** Precedes every key. Default `kit-auth:`. */
  keyPrefix?: string | undefined;
  /** How long Redis may take to answer before a request gets 50300, in milliseconds. Default 500. */
  commandTimeoutMs?: number | undefined;
}

const FIELDS = [
  ...['id', 'userId', 'createdAt', 'lastSeenAt', 'expiresAt'],
  ...['address', 'userAgent', 'endedBy', 'spared', 'proof'],
];

/** Sessions in Redis, on its own or as a cluster: everything of one user has one hash tag. */
export class RedisSessionStore implements SessionStore {
  private readonly logger = new Logger('KitAuthSession');
  private readonly connection: RedisConnection;
  private readonly keyPrefix: string;

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
    this.connection =
      client === undefined
        ? RedisConnection.ofUrl(url as string, commandTimeoutMs)
        : RedisConnection.ofClient(client, commandTimeoutMs);
    this.keyPrefix = keyPrefix;
  }

  async open(): Promise<void> {
    try {
      await this.connection.open();
    } catch (cause) {
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
    const key = this.prefixOf(id) + id;
    return this.connection
      .call(key, (redis) => redis.hmGet(key, FIELDS))
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
    this.connection.close();
  }

  private run(script: string, id: string, values: (string | number)[]): Promise<unknown> {
    const prefix = this.prefixOf(id);
    const keys = [`${prefix}index`, prefix + id] as [string, string];
    return this.connection.call(keys[1], (redis) =>
      redis.eval(script, { keys, arguments: values.map(String) }),
    );
  }

  private prefixOf(id: string): string {
    return `${this.keyPrefix}{${id.slice(0, id.indexOf('.'))}}:`;
  }

  /** Undefined for what is not there, and for what cannot be a session, which is logged. */
  private read([id, ...fields]: Fields): StoredSession | undefined {
    if (id === null && fields.every((field) => field === null)) {
      return undefined;
    }
    const [userId, createdAt, lastSeenAt, expiresAt, address, userAgent, endedBy, spared, proof] = fields;
    const session: StoredSession = {
      id: id ?? '',
      userId: Number(userId ?? NaN),
      createdAt: Number(createdAt ?? NaN),
      lastSeenAt: Number(lastSeenAt ?? NaN),
      expiresAt: Number(expiresAt ?? NaN),
      address: address ?? undefined,
      userAgent: userAgent ?? undefined,
      endedBy: (endedBy ?? undefined) as SessionEnd | undefined,
      proof: proof ?? undefined,
      ...(typeof spared === 'string' && { spared: sparedOf(spared) }),
    };
    if (!isSession(session)) {
      this.logger.error('[auth] Redis holds something under the key of a session that is no session');
      return undefined;
    }
    return session;
  }
}

function fieldsOf(session: Session): string[] {
  const { id, userId, createdAt, lastSeenAt, expiresAt, address, userAgent, proof } = session;
  const fields = { id, userId, createdAt, lastSeenAt, expiresAt, address, userAgent, proof };
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
