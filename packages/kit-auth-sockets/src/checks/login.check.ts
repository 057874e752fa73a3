import { Inject, Injectable } from '@nestjs/common';
import { AuthException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import type { ResolvedPrincipal } from 'kit-auth/login';
import { withinDeadline } from 'kit-auth/tools';
import { type ResolvedSocketsOptions, socketsOptions } from '../sockets.options.js';
import type { Bearer, Connection } from '../connections/connection.js';
import { type ServerRule, whileOpen } from '../connections/handshake.js';
import { endOf } from '../connections/socket-end.js';
import { SocketRegistry } from '../connections/socket.registry.js';
import { LoginState } from './login.state.js';
import { Requirements } from './requirements.js';

/** Sockets stay open for this long while their logins cannot be checked. */
const MAX_FAILING_MS = 300_000;
const RETRY_MS = 5000;

/** Checks the login of a token, and what its sockets require. */
@Injectable()
export class LoginCheck {
  constructor(
    private readonly logins: LoginState,
    private readonly requirements: Requirements,
    private readonly registry: SocketRegistry,
    @Inject(socketsOptions.token) private readonly options: ResolvedSocketsOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {}

  /**
   * Checks a token and its sockets. Ends sockets that no longer meet the requirements.
   *
   * @throws AuthException 50300, or another error, if something does not answer: the sockets stay open for now
   */
  async run(bearer: Bearer): Promise<void> {
    const { hints } = bearer;
    const now = Date.now();
    try {
      const principal = await this.logins.now(bearer, this.options.settings.keepAfterToken);
      bearer.isActive = false;
      bearer.renew(principal);
      await this.checkRequirements(bearer, principal);
      await this.checkStreams(bearer, principal);
      bearer.checkedAt = now;
      bearer.hintsSeen = hints;
      bearer.failingSince = undefined;
    } catch (error) {
      await this.fail(bearer, error);
    }
  }

  private async checkRequirements(bearer: Bearer, principal: ResolvedPrincipal): Promise<void> {
    for (const connections of groupsOf(bearer)) {
      const [{ client, request, via, rule }] = connections as [Connection];
      const gateways = rule.gateways.map((one) => ({ ...one, rule: whileOpen(one.rule) }));
      const handshake = { client, request, via, isGone: () => false, close: () => undefined };
      try {
        await this.inTime(this.requirements.check(principal, { ...rule, gateways }, handshake));
      } catch (error) {
        const end = endOf(error);
        if (end.code === 1013) {
          throw error;
        }
        await this.registry.end(connections, end);
      }
    }
  }

  private async checkStreams({ connections }: Bearer, principal: ResolvedPrincipal): Promise<void> {
    for (const connection of connections) {
      for (const stream of connection.streams) {
        try {
          await this.inTime(this.requirements.checkStream(principal, stream, connection));
        } catch (error) {
          if (!(error instanceof AuthException) || endOf(error).code === 1013) {
            throw error;
          }
          connection.streams.delete(stream);
          stream.stop(error);
        }
      }
    }
  }

  /** A policy that gives no answer must not keep other sockets waiting for their checks. */
  private inTime(answer: Promise<void>): Promise<void> {
    return withinDeadline(this.core.extensionTimeoutMs, answer, 'a policy');
  }

  /** @throws the error, unless it says that the login is over */
  private async fail(bearer: Bearer, error: unknown): Promise<void> {
    const now = Date.now();
    const end = endOf(error);
    if (end.code !== 1013) {
      await this.registry.end([...bearer.connections], end);
      return;
    }
    bearer.failingSince ??= now;
    bearer.retryAt = now + RETRY_MS;
    if (now - bearer.failingSince >= MAX_FAILING_MS) {
      await this.registry.end([...bearer.connections], end);
    }
    throw error instanceof AuthException
      ? error
      : new Error('the login of a socket could not be checked', { cause: error });
  }
}

/** Connections that get the same answer: those with the same rule. Policies may answer differently for each one. */
function groupsOf({ connections }: Bearer): Connection[][] {
  const groups: Connection[][] = [];
  const byRule = new Map<ServerRule, Connection[]>();
  for (const connection of connections) {
    const { rule } = connection;
    const same = byRule.get(rule);
    if (same !== undefined && !hasPolicy(rule)) {
      same.push(connection);
    } else {
      const group = [connection];
      groups.push(group);
      byRule.set(rule, group);
    }
  }
  return groups;
}

function hasPolicy({ gateways }: ServerRule): boolean {
  return gateways.some(({ rule }) => rule.requirements.some(({ kind }) => kind === 'policy'));
}
