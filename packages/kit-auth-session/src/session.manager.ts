import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type AuthSessions,
  type EndAllOptions,
  KitAuthContext,
  type SessionEndReason,
  type SessionInfo,
} from 'kit-auth';
import { SESSION_MODE, SESSION_STORE } from './config/tokens.js';
import type { SessionMode } from './modes/session-mode.js';
import type { SessionStore } from './stores/session-store.js';
import { userIdOf } from './tokens/session-token.js';
import { UserCache } from './user-cache.js';

/** Who is logged in, and an end to it. Every method rejects when the store does not answer. */
@Injectable()
export class SessionManager implements AuthSessions {
  constructor(
    @Inject(SESSION_MODE) private readonly mode: SessionMode,
    @Inject(SESSION_STORE) private readonly store: SessionStore,
    private readonly cache: UserCache,
    @Optional() private readonly context?: KitAuthContext,
  ) {}

  get endsInTransaction(): boolean {
    return this.store.endsInTransaction === true;
  }

  /** The live sessions of a user, oldest first. @throws AuthException 50100 in the mode `stateless` */
  async listOf(userId: number): Promise<SessionInfo[]> {
    const currentId = this.currentId();
    const sessions = await this.kept().listOf(userId, Date.now());
    return sessions.map(({ id, createdAt, lastSeenAt, expiresAt, address, userAgent }) => ({
      ...{ id, address, userAgent, current: id === currentId },
      ...{
        createdAt: new Date(createdAt),
        lastSeenAt: new Date(lastSeenAt),
        expiresAt: new Date(expiresAt),
      },
    }));
  }

  /** The session of the current request; undefined where there is none. */
  currentId(): string | undefined {
    const token = this.context?.token();
    return token === undefined ? undefined : this.mode.idOf(token);
  }

  /**
   * @returns whether this call ended it; false when it was over, is another user's, or never was
   * @throws AuthException 50100 in the mode `stateless`, which knows sessions by their token alone
   */
  async end(userId: number, sessionId: string, reason: SessionEndReason = 'kicked'): Promise<boolean> {
    const mode = this.kept();
    const asking = this.asking(userId, reason);
    return userIdOf(sessionId) === userId && (await mode.end(sessionId, reason, Date.now(), asking));
  }

  /** Ends all sessions of a user, or all but one. @returns how many; 0 in the mode `stateless`, which does not know */
  async endAllOf(userId: number, { exceptId, reason = 'kicked' }: EndAllOptions = {}): Promise<number> {
    this.cache.evict(userId);
    return this.mode.endAllOf(userId, reason, Date.now(), {
      exceptId: exceptId !== undefined && userIdOf(exceptId) === userId ? exceptId : undefined,
      onBehalfOf: this.asking(userId, reason),
    });
  }

  /**
   * Only the users themselves end sessions as `logged-out`. Once their own session is over, a request that it sent
   * before must not end any other: the password may have been changed because of it.
   *
   * @returns the token of the session that asks
   */
  private asking(userId: number, reason: SessionEndReason): string | undefined {
    const id = reason === 'logged-out' ? this.currentId() : undefined;
    return id !== undefined && userIdOf(id) === userId ? this.context?.token() : undefined;
  }

  private kept(): Required<SessionMode> {
    const { mode } = this;
    if (mode.listOf === undefined || mode.end === undefined) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED);
    }
    return mode as Required<SessionMode>;
  }
}
