import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Principal } from 'kit-auth';
import { MessageContext } from 'kit-auth/extend';
import { Observable } from 'rxjs';
import { withoutMember } from '../carrying/carried-data.js';

/** By the arguments of a message, which guards and interceptors share. */
const admitted = new WeakMap<unknown[], Principal>();

/** Notes the user of a message that is about to reach its handler. */
export function admit(context: ExecutionContext, principal: Principal): void {
  admitted.set(context.getArgs(), principal);
}

/**
 * Calls handlers of microservices as the user of the message, until their result is complete. Takes the user out of the data.
 * It has no state of an application, because it is in the metadata of classes, which all applications of the process share.
 */
export const messageInterceptor: NestInterceptor = {
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

function asUser(principal: Principal, next: CallHandler): Observable<unknown> {
  return new Observable((subscriber) => {
    const opened = new MessageContext(principal, undefined, undefined);
    const subscription = opened.run(() => next.handle().subscribe(subscriber));
    subscription.add(() => opened.close());
    return subscription;
  });
}
