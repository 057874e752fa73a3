import { Inject, Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import {
  type AuthProvider,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
} from 'kit-auth';
import { type ResolvedSessionOptions, sessionOptions } from './config/session.options.js';
import { SESSION_MODE, SESSION_STORE } from './config/tokens.js';
import type { SessionMode } from './modes/session-mode.js';
import { SessionManager } from './session.manager.js';
import type { SessionStore } from './stores/session-store.js';
import { UserCache } from './user-cache.js';

/** The implementation `session-token`: a session that can be ended, the user from the database. */
@Injectable()
export class SessionAuthProvider implements AuthProvider, OnModuleInit {
  readonly extensionName = 'session-token';
  readonly keepsProof = true;

  constructor(
    @Inject(sessionOptions.token) private readonly options: ResolvedSessionOptions,
    @Inject(SESSION_MODE) private readonly mode: SessionMode,
    @Inject(SESSION_STORE) private readonly store: SessionStore,
    readonly sessions: SessionManager,
    private readonly users: UserCache,
    @Optional() @Inject(KIT_AUTH_SETTINGS) private readonly core?: KitAuthSettings,
  ) {}

  /** @throws IllegalStateException without the core, or when the store cannot open */
  async onModuleInit(): Promise<void> {
    if (this.core === undefined) {
      throw new IllegalStateException(
        'KitAuthSessionModule needs KitAuthModule.forRoot() in the same application.',
      );
    }
    // KitAuthModule fails start-up on the problems.
    if (this.core.enabled && this.options.problems.length === 0) {
      await this.store.open?.();
    }
  }

  async issueToken(user: LoginUser, proof: LoginProof = { factors: {} }): Promise<string> {
    return this.mode.issue(user, proof);
  }

  resolveToken(token: string): LoginUser | Promise<LoginUser> {
    const login = this.resolve(token);
    return login instanceof Promise ? login.then(({ user }) => user) : login.user;
  }

  /** Returns no promise when the user is cached and the store is in memory. */
  resolve(token: string): ResolvedLogin | Promise<ResolvedLogin> {
    return this.mode.resolve(token);
  }

  /** Ends the session of a token; does nothing for a text that is no token of ours. */
  async invalidate(token: string): Promise<void> {
    await this.mode.logout(token, Date.now());
  }

  userChanged(userId?: number): void {
    this.users.evict(userId);
  }
}
