import { AsyncResource } from 'node:async_hooks';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { ResolvedPrincipal } from 'kit-auth/login';
import { SharedLookups } from 'kit-auth/tools';
import { type ResolvedSocketsOptions, socketsOptions } from '../sockets.options.js';
import type { Bearer, Connection } from '../connections/connection.js';
import { SocketRegistry } from '../connections/socket.registry.js';
import { LoginCheck } from './login.check.js';

/** Concurrent checks. */
const MAX_RUNNING = 8;
const TICK_MS = 1000;

/** Checks the logins of open sockets: after hints, with messages, and every `recheckSeconds`. */
@Injectable()
export class LoginChecks implements BeforeApplicationShutdown {
  private readonly maxAgeMs: number;
  /** Hints come from requests: their transactions, with changes that may be rolled back, are not for the checks. */
  private readonly outside = new AsyncResource('LoginChecks');
  private readonly checks = new SharedLookups((id) => this.outside.runInAsyncScope(() => this.run(id)));
  private readonly queue = new Set<Bearer>();
  private readonly timer: NodeJS.Timeout;
  private turn: NodeJS.Immediate | undefined;
  private readonly running = new Set<Promise<void>>();
  private isStopped = false;

  constructor(
    private readonly login: LoginCheck,
    private readonly registry: SocketRegistry,
    @Inject(socketsOptions.token) { settings }: ResolvedSocketsOptions,
  ) {
    this.maxAgeMs = settings.recheckSeconds * 1000;
    this.timer = setInterval(() => this.enqueueOld(), TICK_MS).unref();
  }

  /** Stores close after this. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    clearImmediate(this.turn);
    await Promise.all(this.running);
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

  /** True if the last check is recent enough for a message. */
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
    if (this.queue.size > 0 && this.running.size < MAX_RUNNING && !this.isStopped) {
      this.turn ??= setImmediate(() => {
        this.turn = undefined;
        this.startSome();
      });
    }
  }

  private startSome(): void {
    for (const bearer of this.queue) {
      if (this.running.size >= MAX_RUNNING) {
        return;
      }
      this.queue.delete(bearer);
      if (bearer.connections.size > 0) {
        const running = this.check(bearer)
          .catch(() => undefined)
          .finally(() => {
            this.running.delete(running);
            this.work();
          });
        this.running.add(running);
      }
    }
  }

  private check({ id }: Bearer): Promise<void> {
    return this.checks.ask(id);
  }

  private async run(id: string): Promise<void> {
    const bearer = this.registry.bearerOf(id);
    if (bearer !== undefined) {
      await this.login.run(bearer);
    }
  }
}
