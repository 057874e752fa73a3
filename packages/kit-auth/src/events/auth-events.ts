import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { KitAuthContext } from '../context/kit-auth.context.js';
import { describeError } from '../errors/describe-error.js';
import {
  AUTH_EVENT_SINK,
  type AuthAction,
  type AuthEvent,
  type AuthEventSink,
  type NotedEvent,
} from './auth-event.js';

/** The part of `EventEmitter2` that is used here; the core does not depend on `@nestjs/event-emitter`. */
interface Emitter {
  emitAsync(name: string, event: AuthEvent): Promise<unknown>;
}

/** Who does something, and from where. */
type Origin = Pick<AuthEvent, 'actorId' | 'actor' | 'address'>;

/** More than this at once are dropped, and said to be: what keeps them is slower than what happens. */
const MOST_PENDING = 1000;
const MAX_TEXT = 255;
const SHUTDOWN_MS = 3000;

/** Tells of what happens, to the application's `EventEmitter2` and to whoever keeps events. */
@Injectable()
export class AuthEvents implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('KitAuth');
  /** By who is being waited for, so that one that hangs stands in nobody else's way. */
  private readonly pending = new Map<object, Set<Promise<void>>>();
  private readonly overwhelmed = new Set<object>();
  private sinks: AuthEventSink[] = [];
  private emitter: Emitter | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly context: KitAuthContext,
  ) {}

  onModuleInit(): void {
    const providers = this.discovery.getProviders();
    this.sinks = providers
      .filter(({ token }) => token === AUTH_EVENT_SINK)
      .map(({ instance }) => instance as AuthEventSink);
    this.emitter = providers
      .map(({ token, instance }) =>
        typeof token === 'function' ? (instance as Partial<Emitter> | null) : null,
      )
      .find((it): it is Emitter => typeof it?.emitAsync === 'function');
  }

  /** What is still being kept is kept before the application goes, unless that takes too long. */
  async beforeApplicationShutdown(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise((resolve) => {
      timer = setTimeout(resolve, SHUTDOWN_MS);
    });
    await Promise.race([Promise.all([...this.pending.values()].flatMap((set) => [...set])), deadline]);
    clearTimeout(timer);
  }

  /** Begins an action of the current user, or of the client of the current request. Call it before the first `await`. */
  begin(): AuthAction {
    const user = this.context.get();
    const origin: Origin = {
      actorId: user?.userId ?? null,
      actor: plain(user?.username),
      address: plain(this.context.client()?.address),
    };
    return Object.freeze({
      user,
      note: (noted: NotedEvent) => this.note(complete(noted, origin)),
      keep: (noted: NotedEvent, manager: EntityManager) => this.keep(complete(noted, origin), manager),
    });
  }

  emit(event: AuthEvent): void {
    const { emitter } = this;
    if (emitter !== undefined) {
      this.inBackground(emitter, () => emitter.emitAsync(`kit-auth.${event.type}`, event));
    }
  }

  private note(event: AuthEvent): void {
    for (const sink of this.sinks) {
      this.inBackground(sink, () => sink.keep(event));
    }
    this.emit(event);
  }

  private async keep(event: AuthEvent, manager: EntityManager): Promise<AuthEvent> {
    for (const sink of this.sinks) {
      await sink.keep(event, manager);
    }
    return event;
  }

  private inBackground(whose: object, work: () => Promise<unknown>): void {
    const pending = this.pending.get(whose) ?? new Set();
    this.pending.set(whose, pending);
    if (pending.size >= MOST_PENDING) {
      if (!this.overwhelmed.has(whose)) {
        this.overwhelmed.add(whose);
        this.logger.warn('[auth] events are dropped: what listens to them does not keep up');
      }
      return;
    }
    const done = this.attempt(work).finally(() => {
      pending.delete(done);
      if (pending.size === 0) {
        this.overwhelmed.delete(whose);
      }
    });
    pending.add(done);
  }

  private async attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.error(`[auth] a listener failed: ${describeError(error)}`);
    }
  }
}

function complete(
  { type, subjectId, subject, success = true, detail }: NotedEvent,
  { actorId, actor, address }: Origin,
): AuthEvent {
  return Object.freeze({
    type,
    at: new Date(),
    actorId,
    actor,
    subjectId: subjectId ?? null,
    subject: plain(subject),
    success,
    detail: plain(detail),
    address,
  });
}

/** Nothing that a log or a terminal would take for more than text. */
function plain(text: string | null | undefined): string | null {
  return text?.replace(/[\p{C}\u2028\u2029]/gu, '?').slice(0, MAX_TEXT) ?? null;
}
