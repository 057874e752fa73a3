import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit, Optional } from '@nestjs/common';
import {
  type AuthProvider,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
  type SessionEndReason,
  type UserId,
} from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { isUserId, LoginEnds, MAX_USER_ID } from 'kit-auth/login';
import { type ResolvedSessionOptions, sessionOptions } from './session.options.js';
import { SESSION_MODE, type SessionMode } from './modes/session-mode.js';
import { Realm } from './realm.js';
import { SessionManager } from './session.manager.js';
import { SESSION_STORE, type SessionStore } from './stores/session-store.js';
import { SEALED_PREFIX } from './tokens/sealed-token.js';
import { TOKEN_PREFIX } from './tokens/session-token.js';
import { UserCache } from './modes/lookup.js';

/** The implementation `session-token`: tokens of sessions, which can be revoked. Users are read on every request. */
@Injectable()
export class SessionAuthProvider implements AuthProvider, OnModuleInit, OnApplicationBootstrap {
  readonly extensionName = 'session-token';
  readonly keepsProof = true;
  /** The prefixes of both modes, because tokens outlive a change of the mode. */
  readonly tokenPrefixes = [TOKEN_PREFIX, SEALED_PREFIX];
  readonly lifetimeSeconds: number;

  constructor(
    @Inject(sessionOptions.token) private readonly options: ResolvedSessionOptions,
    @Inject(SESSION_MODE) private readonly mode: SessionMode,
    @Inject(SESSION_STORE) private readonly store: SessionStore,
    readonly sessions: SessionManager,
    private readonly cache: UserCache,
    private readonly realm: Realm,
    @Optional() @Inject(KIT_AUTH_SETTINGS) private readonly core?: KitAuthSettings,
    @Optional() private readonly users?: ActiveUserStore,
    @Optional() private readonly ends?: LoginEnds,
  ) {
    this.lifetimeSeconds = options.settings.timeoutMinutes * 60;
  }

  /** @throws IllegalStateException without the core */
  onModuleInit(): void {
    if (this.core === undefined) {
      throw new IllegalStateException(
        'KitAuthSessionModule needs KitAuthModule.forRoot() in the same application.',
      );
    }
  }

  /** Runs after `onModuleInit()` of the application, which may create the tables. */
  async onApplicationBootstrap(): Promise<void> {
    // Start-up fails anyway if options have problems: KitAuthModule reports them.
    if (this.core?.enabled && this.options.problems.length === 0) {
      await this.store.open?.(await this.realm.find());
    }
  }

  async issueToken(user: LoginUser, proof: LoginProof = { factors: {} }): Promise<string> {
    this.users?.requireId(user.userId);
    if (!isUserId(user.userId)) {
      throw new IllegalStateException(
        `KitAuthSessionModule needs user ids that are whole numbers from 1 to ${MAX_USER_ID}, or strings.`,
      );
    }
    return this.mode.issue(user, proof);
  }

  async replaceToken(former: string, user: LoginUser, proof: LoginProof): Promise<string> {
    const token = await this.mode.replace(former, user, proof);
    this.noteEnd(user.userId, former, 'replaced');
    return token;
  }

  resolveToken(token: string): LoginUser | Promise<LoginUser> {
    const login = this.resolve(token);
    return login instanceof Promise ? login.then(({ user }) => user) : login.user;
  }

  /** Returns no promise when the user is cached and the store is in memory. */
  resolve(token: string): ResolvedLogin | Promise<ResolvedLogin> {
    return this.mode.resolve(token);
  }

  /** Ends the session of a token. Does nothing for other strings. */
  async invalidate(token: string, reason?: SessionEndReason): Promise<void> {
    const userId = await this.mode.logout(token, Date.now(), reason);
    if (userId !== undefined) {
      this.noteEnd(userId, token, reason);
    }
  }

  private noteEnd(userId: UserId, token: string, reason: SessionEndReason = 'logged-out'): void {
    this.ends?.note({ userId, loginId: this.mode.idOf(token), reason });
  }

  userChanged(userId?: UserId): void {
    this.cache.evict(userId);
  }
}
