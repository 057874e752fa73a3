import { Injectable } from '@nestjs/common';
import type { OpenedLogin } from '../contract/auth-logins.js';
import type { AuthProvider } from '../contract/auth-provider.js';
import type { AuthSessions, EndAllOptions, SessionEndReason } from '../contract/auth-sessions.js';
import type { Client } from '../contract/client.js';
import type { LoginProof, Principal, ResolvedLogin } from '../contract/login-proof.js';
import type { UserId } from '../contract/user-id.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, invalidToken } from '../errors/auth.exception.js';
import { LoginEnds } from './login-ends.js';
import { askTransport, Ports } from './ports.js';

/** The token implementation of the application. */
@Injectable()
export class ActiveProvider {
  constructor(private readonly ports: Ports) {}

  /** @throws IllegalStateException when `kit.auth.enabled` is false, and the error of a start-up that failed */
  get(): AuthProvider {
    return this.ports.requireProvider();
  }

  /** Notifies the implementation of changes to one user or to any number of them: it drops cached copies. */
  userChanged(userId?: UserId): void {
    this.get().userChanged?.(userId);
  }

  /** Whether the implementation resolved the token of a principal, rather than a credential. */
  hasResolved({ scheme }: Principal): boolean {
    return scheme === this.get().extensionName;
  }

  /**
   * Whether a token was issued while its user had this security stamp. True if the implementation cannot tell, and for
   * tokens of credentials.
   */
  isIssuedFor(principal: Principal, stamp: string): boolean {
    const provider = this.get();
    return (
      !this.hasResolved(principal) ||
      provider.isIssuedFor === undefined ||
      provider.isIssuedFor(principal.token, stamp)
    );
  }

  /**
   * Refuses tokens from before the last change of the user.
   *
   * @param stamp the current one; undefined for users who are unknown or not enabled
   * @throws AuthException 40101 with the reason `revoked`
   */
  requireIssuedFor(principal: Principal, stamp: string | undefined): void {
    if (stamp === undefined || !this.isIssuedFor(principal, stamp)) {
      throw invalidToken('revoked');
    }
  }
}

/**
 * The live logins of users: the sessions of the provider, or the logins of a contribution to `AUTH_LOGINS`, for a
 * provider without sessions.
 */
@Injectable()
export class ActiveLogins {
  constructor(
    private readonly ports: Ports,
    private readonly ends: LoginEnds,
  ) {}

  /**
   * Opens a login, if a contribution keeps logins.
   *
   * @param request the one whose answer gets the token
   * @returns the proof to issue a token for, and more members of the answer
   * @throws AuthException those of `requireWritable`
   */
  async open(login: ResolvedLogin, client: Client | undefined, request?: object): Promise<OpenedLogin> {
    const { logins } = this.ports;
    if (logins === undefined) {
      return { proof: login.proof, ...this.endOfToken(login.proof) };
    }
    await this.requireWritable(login, request);
    return logins.open(login, client);
  }

  /**
   * Before anything is ended or used up for a login whose token the client could not get. Issues a token for this question,
   * unless the implementation has sessions, whose tokens are short.
   *
   * @param request the one whose answer gets the token
   * @param isRenewed whether the question is asked without a transport too
   * @throws AuthException of the transport, and 50300 for a user with more roles than fit into a token
   */
  async requireWritable(
    { user, proof }: ResolvedLogin,
    request: object | undefined,
    isRenewed = false,
  ): Promise<void> {
    const { transport } = this.ports;
    const isAsked = transport?.requireWritable !== undefined && request !== undefined;
    if (!(isAsked || isRenewed) || this.ports.sessions() !== undefined) {
      return;
    }
    const provider = this.ports.requireProvider();
    const token = await provider.issueToken(user, proof);
    await provider.invalidate(token);
    if (isAsked) {
      askTransport(transport, request, (asked, transportRequest) =>
        asked.requireWritable?.({ token }, transportRequest),
      );
    }
  }

  /** Whether logins can be re-authenticated. */
  canRenew(): boolean {
    const { logins } = this.ports;
    return logins === undefined || logins.renew !== undefined;
  }

