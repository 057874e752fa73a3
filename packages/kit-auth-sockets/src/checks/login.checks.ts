import { AsyncResource } from 'node:async_hooks';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AuthException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { type ResolvedPrincipal, SharedLookups, withinDeadline } from 'kit-auth/extend';
import {
  type ResolvedSocketsOptions,
  socketsOptions,
  type SocketsSettings,
} from '../config/sockets.options.js';
import { type ServerRule, whileOpen } from '../connections/server-rule.js';
import { Requirements } from './requirements.js';
import type { Bearer, Connection } from '../connections/connection.js';
import { LoginState } from './login.state.js';
import { endOf } from '../connections/socket-end.js';
import { SocketRegistry } from '../connections/socket.registry.js';

/** How many checks run at once. */
const MAX_RUNNING = 8;
/** How long sockets stay open while their logins cannot be checked. */
const MAX_FAILING_MS = 300_000;
const RETRY_MS = 5000;
const TICK_MS = 1000;

/** Checks the logins of open sockets: after hints, with messages, and every `recheckSeconds`. */
@Injectable()
export class LoginChecks implements OnApplicationShutdown {
  private readonly settings: SocketsSettings;
  private readonly maxAgeMs: number;
  /** Hints come from requests: their transactions, with changes that may be rolled back, are not for the checks. */
  private readonly outside = new AsyncResource('LoginChecks');
  private readonly checks = new SharedLookups((id) =>
    this.outside.runInAsyncScope(() => this.run(this.registry.bearerOf(id))),
  );
  private readonly queue = new Set<Bearer>();
  private readonly timer: NodeJS.Timeout;
  private turn: NodeJS.Immediate | undefined;
  private running = 0;

  constructor(
    private readonly logins: LoginState,
    private readonly requirements: Requirements,
    private readonly registry: SocketRegistry,
    @Inject(socketsOptions.token) { settings }: ResolvedSocketsOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {
    this.settings = settings;
    this.maxAgeMs = settings.recheckSeconds * 1000;
    this.timer = setInterval(() => this.enqueueOld(), TICK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    clearImmediate(this.turn);
    this.queue.clear();
  }

  /**
   * The principal of a connection, checked again if it is old or a hint has come.
   *
   * @throws AuthException 40101 once the connection is over, 50300 when its login cannot be checked
   */
  async principalOf(connection: Connection): Promise<ResolvedPrincipal | undefined> {
    const { bearer } = connection;
    if (bearer !== undefined && !connection.isOver && bearer.isInDoubt(Date.now(), this.maxAgeMs)) {
      bearer.isActive = true;
      await this.check(bearer);
    }
    if (connection.isOver) {
      throw connection.refusal();
    }
    return connection.bearer?.principal;
  }

  /** Whether a message needs no check, so that nobody has to wait. */
  isCertain({ bearer, isOver }: Connection): boolean {
    return !isOver && bearer?.isInDoubt(Date.now(), this.maxAgeMs) !== true;
  }

  /** Checks a token when its turn comes. */
  enqueue(bearer: Bearer): void {
    this.queue.add(bearer);
    this.work();
  }

  private enqueueOld(): void {
    const now = Date.now();
    for (const bearer of this.registry.all()) {
      const isWaiting = bearer.failingSince !== undefined && now < bearer.retryAt;
      if (!isWaiting && bearer.isInDoubt(now, this.maxAgeMs)) {
        this.queue.add(bearer);
      }
    }
    this.work();
  }

  /** One turn of the event loop starts a few checks at most: stores in the process answer within the turn. */
  private work(): void {
    if (this.queue.size > 0 && this.running < MAX_RUNNING) {
      this.turn ??= setImmediate(() => {
        this.turn = undefined;
        this.startSome();
      });
    }
  }

  private startSome(): void {
    for (const bearer of this.queue) {
      if (this.running >= MAX_RUNNING) {
        return;
      }
      this.queue.delete(bearer);
      if (bearer.connections.size > 0) {
        this.running++;
        void this.check(bearer)
          .catch(() => undefined)
          .finally(() => {
            this.running--;
            this.work();
          });
      }
    }
  }

  private check({ id }: Bearer): Promise<void> {
    return this.checks.ask(id);
  }

  private async run(bearer: Bearer | undefined): Promise<void> {
    if (bearer === undefined) {
      return; // its last socket has gone
    }
    const { hints } = bearer;
    const now = Date.now();
    try {
      const principal = await this.logins.now(bearer, this.settings.keepAfterToken);
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
