import { Inject, Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { invalidToken } from 'kit-auth/feature';
import { MessageContexts, type Presented, type ResolvedPrincipal, TokenResolver } from 'kit-auth/login';
import { type ResolvedSocketsOptions, socketsOptions, type SocketsSettings } from '../sockets.options.js';
import { Connection } from '../connections/connection.js';
import { Hints } from '../checks/hints.js';
import { LoginState } from '../checks/login.state.js';
import { SocketRegistry } from '../connections/socket.registry.js';
import { SocketReports } from '../connections/socket.reports.js';
import { clientOf, type Handshake, type ServerRule } from '../connections/handshake.js';
import { HandshakeToken } from './handshake.token.js';
import { Requirements } from '../checks/requirements.js';

/** A resolved token. */
interface Identity {
  readonly token: Presented;
  readonly principal: ResolvedPrincipal;
}

/** Decides about clients that want to connect. */
@Injectable()
export class Handshakes {
  private readonly settings: SocketsSettings;
  private waiting = 0;

  constructor(
    private readonly tokens: HandshakeToken,
    private readonly resolver: TokenResolver,
    private readonly requirements: Requirements,
    private readonly contexts: MessageContexts,
    private readonly registry: SocketRegistry,
    private readonly hints: Hints,
    private readonly logins: LoginState,
    private readonly reports: SocketReports,
    @Inject(socketsOptions.token) { settings }: ResolvedSocketsOptions,
  ) {
    this.settings = settings;
  }

  /** @returns the admitted connection; undefined if the client has gone, or was refused and told so */
  async decide(handshake: Handshake, rule: ServerRule): Promise<Connection | undefined> {
    try {
      return await this.whileWaiting(() => this.admit(handshake, rule));
    } catch (error) {
      handshake.close(this.reports.refused(handshake.via, rule, error));
      return undefined;
    }
  }

  /**
   * Like `decide`, for clients that are told in another way.
   *
   * @throws AuthException why the client is refused
   */
  async whileWaiting<T>(work: () => Promise<T>): Promise<T> {
    if (this.waiting >= this.settings.maxWaiting) {
      throw new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { reason: 'too-many-waiting' });
    }
    this.waiting++;
    try {
      return await work();
    } finally {
      this.waiting--;
    }
  }

  /** @throws AuthException why the client is refused */
  async admit(handshake: Handshake, rule: ServerRule): Promise<Connection | undefined> {
    const { hintsSoFar } = this.hints;
    const identity = await this.identify(handshake, rule);
    if (identity === undefined) {
      return this.open(handshake, rule);
    }
    return this.connect(handshake, rule, identity.token, identity.principal, hintsSoFar);
  }

  /**
   * Connects a user who was admitted.
   *
   * @param hintsSeen how many hints had come before the token was resolved. Undefined if that is unknown
   * @returns undefined for a client that has gone
   * @throws AuthException 42900 for more sockets than a user may have
   */
  connect(
    handshake: Handshake,
    rule: ServerRule,
    token: Presented,
    principal: ResolvedPrincipal,
    hintsSeen?: number,
  ): Connection | undefined {
    if (this.registry.countOf(principal.user.userId) >= this.settings.maxPerUser) {
      throw new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { reason: 'too-many-sockets' });
    }
    const connection = this.open(handshake, rule, principal);
    if (connection !== undefined) {
      const bearer = this.registry.add(connection, token, principal);
      // A login may have ended while its token was looked up.
      if (hintsSeen !== this.hints.hintsSoFar) {
        this.hints.lookAt(bearer);
      }
    }
    return connection;
  }

  /**
   * Finds the user of a handshake, who may connect.
   *
   * @returns undefined for a client without a token, if none is needed
   * @throws AuthException why the client is refused
   */
  async identify(handshake: Handshake, rule: ServerRule): Promise<Identity | undefined> {
    const token = rule.readsToken ? this.tokens.find(handshake) : undefined;
    if (token === undefined || token instanceof AuthException) {
      if (rule.needsToken) {
        throw token ?? new AuthException(AuthErrorCode.TOKEN_MISSING);
      }
      return undefined;
    }
    let principal: ResolvedPrincipal;
    try {
      principal = await this.resolver.resolve(token, handshake.request);
    } catch (error) {
      if (!rule.needsToken && rule.ignoresInvalid && isInvalidToken(error)) {
        return undefined;
      }
      throw error;
    }
    await this.requirements.check(principal, rule, handshake);
    return { token, principal };
  }

  /** Another token for an open connection: of the same user and login. @throws AuthException 40101, 40300 */
  async renew(connection: Connection, token: unknown): Promise<void> {
    const { bearer, request } = connection;
    if (bearer === undefined) {
      throw invalidToken('malformed');
    }
    const presented = this.tokens.given(token);
    const principal = await this.resolver.resolve(presented, request);
    if (!(await this.logins.isSame(bearer.principal, principal))) {
      throw new AuthException(AuthErrorCode.FORBIDDEN, { reason: 'another-login' });
    }
    if (!connection.isOver) {
      // The user may have lost a requirement, and hints may have come for the former token.
      this.hints.lookAt(this.registry.move(connection, presented, principal));
    }
  }

  private open(
    handshake: Handshake,
    rule: ServerRule,
    principal?: ResolvedPrincipal,
  ): Connection | undefined {
    if (handshake.isGone()) {
      return undefined;
    }
    const { via, client, request, close } = handshake;
    const context = this.contexts.open(principal, clientOf(handshake), request);
    const connection = new Connection(via, client, request, rule, context, close, this.contexts);
    this.reports.opened(connection);
    return connection;
  }
}

function isInvalidToken(error: unknown): boolean {
  return error instanceof AuthException && error.code === AuthErrorCode.TOKEN_INVALID;
}
