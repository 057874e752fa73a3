import {
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type FactoryProvider,
  Injectable,
} from '@nestjs/common';
import { EXCEPTION_FILTERS_METADATA, GUARDS_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { isPromiseLike } from '../errors/maybe-promise.js';
import { AuthGuard } from '../guard/auth.guard.js';
import { isMessage, messageErrorOf, messageExceptions } from '../guard/message.admission.js';
import { MessageExplorer, type MessageHandler } from './message.explorer.js';

/** The guards, by the container of an application. */
const guardOf = new WeakMap<ModulesContainer, AuthGuard>();

/**
 * Guards gateways and message controllers whose messages can be refused. Nest calls no global guards for gateways
 * on Nest 11, or for hybrid applications without `inheritAppConfig`.
 *
 * The guard is in the metadata of their classes, which all applications of the process share. Applications without
 * kit-auth, or with `enabled: false`, have an instance too.
 */
@Injectable()
class MessageGuard implements CanActivate {
  constructor(private readonly modules: ModulesContainer) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const guard = guardOf.get(this.modules);
    if (guard === undefined || !isMessage(context)) {
      return true;
    }
    const refuse = (error: unknown): never => {
      throw messageErrorOf(context.getType(), error);
    };
    try {
      const decision = guard.canActivate(context);
      return isPromiseLike(decision) ? decision.catch(refuse) : decision;
    } catch (error) {
      return refuse(error);
    }
  }
}

/**
 * Adds the guard to message handlers while the application is created, because `connectMicroservice()` registers
 * handlers before `init()`. It guards the class: an instance can replace its methods
 * (`this.list = this.list.bind(this)`), and Nest does not find the guards of a replacement.
 */
export const messageGuards: FactoryProvider<Promise<void>> = {
  provide: Symbol.for('kit-auth.message-guards'),
  inject: [KIT_AUTH_SETTINGS, ModulesContainer, MessageExplorer, AuthGuard],
  useFactory: async (
    { enabled }: KitAuthSettings,
    modules: ModulesContainer,
    messages: MessageExplorer,
    guard: AuthGuard,
  ) => {
    if (!enabled) {
      return;
    }
    guardOf.set(modules, guard);
    const handlers = messages.guarded();
    const filter = await loadExceptions(new Set(handlers.map(({ type }) => type)));
    for (const { type, controller, host } of handlers) {
      prepend(GUARDS_METADATA, MessageGuard, controller);
      if (!host.injectables.has(MessageGuard)) {
        // Nest does the same when it scans a class that has the metadata already.
        host.addInjectable({ provide: MessageGuard, useValue: new MessageGuard(modules) }, 'guard');
      }
      if (type === 'ws' && filter !== undefined) {
        prepend(EXCEPTION_FILTERS_METADATA, filter, controller);
      }
    }
  },
};

/**
 * Loads the exceptions. If that fails, messages are still refused, but the client gets "Internal server error".
 *
 * @returns a filter for gateways
 */
async function loadExceptions(
  types: ReadonlySet<MessageHandler['type']>,
): Promise<ExceptionFilter | undefined> {
  if (types.has('rpc')) {
    await import('@nestjs/microservices').then(
      ({ RpcException }) => messageExceptions.set('rpc', RpcException),
      () => undefined,
    );
  }
  if (!types.has('ws')) {
    return undefined;
  }
  return import('./gateway.refusal.js').then(
    ({ GatewayRefusal, gatewayRefusalFilter }) => {
      messageExceptions.set('ws', GatewayRefusal);
      return gatewayRefusalFilter;
    },
    () => undefined,
  );
}

/** Guards of the application follow. Filters of the application are asked first. */
function prepend(key: string, enhancer: unknown, type: object): void {
  const present = (Reflect.getMetadata(key, type) as unknown[] | undefined) ?? [];
  if (!present.includes(enhancer)) {
    Reflect.defineMetadata(key, [enhancer, ...present], type);
  }
}
