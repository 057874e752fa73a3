import { randomBytes } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import {
  AUTH_LOGINS,
  AuthErrorCode,
  AuthException,
  type AuthLogins,
  type Client,
  type EndAllOptions,
  KitAuthContext,
  type LoginUser,
  type OpenedLogin,
  type ResolvedLogin,
  type SessionEndReason,
  type SessionInfo,
  type UserId,
} from 'kit-auth';

const ACCESS_SECONDS = 300;
const LIFETIME_MS = 30 * 24 * 60 * 60_000;

interface Login extends Omit<SessionInfo, 'current'> {
  readonly userId: UserId;
  endedBy?: SessionEndReason | undefined;
}

/** Logins that outlive their access tokens, in memory. */
@Injectable()
export class MemoryLogins implements AuthLogins {
  private readonly logins = new Map<string, Login>();

  constructor(private readonly context: KitAuthContext) {}

  async open({ user, proof }: ResolvedLogin, client: Client | undefined): Promise<OpenedLogin> {
    const id = randomBytes(16).toString('base64url');
    const now = Date.now();
    this.logins.set(id, {
      id,
      userId: user.userId,
      address: client?.address,
      userAgent: client?.userAgent,
      createdAt: new Date(now),
      lastSeenAt: new Date(now),
      expiresAt: new Date(now + LIFETIME_MS),
    });
    const expiresAt = Math.floor(now / 1000) + ACCESS_SECONDS;
    return {
      proof: { ...proof, loginId: id, expiresAt },
      answer: { refreshToken: randomBytes(32).toString('base64url'), expiresAt },
    };
  }

  check({ user, proof }: { user: Pick<LoginUser, 'userId'>; proof: ResolvedLogin['proof'] }): void {
    const login = this.logins.get(proof.loginId ?? '');
    if (login?.userId !== user.userId || login.endedBy !== undefined) {
      throw AuthException.refusal(AuthErrorCode.TOKEN_INVALID, { reason: login?.endedBy });
    }
  }

  async listOf(userId: UserId): Promise<SessionInfo[]> {
    const currentId = this.currentId();
    return this.liveOf(userId).map(({ id, createdAt, lastSeenAt, expiresAt, address, userAgent }) => ({
      id,
      createdAt,
      lastSeenAt,
      expiresAt,
      address,
      userAgent,
      current: id === currentId,
    }));
  }

  currentId(): string | undefined {
    return this.context.proof()?.loginId;
  }

  async end(userId: UserId, sessionId: string, reason: SessionEndReason = 'kicked'): Promise<boolean> {
    const login = this.liveOf(userId).find(({ id }) => id === sessionId);
    if (login !== undefined) {
      login.endedBy = reason;
    }
    return login !== undefined;
  }

  async endAllOf(userId: UserId, { exceptId, reason = 'kicked' }: EndAllOptions = {}): Promise<number> {
    const ended = this.liveOf(userId).filter(({ id }) => id !== exceptId);
    ended.forEach((login) => (login.endedBy = reason));
    return ended.length;
  }

  private liveOf(userId: UserId): Login[] {
    return [...this.logins.values()].filter(
      (login) => login.userId === userId && login.endedBy === undefined,
    );
  }
}

@Module({ providers: [{ provide: AUTH_LOGINS, useClass: MemoryLogins }] })
export class MemoryLoginsModule {}
