import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AUTH_LOGINS, type AuthLogins, type OpenedLogin } from '../contract/auth-logins.js';
import type { AuthSessions, EndAllOptions, SessionEndReason } from '../contract/auth-sessions.js';
import type { Client } from '../contract/client.js';
import type { LoginProof, Principal, ResolvedLogin } from '../contract/login-proof.js';
import type { UserId } from '../contract/user-id.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import { ActiveProvider } from './active.provider.js';
import { contributionsTo } from './contribution.js';
import { Contributions } from './contributions.js';
import { LOGINS } from './ports.js';

/**
 * The live logins of users: the sessions of the provider, or what a contribution to `AUTH_LOGINS` keeps for a provider
 * without sessions.
 */
@Injectable()
export class ActiveLogins implements OnModuleInit {
  private logins: AuthLogins | undefined;

  constructor(
    private readonly contributions: Contributions,
    private readonly discovery: DiscoveryService,
    private readonly active: ActiveProvider,
  ) {}

  /** @throws IllegalStateException for a second contribution, or with a provider that it cannot work with */
  onModuleInit(): void {
    this.logins = this.contributions.onlyTo(LOGINS);
    if (this.logins === undefined) {
      return;
    }
    const { extensionName, keepsProof, sessions } = this.active.get();
    if (sessions !== undefined) {
      throw new IllegalStateException(
        `${this.contributor()} cannot be used with ${extensionName}, whose tokens last already: it has sessions of its own. ` +
          "Remove that module, or use an implementation without sessions, such as KitAuthJwtModule of 'kit-auth-jwt'.",
      );
    }
    if (keepsProof !== true) {
      throw new IllegalStateException(
        `${this.contributor()} cannot be used with ${extensionName}: its tokens do not say which login they belong to (keepsProof).`,
      );
    }
  }

  /**
   * Opens a login where a contribution keeps logins.
   *
   * @returns the proof to issue a token for, and more for the answer
   */
  async open(login: ResolvedLogin, client: Client | undefined): Promise<OpenedLogin> {
    return this.logins === undefined
      ? { proof: login.proof, ...this.endOfToken(login.proof) }
      : this.logins.open(login, client);
  }

  /** Whether logins can go on after their users have shown a factor again. */
  canRenew(): boolean {
    return this.logins === undefined || this.logins.renew !== undefined;
  }

  /**
   * Goes on with a login whose user has shown a factor again, where a contribution keeps logins. A token without a login
   * was issued before the contribution was there.
   *
   * @throws AuthException 40101 when the login is over
   */
  async renew(login: ResolvedLogin, client: Client | undefined): Promise<OpenedLogin> {
    return this.logins?.renew === undefined || login.proof.loginId === undefined
      ? this.open(login, client)
      : this.logins.renew(login, client);
  }

  /** @throws AuthException 40101 when the login of a token is over, 50300 when that cannot be found out */
  check(principal: Principal): void | Promise<void> {
    return this.logins?.check(principal);
  }

  /** Whether a contribution keeps logins for the provider. */
  areKept(): boolean {
    return this.logins !== undefined;
  }

  /** Ends the login of a proof. Does nothing where no contribution keeps logins. */
  async end({ user, proof }: ResolvedLogin, reason: SessionEndReason = 'logged-out'): Promise<void> {
    if (proof.loginId !== undefined) {
      await this.logins?.end(user.userId, proof.loginId, reason);
    }
  }

  /** Lists and revokes live logins. @throws AuthException 50100 where they are not known */
  sessions(): AuthSessions {
    const sessions = this.known();
    if (sessions === undefined) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED);
    }
    return sessions;
  }

  /** See `AuthSessions.liveIdOf`. @throws AuthException 50100 where live logins are not known */
  async liveIdOf(userId: UserId, id: string): Promise<string | undefined> {
    const sessions = this.sessions();
    return sessions.liveIdOf === undefined
      ? (await sessions.listOf(userId)).find((session) => session.id === id)?.id
      : sessions.liveIdOf(userId, id);
  }

  /** Whether live logins are known. */
  areKnown(): boolean {
    return this.known() !== undefined;
  }

  /** Whether live logins are known to the process of a running application only. */
  areInProcess(): boolean {
    return this.known()?.inProcess === true;
  }

  /** Whether revocations are part of the transaction of a change. */
  endInTransaction(): boolean {
    return this.known()?.endsInTransaction === true;
  }

  /** The session of the current request; undefined where there is none. */
  currentId(): string | undefined {
    return this.known()?.currentId();
  }

  /** Ends the live logins of a user, or all but one. Does nothing where they are not known. */
  async endAllOf(userId: UserId, options: EndAllOptions): Promise<void> {
    if (this.areKnown()) {
      await this.sessions().endAllOf(userId, options);
    }
  }

  /** Where no contribution keeps logins, a login ends with its token. */
  private endOfToken({ expiresAt = Infinity }: LoginProof): Pick<OpenedLogin, 'endsAt'> {
    const { lifetimeSeconds = Infinity } = this.active.get();
    const endsAt = Math.min(expiresAt, Math.floor(Date.now() / 1000) + lifetimeSeconds);
    return endsAt === Infinity ? {} : { endsAt };
  }

  /** The contribution and its module, for messages. */
  private contributor(): string {
    return contributionsTo(this.discovery, AUTH_LOGINS)[0]?.name ?? '';
  }

  private known(): AuthSessions | undefined {
    return this.logins ?? this.active.sessions();
  }
}
