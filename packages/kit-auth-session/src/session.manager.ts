import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type AuthSessions,
  type EndAllOptions,
  KitAuthContext,
  type SessionEndReason,
  type SessionInfo,
  type UserId,
} from 'kit-auth';
import { isOwnedBy, LoginEnds } from 'kit-auth/login';
import { SESSION_MODE, type SessionMode } from './modes/session-mode.js';
import { MemorySessionStore } from './stores/memory.session-store.js';
import { SESSION_STORE, type SessionStore } from './stores/session-store.js';
import { UserCache } from './modes/lookup.js';

/**
 * Lists and revokes live sessions. Each method rejects when the store does not answer.
 *
 * @example
 * constructor(private readonly sessions: SessionManager) {}
 *
 * async logOutEverywhere(userId: UserId): Promise<number> {
 *   return this.sessions.endAllOf(userId, { reason: 'kicked' });
 * }
 */
@Injectable()
export class SessionManager implements AuthSessions {
  constructor(
    @Inject(SESSION_MODE) private readonly mode: SessionMode,
    @Inject(SESSION_STORE) private readonly store: SessionStore,
    private readonly cache: UserCache,
    @Optional() private readonly context?: KitAuthContext,
    @Optional() private readonly ends?: LoginEnds,
  ) {}

  get endsInTransaction(): boolean {
    return this.store.endsInTransaction === true;
  }

  get inProcess(): boolean {
    return this.store instanceof MemorySessionStore;
  }

  /** The live sessions of a user, oldest first. @throws AuthException 50100 in `mode: 'stateless'` */
  async listOf(userId: UserId): Promise<SessionInfo[]> {
    const currentId = this.currentId();
    const sessions = await this.kept().listOf(userId, Date.now());
    return sessions.map(({ id, createdAt, lastSeenAt, expiresAt, address, userAgent }) => ({
      id,
      address,
      userAgent,
      current: id === currentId,
      createdAt: new Date(createdAt),
      lastSeenAt: new Date(lastSeenAt),
      expiresAt: new Date(expiresAt),
    }));
  }

  /** The id of the current request's session. Undefined outside of requests and on open routes. */
  currentId(): string | undefined {
    const token = this.context?.token();
    return token === undefined ? undefined : this.idOf(token);
  }

  /** The id of a token's session. Undefined for malformed tokens. */
  idOf(token: string): string | undefined {
    return this.mode.idOf(token);
  }

  /**
   * The live session for an id: the session itself, or the one that replaced it at `POST fresh`.
   *
   * @returns undefined for ended, unknown and other users' sessions
   * @throws AuthException 50100 in `mode: 'stateless'`
   */
  async liveIdOf(userId: UserId, sessionId: string): Promise<string | undefined> {
    const mode = this.kept();
    return isOwnedBy(sessionId, userId) ? mode.liveIdOf(sessionId, Date.now()) : undefined;
  }

  /**
   * Ends one session of a user.
   *
   * @returns whether this call ended it; false for ended, unknown and other users' sessions
   * @throws AuthException 50100 in `mode: 'stateless'`
   */
  async end(userId: UserId, sessionId: string, reason: SessionEndReason = 'kicked'): Promise<boolean> {
    const mode = this.kept();
    const asking = this.asking(userId, reason);
    const hasEnded = isOwnedBy(sessionId, userId) && (await mode.end(sessionId, reason, Date.now(), asking));
    if (hasEnded) {
      this.ends?.note({ userId, loginId: sessionId, reason });
    }
    return hasEnded;
  }

  /** Ends all sessions of a user, or all but one. @returns how many; always 0 in `mode: 'stateless'` */
  async endAllOf(userId: UserId, { exceptId, reason = 'kicked' }: EndAllOptions = {}): Promise<number> {
    this.cache.evict(userId);
    const spared = exceptId !== undefined && isOwnedBy(exceptId, userId) ? exceptId : undefined;
    const count = await this.mode.endAllOf(userId, reason, Date.now(), {
      exceptId: spared,
      onBehalfOf: this.asking(userId, reason),
    });
    // Without stored sessions, the number is unknown.
    if (count > 0 || this.mode.listOf === undefined) {
      this.ends?.note({ userId, exceptId: spared, reason });
    }
    return count;
  }

  /**
   * Only users themselves end sessions as `logged-out`. If the requesting session has ended in the meantime, it must
   * not end others: its token may be stolen, and the owner may have just changed the password.
   *
   * @returns the token of the requesting session
   */
  private asking(userId: UserId, reason: SessionEndReason): string | undefined {
    const id = reason === 'logged-out' ? this.currentId() : undefined;
    return id !== undefined && isOwnedBy(id, userId) ? this.context?.token() : undefined;
  }

  private kept(): Required<SessionMode> {
    const { mode } = this;
    if (mode.listOf === undefined || mode.end === undefined) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED);
    }
    return mode as Required<SessionMode>;
  }
}