  /**
   * Renews a re-authenticated login, if a contribution keeps logins. A token without a login was issued before the
   * application had the contribution.
   *
   * @throws AuthException 40101 when the login is over, and those of `requireWritable`
   */
  async renew(login: ResolvedLogin, client: Client | undefined, request?: object): Promise<OpenedLogin> {
    const { logins } = this.ports;
    if (logins?.renew === undefined || login.proof.loginId === undefined) {
      return this.open(login, client, request);
    }
    await this.requireWritable(login, request, true);
    return logins.renew(login, client);
  }

  /** @throws AuthException 40101 when the login of a token is over, 50300 when that is not known */
  check(principal: Principal): void | Promise<void> {
    return this.ports.logins?.check(principal);
  }

  /** Whether a contribution keeps logins for the provider. */
  areKept(): boolean {
    return this.ports.logins !== undefined;
  }

  /** Ends the login of a proof. Does nothing if no contribution keeps logins. */
  async end({ user, proof }: ResolvedLogin, reason: SessionEndReason = 'logged-out'): Promise<void> {
    if (proof.loginId !== undefined) {
      await this.ports.logins?.end(user.userId, proof.loginId, reason);
    }
  }

  /** Lists and revokes live logins. @throws AuthException 50100 if they are not known */
  sessions(): AuthSessions {
    const sessions = this.known();
    if (sessions === undefined) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED);
    }
    return sessions;
  }

  /** See `AuthSessions.liveIdOf`. @throws AuthException 50100 if live logins are not known */
  async liveIdOf(userId: UserId, id: string): Promise<string | undefined> {
    const sessions = this.sessions();
    return sessions.liveIdOf === undefined
      ? (await sessions.listOf(userId)).find((session) => session.id === id)?.id
      : sessions.liveIdOf(userId, id);
  }

  /** Whether a login lives. True if that is not known. */
  async mayLive({ user, token, proof }: Principal): Promise<boolean> {
    const id = this.idOf(token, proof);
    if (id === undefined || !this.areKnown()) {
      return true;
    }
    try {
      return (await this.liveIdOf(user.userId, id)) !== undefined;
    } catch (error) {
      if (error instanceof AuthException && error.code === AuthErrorCode.NOT_IMPLEMENTED) {
        return true;
      }
      throw error;
    }
  }

  /** Whether live logins are known. */
  areKnown(): boolean {
    return this.known() !== undefined;
  }

  /** Whether only the process of the running application knows live logins. */
  areInProcess(): boolean {
    return this.known()?.inProcess === true;
  }

  /** Whether revocations are part of the transaction of a change. */
  endInTransaction(): boolean {
    return this.known()?.endsInTransaction === true;
  }

  /** The login of a token that was just issued. Undefined if it has no name. */
  idOf(token: string, { loginId }: LoginProof): string | undefined {
    return loginId ?? this.known()?.idOf?.(token);
  }

  /** The session of the current request, or undefined. */
  currentId(): string | undefined {
    return this.known()?.currentId();
  }

  /**
   * Ends the live logins of a user, or all but one. If they are not known, it only tells the listeners: the change that
   * ends them also ends their tokens.
   */
  async endAllOf(userId: UserId, options: EndAllOptions): Promise<void> {
    if (this.areKnown()) {
      await this.sessions().endAllOf(userId, options);
    } else {
      this.ends.note({ userId, reason: options.reason ?? 'kicked' });
    }
  }

  /** The end of a token that was just issued. If no contribution keeps logins, its login ends then. */
  endOfToken({ expiresAt = Infinity }: Pick<LoginProof, 'expiresAt'> = {}): Pick<OpenedLogin, 'endsAt'> {
    const { lifetimeSeconds = Infinity } = this.ports.requireProvider();
    const endsAt = Math.min(expiresAt, Math.floor(Date.now() / 1000) + lifetimeSeconds);
    return endsAt === Infinity ? {} : { endsAt };
  }

  private known(): AuthSessions | undefined {
    return this.ports.logins ?? this.ports.sessions();
  }
}
