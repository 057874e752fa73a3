import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type AuthLogins,
  type Client,
  type EndAllOptions,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  KitAuthContext,
  type KitAuthSettings,
  type OpenedLogin,
  type Principal,
  type ResolvedLogin,
  type SessionEndReason,
  type SessionInfo,
  type UserId,
} from 'kit-auth';
import { ActiveProvider, endOfLogin, isOwnedBy, isUserId, LoginEnds, MAX_USER_ID } from 'kit-auth/login';
import { PeriodicCleaner } from 'kit-auth/tools';
import { type ResolvedRefreshOptions, refreshOptions } from '../refresh.options.js';
import { LOGIN_STORE, type LoginStore } from '../stores/login-store.js';
import { FamilySeal, hashOf, newToken } from '../tokens/refresh-token.js';
import { AccessTokens } from './access.tokens.js';
import { LoginCheck } from './login.check.js';
import { LoginCache } from './login.cache.js';
import { LoginRenewal } from './login.renewal.js';
import { RefreshTokens } from './refresh.tokens.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Logins that outlive their access tokens, because their clients have refresh tokens. */
@Injectable()
export class RefreshLogins implements AuthLogins, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly cleaner = new PeriodicCleaner('old logins', () => this.store.prune(Date.now()));
  private readonly lifetimeMs: number;
  private readonly idleMs: number;

  constructor(
    @Inject(refreshOptions.token) private readonly options: ResolvedRefreshOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
    @Inject(LOGIN_STORE) private readonly store: LoginStore,
    private readonly logins: LoginCheck,
    private readonly cache: LoginCache,
    private readonly access: AccessTokens,
    private readonly renewal: LoginRenewal,
    private readonly seal: FamilySeal,
    private readonly provider: ActiveProvider,
    private readonly context: KitAuthContext,
    private readonly ends: LoginEnds,
    private readonly tokens: RefreshTokens,
  ) {
    this.lifetimeMs = options.settings.lifetimeDays * DAY_MS;
    this.idleMs = options.settings.idleDays * DAY_MS;
  }

  /** Runs after `onModuleInit()` of the application, which may create the tables. */
  async onApplicationBootstrap(): Promise<void> {
    // Start-up fails anyway if options have problems: KitAuthModule reports them.
    if (!this.core.enabled || this.options.problems.length > 0) {
      return;
    }
    if ((this.store as LoginStore | undefined) === undefined) {
      throw new IllegalStateException(
        'KitAuthRefreshModule needs a data source of TypeORM for the table auth_login: import TypeOrmModule.forRoot(), ' +
          'without a name.',
      );
    }
    await this.store.open();
    this.cleaner.start();
  }

  onApplicationShutdown(): void {
    this.cleaner.stop();
  }

  get endsInTransaction(): boolean {
    return this.store.endsInTransaction;
  }

  /** @throws AuthException 40300 with the reason `session-limit` beyond `maxPerUser` with `overflow: 'refuse'` */
  async open({ user, proof }: ResolvedLogin, client: Client | undefined): Promise<OpenedLogin> {
    const { userId } = user;
    if (!isUserId(userId)) {
      throw new IllegalStateException(
        `KitAuthRefreshModule needs user ids that are whole numbers from 1 to ${MAX_USER_ID}, or strings.`,
      );
    }
    const now = Date.now();
    const token = newToken(userId);
    const { maxPerUser: max, overflow } = this.options.settings;
    const loginEnd = Math.min(now + this.lifetimeMs, endOfLogin(proof));
    const login = {
      id: token.id,
      userId,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: loginEnd,
      address: client?.address?.slice(0, 64) ?? null,
      userAgent: client?.userAgent?.replace(/[^ -~]/g, '?').slice(0, 255) ?? null,
      proof,
      family: this.seal.seal(token.id, token.family),
      current: hashOf(token.secret),
      previous: null,
      salt: null,
      rotatedAt: null,
      rotatedFrom: null,
      rotations: 0,
      replayedIn: null,
      replays: null,
      endedBy: null,
    };
    const limit = max === undefined ? undefined : { max, overflow, seenSince: now - this.idleMs + 1 };
    const replaced = await this.store.create(login, limit);
    if (replaced === undefined) {
      throw new AuthException(AuthErrorCode.FORBIDDEN, { reason: 'session-limit' });
    }
    for (const loginId of replaced) {
      this.cache.noteEnd(loginId, 'replaced');
      this.ends.note({ userId, loginId, reason: 'replaced' });
    }
    this.cache.noteLive(token.id, { userId, expiresAt: loginEnd, stamp: undefined, knownAt: now });
    return this.access.opened(proof, token, now, loginEnd);
  }

  check(principal: Principal): void | Promise<void> {
    return this.logins.check(principal);
  }

  /** @throws AuthException 40101 when the login is over */
  renew(login: ResolvedLogin): Promise<OpenedLogin> {
    return this.renewal.renew(login);
  }

  async listOf(userId: UserId): Promise<SessionInfo[]> {
    const currentId = this.currentId();
    const now = Date.now();
    const logins = await this.store.listOf(userId, now);
    return logins
      .filter(({ lastSeenAt }) => now - lastSeenAt < this.idleMs)
      .map(({ id, createdAt, lastSeenAt, expiresAt, address, userAgent }) => ({
        id,
        address: address ?? undefined,
        userAgent: userAgent ?? undefined,
        current: id === currentId,
        createdAt: new Date(createdAt),
        // An attacker who could see when the owner refreshes would know when to use a stolen token.
        lastSeenAt: new Date(id === currentId ? coarse(lastSeenAt, createdAt) : lastSeenAt),
        expiresAt: new Date(expiresAt),
      }));
  }

  currentId(): string | undefined {
    const principal = this.context.principal();
    return principal !== undefined && this.provider.hasResolved(principal)
      ? principal.proof.loginId
      : undefined;
  }

  async liveIdOf(userId: UserId, sessionId: string): Promise<string | undefined> {
    const login = isOwnedBy(sessionId, userId) ? await this.store.find(sessionId) : undefined;
    const now = Date.now();
    const isLive =
      login !== undefined &&
      login.endedBy === null &&
      now < login.expiresAt &&
      now - login.lastSeenAt < this.idleMs;
    return isLive ? sessionId : undefined;
  }

  async end(userId: UserId, sessionId: string, reason: SessionEndReason = 'kicked'): Promise<boolean> {
    if (!isOwnedBy(sessionId, userId)) {
      return false;
    }
    const hasEnded = await this.store.end(sessionId, reason, Date.now(), this.asking(userId, reason));
    if (hasEnded) {
      this.noteEnd(sessionId, reason);
      this.ends.note({ userId, loginId: sessionId, reason });
    }
    return hasEnded;
  }

  endByRefreshToken(refreshToken: string): Promise<UserId | undefined> {
    return this.tokens.end(refreshToken);
  }

  async endAllOf(userId: UserId, { exceptId, reason = 'kicked' }: EndAllOptions = {}): Promise<number> {
    const asking = this.asking(userId, reason);
    const { ids, count } = await this.store.endAllOf(userId, reason, Date.now(), exceptId, asking);
    if (count > 0) {
      this.ends.note({ userId, exceptId, reason });
    }
    ids.forEach((id) => (count === ids.length ? this.noteEnd(id, reason) : this.cache.markUncertain(id)));
    return count;
  }

  /**
   * Only users themselves end logins as `logged-out`. If the requesting login has ended in the meantime, it must not
   * end others: its token may be stolen, and the owner may have just changed the password.
   *
   * @returns the id of the requesting login
   */
  private asking(userId: UserId, reason: SessionEndReason): string | undefined {
    const id = reason === 'logged-out' ? this.currentId() : undefined;
    return id !== undefined && isOwnedBy(id, userId) ? id : undefined;
  }

  private noteEnd(id: string, by: SessionEndReason): void {
    if (this.store.isInTransaction) {
      this.cache.markUncertain(id);
    } else {
      this.cache.noteEnd(id, by);
    }
  }
}

/** Rounds a time to minutes. */
function coarse(time: number, earliest: number): number {
  return Math.max(earliest, time - (time % MINUTE_MS));
}
