import { IllegalStateException, type UserId } from 'kit-auth';
import { BoundedMap } from 'kit-auth/tools';
import { mergeEnds } from './ends-of-all.js';
import {
  type EndOfAll,
  REMEMBERED_MS,
  type Session,
  type SessionEnd,
  type SessionLimit,
  type SessionStore,
  type StoredSession,
} from './session-store.js';

const MAX_SESSIONS = 100_000;
const PRUNE_BATCH = 1000;

/**
 * Stores sessions in memory, for tests and small applications. They are lost when the process ends. Beyond 100,000
 * sessions, the oldest are lost.
 *
 * @example
 * KitAuthSessionModule.forRoot({ store: 'memory' })
 */
export class MemorySessionStore implements SessionStore {
  /** Ordered by creation. */
  private readonly sessions = new BoundedMap<string, StoredSession>(MAX_SESSIONS, (session) =>
    this.forget(session),
  );
  private readonly idsOfUser = new Map<UserId, Set<string>>();
  /** Ends of stateless sessions. Not limited, because a token becomes valid again when its end is lost. */
  private readonly kept = new Map<string, StoredSession>();

  create(session: Session, limit?: SessionLimit): boolean {
    if (limit !== undefined) {
      const live = this.listOf(session.userId, session.createdAt).filter(
        ({ lastSeenAt }) => lastSeenAt >= limit.seenSince,
      );
      const tooMany = live.length + 1 - limit.max;
      if (tooMany > 0 && limit.overflow === 'refuse') {
        return false;
      }
      for (const { id } of live.slice(0, Math.max(0, tooMany))) {
        this.end(id, 'replaced', session.createdAt);
        limit.ended?.(id);
      }
    }
    this.add({ ...session, endedBy: undefined });
    return true;
  }

  replace(formerId: string, session: Session): boolean {
    const former = this.liveSession(formerId, session.createdAt);
    if (former === undefined) {
      return false;
    }
    former.endedBy = 'replaced';
    former.successorId = session.id;
    this.add({ ...session, endedBy: undefined });
    return true;
  }

  keepFirstEnd(end: StoredSession): StoredSession {
    if (!this.kept.has(end.id)) {
      this.keepEnd(end);
    }
    return this.find(end.id) as StoredSession;
  }

  keepEnd(end: StoredSession): void {
    this.kept.set(end.id, { ...end });
  }

  keepEndOfAll(end: EndOfAll): void {
    this.kept.set(end.id, mergeEnds(this.kept.get(end.id), end));
  }

  private add(session: StoredSession): void {
    this.sessions.set(session.id, session);
    const ids = this.idsOfUser.get(session.userId);
    if (ids === undefined) {
      this.idsOfUser.set(session.userId, new Set([session.id]));
    } else {
      ids.add(session.id);
    }
  }

  /** @returns the stored object itself: a copy would take longer than the look-up. Callers must not change it */
  find(id: string): StoredSession | undefined {
    return this.sessions.get(id) ?? this.kept.get(id);
  }

  touch(id: string, at: number): void {
    const session = this.sessions.get(id);
    if (session?.endedBy === undefined && session !== undefined && at > session.lastSeenAt) {
      session.lastSeenAt = at;
    }
  }

  end(id: string, by: SessionEnd, now: number, onBehalfOf?: string): boolean {
    const { successorId } = this.sessions.get(id) ?? {};
    if (successorId !== undefined) {
      return this.end(successorId, by, now, onBehalfOf);
    }
    const session = this.liveSession(id, now);
    if (session === undefined || !this.mayAsk(onBehalfOf, now)) {
      return false;
    }
    session.endedBy = by;
    return true;
  }

  endAllOf(userId: UserId, by: SessionEnd, now: number, exceptId?: string, onBehalfOf?: string): number {
    return this.mayAsk(onBehalfOf, now)
      ? this.listOf(userId, now).filter(({ id }) => id !== exceptId && this.end(id, by, now)).length
      : 0;
  }

  private mayAsk(id: string | undefined, now: number): boolean {
    return id === undefined || this.liveSession(id, now) !== undefined;
  }

  private liveSession(id: string, now: number): StoredSession | undefined {
    const session = this.sessions.get(id);
    return session !== undefined && isLive(session, now) ? session : undefined;
  }

  listOf(userId: UserId, now: number): Session[] {
    return [...(this.idsOfUser.get(userId) ?? [])]
      .map((id) => this.sessions.get(id) as StoredSession)
      .filter((session) => isLive(session, now))
      .map(({ endedBy, ...session }) => session)
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  prune(now: number): number {
    const old: StoredSession[] = [];
    for (const sessions of [this.sessions, this.kept]) {
      for (const session of sessions.values()) {
        if (old.length < PRUNE_BATCH && session.expiresAt + REMEMBERED_MS <= now) {
          old.push(session);
        }
      }
    }
    old.forEach((session) => this.forget(session));
    return old.length;
  }

  private forget({ id, userId }: StoredSession): void {
    this.sessions.delete(id);
    this.kept.delete(id);
    const ids = this.idsOfUser.get(userId);
    ids?.delete(id);
    if (ids?.size === 0) {
      this.idsOfUser.delete(userId);
    }
  }
}

function isLive({ endedBy, expiresAt }: StoredSession, now: number): boolean {
  return endedBy === undefined && now < expiresAt;
}

/** Replaces the database store in applications without a data source: start-up fails. */
export class NoDatabaseSessionStore extends MemorySessionStore {
  async open(): Promise<void> {
    throw new IllegalStateException(
      "KitAuthSessionModule: store 'database' needs a data source of TypeORM: import TypeOrmModule.forRoot(), without a name. " +
        "Without TypeORM, set kit.auth.session.store to 'memory', a RedisSessionStore or your own SessionStore.",
    );
  }
}
