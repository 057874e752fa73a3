import {
  type CallHandler,
  type ExecutionContext,
  type FactoryProvider,
  Injectable,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import type { Observable } from 'rxjs';
import { ServerSentEvents } from './server-sent.events.js';
import { SubscriptionEvents } from './subscription.events.js';

type Host = ReturnType<ModulesContainer['values']> extends Iterable<infer Module> ? Module : never;

/** Metadata keys of `@Sse()`, and of `@Subscription()` of @nestjs/graphql, an optional package. */
const SSE = '__sse__';
const RESOLVER_TYPE = 'graphql:resolver_type';

interface Streams {
  readonly sse: ServerSentEvents;
  readonly subscriptions: SubscriptionEvents;
}

/** Dependencies of the interceptor, by the container of an application. */
const streamsOf = new WeakMap<ModulesContainer, Streams>();

/**
 * Ends what handlers send when the login of their user ends.
 *
 * The interceptor is in the metadata of their methods. All applications of the process share it. Applications
 * without this package have an instance too.
 */
@Injectable()
class StreamInterceptor implements NestInterceptor {
  constructor(private readonly modules: ModulesContainer) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const streams = streamsOf.get(this.modules);
    const kind = context.getType() === 'http' ? streams?.sse : streams?.subscriptions;
    return kind?.around(context, next) ?? next.handle();
  }
}

/**
 * Adds the interceptor to the handlers while the application is created, before Nest reads their metadata. Other handlers
 * have none, and so cost nothing.
 */
export const streamInterceptors: FactoryProvider<void> = {
  provide: Symbol.for('kit-auth.stream-interceptors'),
  inject: [KIT_AUTH_SETTINGS, ModulesContainer, ServerSentEvents, SubscriptionEvents],
  useFactory: (
    { enabled }: KitAuthSettings,
    modules: ModulesContainer,
    sse: ServerSentEvents,
    subscriptions: SubscriptionEvents,
  ) => {
    if (!enabled) {
      return;
    }
    streamsOf.set(modules, { sse, subscriptions });
    for (const host of modules.values()) {
      const handlers = [...host.controllers.values(), ...host.providers.values()].flatMap(handlersOf);
      handlers.forEach(intercept);
      if (handlers.length > 0 && !host.injectables.has(StreamInterceptor)) {
        // Nest does the same when it scans a class that has the metadata already.
        host.addInjectable(
          { provide: StreamInterceptor, useValue: new StreamInterceptor(modules) },
          'interceptor',
        );
      }
    }
  },
};

type Wrapper = Pick<
  Host['providers'] extends Map<unknown, infer W> ? W : never,
  'metatype' | 'isNotMetatype'
>;

function handlersOf({ metatype, isNotMetatype }: Wrapper): object[] {
  if (isNotMetatype || typeof metatype !== 'function') {
    return [];
  }
  const prototype = (metatype as Type).prototype as object | undefined;
  return new MetadataScanner()
    .getAllMethodNames(prototype ?? null)
    .map((name) => Reflect.get(prototype as object, name) as object)
    .filter(
      (method) =>
        Reflect.hasMetadata(SSE, method) || Reflect.getMetadata(RESOLVER_TYPE, method) === 'Subscription',
    );
}

/** Interceptors of the application follow. */
function intercept(method: object): void {
  const present = (Reflect.getMetadata(INTERCEPTORS_METADATA, method) as unknown[] | undefined) ?? [];
  if (!present.includes(StreamInterceptor)) {
    Reflect.defineMetadata(INTERCEPTORS_METADATA, [StreamInterceptor, ...present], method);
  }
}
