import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { KitAuthContext } from '../context/kit-auth.context.js';
import type {
  AuthAction,
  AuthEvent,
  AuthEventSink,
  AuthEventType,
  NotedEvent,
} from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { describeError, plainText, stackOf } from '../errors/describe.js';
import { DeadlineExceeded, withinDeadline } from '../errors/deadline.js';
import { Ports } from '../ports/ports.js';
import { EventQueue, isRefusal } from './event-queue.js';
import { RepeatedRefusals } from './repeated-refusals.js';

/** The methods of `EventEmitter2` that are used here. The core does not depend on `@nestjs/event-emitter`. */
interface Emitter {
  emitAsync(name: string, event: AuthEvent): Promise<unknown>;
}

interface QueuedSink {
  readonly sink: AuthEventSink;
  readonly ignores: ReadonlySet<AuthEventType>;
  readonly queue: EventQueue;
}

/** Further events are dropped with a warning. The last quarter is reserved for events that are not refusals. */
const MAX_PENDING = 1000;
const SHUTDOWN_MS = 3000;
const WARN_EVERY_MS = 60_000;

/**
 * Publishes events to the application's `EventEmitter2` and to all event sinks:
 *
 * ```
 * action.note(event)   belongs to no change   -> publish: the queue of each sink, and emit at once
 *                      repeats itself         -> RepeatedRefusals, and publish once a minute
 *                      kept: false            -> emit only
 * action.keep(event)   belongs to a change    -> sink.keep() in its transaction; the caller emits after the commit
 * emit(event)                                 -> sink.committed(), and the listeners of the emitter
 * ```
 */
