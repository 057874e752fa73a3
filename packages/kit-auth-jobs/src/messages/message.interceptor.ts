import type { CallHandler, ExecutionContext, FactoryProvider, NestInterceptor } from '@nestjs/common';
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import type { Principal } from 'kit-auth';
import { MessageContext } from 'kit-auth/login';
import { Observable } from 'rxjs';
import { withoutMember } from '../carrying/carried-data.js';
import { messageControllers } from '../handlers/carried.handlers.js';

/** The key is the list of arguments of a message: guards and interceptors share it. */
const admitted = new WeakMap<unknown[], Principal>();

/** Notes the user of a message that is about to reach its handler. */
export function admit(context: ExecutionContext, principal: Principal): void {
  admitted.set(context.getArgs(), principal);
}

/**
 * Calls handlers of microservices as the user of the message, until their result is complete. Takes the user out of the data.
 * It has no state of an application: all applications of the process share the metadata of classes.
 */
const messageInterceptor: NestInterceptor = {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType<string>() !== 'rpc') {
      return next.handle();
    }
    const parts = context.getArgs();
    parts[0] = withoutMember(parts[0] as unknown);
    const principal = admitted.get(parts);
    return principal === undefined ? next.handle() : asUser(principal, next);
  },
};

/**
 * Adds the interceptor to all handlers of messages while the application is created, because `connectMicroservice()` registers
 * handlers before `init()`. Nest does not call interceptors of `APP_INTERCEPTOR` in hybrid applications without
 * `inheritAppConfig`, and they delay HTTP requests.
 */
export const messageInterceptors: FactoryProvider<void> = {
  provide: Symbol.for('kit-auth-jobs.interceptors'),
  inject: [ModulesContainer],
  useFactory: (modules: ModulesContainer) => {
    for (const type of messageControllers(modules)) {
      const present = (Reflect.getMetadata(INTERCEPTORS_METADATA, type) as unknown[] | undefined) ?? [];
      if (!present.includes(messageInterceptor)) {
        // Interceptors of the application follow.
        Reflect.defineMetadata(INTERCEPTORS_METADATA, [messageInterceptor, ...present], type);
      }
    }
  },
};

function asUser(principal: Principal, next: CallHandler): Observable<unknown> {
  return new Observable((subscriber) => {
    const opened = new MessageContext(principal, undefined, undefined);
    const subscription = opened.run(() => next.handle().subscribe(subscriber));
    subscription.add(() => opened.close());
    return subscription;
  });
}