@Injectable()
export class EventPublisher extends AuthEvents implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('KitAuth');
  private readonly refusals = new RepeatedRefusals((event) => this.publish(event));
  /** Emitted events that listeners have not finished with. */
  private readonly pending = new Set<Promise<void>>();
  private nextWarningAt = 0;
  /** Each has a queue: a hung sink does not block the others. */
  private sinks: QueuedSink[] = [];
  private emitter: Emitter | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly ports: Ports,
    private readonly context: KitAuthContext,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'extensionTimeoutMs'>,
  ) {
    super();
  }

  onModuleInit(): void {
    this.sinks = this.ports.sinks.map((sink) => ({
      sink,
      ignores: new Set(sink.ignores),
      queue: new EventQueue(sink, (error) => this.listenerFailed(error)),
    }));
    this.emitter = this.discovery
      .getProviders()
      .map(({ token, instance }) =>
        typeof token === 'function' ? (instance as Partial<Emitter> | null) : null,
      )
      .find((instance): instance is Emitter => typeof instance?.emitAsync === 'function');
  }

  /** Waits until pending events are stored, for a limited time. */
  async beforeApplicationShutdown(): Promise<void> {
    this.refusals.closeAll();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise((resolve) => {
      timer = setTimeout(resolve, SHUTDOWN_MS);
    });
    const done = Promise.all([...this.sinks.map(({ queue }) => queue.emptied()), ...this.pending]);
    await Promise.race([done, deadline]);
    clearTimeout(timer);
  }

  /**
   * Begins an action of the current user, or of the client of the current request. Call it before the first `await`.
   */
  begin(): AuthAction {
    const user = this.context.get();
    const actor = this.context.proof()?.actor;
    const { userId, username } = actor ?? user ?? {};
    const origin: Origin = {
      actorId: userId ?? null,
      actor: plain(username),
      ...(actor && user && { onBehalfOfId: user.userId, onBehalfOf: plainText(user.username) }),
      address: plain(this.context.client()?.address),
    };
    return Object.freeze({
      user,
      run: this.context.snapshot(),
      note: (noted: NotedEvent) => this.note(complete(noted, origin), noted),
      keep: (noted: NotedEvent, transaction: unknown) => this.keep(complete(noted, origin), transaction),
    });
  }

  emit(event: AuthEvent): void {
    this.sinksOf(event).forEach(({ sink }) => this.tell(sink, event));
    const { emitter } = this;
    if (emitter === undefined) {
      return;
    }
    const max = isRefusal(event) ? (MAX_PENDING * 3) / 4 : MAX_PENDING;
    if (this.pending.size >= max) {
      this.dropped();
      return;
    }
    const done = this.emitTo(emitter, event).finally(() => this.pending.delete(done));
    this.pending.add(done);
  }

  private sinksOf({ type }: AuthEvent): QueuedSink[] {
    return this.sinks.filter(({ ignores }) => !ignores.has(type));
  }

  private tell(sink: AuthEventSink, event: AuthEvent): void {
    const failed = (error: unknown) => this.listenerFailed(error);
    try {
      // It may be an async function despite its type.
      const returned: unknown = sink.committed?.(event);
      Promise.resolve(returned).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  private note(event: AuthEvent, { handler, kept = true }: NotedEvent): void {
    if (!kept) {
      this.emit(event);
    } else if (handler === undefined || !this.refusals.folds(event, handler)) {
      this.publish(event);
    }
  }

  private publish(event: AuthEvent): void {
    for (const { queue } of this.sinksOf(event)) {
      if (!queue.add(event)) {
        this.dropped();
      }
    }
    this.emit(event);
  }

  private async keep(event: AuthEvent, transaction: unknown): Promise<AuthEvent> {
    const sinks = this.sinksOf(event).map(({ sink }) => sink);
    if (transaction === undefined) {
      await keptByAll(sinks, event, this.settings.extensionTimeoutMs);
    } else {
      for (const sink of sinks) {
        await sink.keep(event, transaction);
      }
    }
    return event;
  }

  private async emitTo(emitter: Emitter, event: AuthEvent): Promise<void> {
    try {
      await emitter.emitAsync(`kit-auth.${event.type}`, event);
    } catch (error) {
      this.listenerFailed(error);
    }
  }

  private listenerFailed(error: unknown): void {
    this.logger.error(`[auth] a listener failed: ${describeError(error)}`, ...stackOf(error));
  }

  /** Warns at most once a minute. */
  private dropped(): void {
    const now = Date.now();
    if (now >= this.nextWarningAt) {
      this.nextWarningAt = now + WARN_EVERY_MS;
      this.logger.warn('[auth] events are dropped: their listeners are too slow');
    }
  }
}

/**
 * The change is made and cannot be rolled back. So every sink gets the event, with one retry. There is no retry after a
 * timeout, because the first call may still store the event.
 */
async function keptByAll(
  sinks: readonly AuthEventSink[],
  event: AuthEvent,
  timeoutMs: number,
): Promise<void> {
  const outcomes = await Promise.allSettled(
    sinks.map(async (sink) => {
      const keep = () => withinDeadline(timeoutMs, (async () => sink.keep(event))(), sink.constructor.name);
      await keep().catch((error: unknown) =>
        error instanceof DeadlineExceeded ? Promise.reject(error) : keep(),
      );
    }),
  );
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed !== undefined) {
    throw (failed as PromiseRejectedResult).reason;
  }
}

/** The users and the address of the action. */
export type Origin = Pick<AuthEvent, 'actorId' | 'actor' | 'onBehalfOfId' | 'onBehalfOf' | 'address'>;

/** @param noted the members that the author of the event sets. The rest comes from the action */
export function complete(
  { type, subjectId, subject, success = true, detail, endsKeys, endsFactors, endedSessions }: NotedEvent,
  { actorId, actor, address, ...represented }: Origin,
): AuthEvent {
  return Object.freeze({
    type,
    at: new Date(),
    actorId,
    actor,
    ...represented,
    subjectId: subjectId ?? null,
    subject: plain(subject),
    success,
    detail: plain(detail),
    address,
    ...(endsKeys && { endsKeys }),
    ...(endsFactors && { endsFactors }),
    ...(endedSessions !== undefined && { endedSessions }),
  });
}

export function plain(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : plainText(text);
}
