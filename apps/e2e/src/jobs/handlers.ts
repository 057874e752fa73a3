import { applyDecorators, Controller, Injectable, Scope, type Type } from '@nestjs/common';
import { EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import {
  CurrentUser,
  KitAuthContext,
  type LoginUser,
  OptionalUser,
  Public,
  RequireFresh,
  RequirePermissions,
  RequireToken,
} from 'kit-auth';
import { AsCarriedUser } from 'kit-auth-jobs';
import { interval, map, type Observable, take } from 'rxjs';

/** What handlers have seen of messages that have no answer. */
@Injectable()
export class Seen {
  readonly events: unknown[] = [];
  /** Resolves once the answer of `left.running` was sent. */
  release: () => void = () => undefined;
}

/** Replaces the method without its metadata, as tracing libraries do. */
const Traced = (): MethodDecorator => (_target, _name, descriptor: PropertyDescriptor) => {
  const method = descriptor.value as (...parts: unknown[]) => unknown;
  descriptor.value = function (this: unknown, ...parts: unknown[]) {
    return method.apply(this, parts);
  };
};

/** What a handler sees of a message. */
const seenBy = (context: KitAuthContext, data: unknown, user: LoginUser | undefined) => ({
  data,
  user: user?.username ?? null,
  context: context.get()?.username ?? null,
  scheme: context.principal()?.scheme ?? null,
});

/** A handler of messages that answers with what it sees, with its decorators from the top down. */
function billsOf(...decorators: MethodDecorator[]): Type {
  @Controller()
  class BillsOf {
    constructor(private readonly context: KitAuthContext) {}

    @applyDecorators(...decorators.toReversed()) // from below, as the language does
    answer(@Payload() data: unknown, @CurrentUser() user?: LoginUser) {
      return seenBy(this.context, data, user);
    }
  }
  return BillsOf;
}

export const BILLS = [
  billsOf(MessagePattern('undecorated')),
  billsOf(Public(), MessagePattern('public')),
  billsOf(OptionalUser(), MessagePattern('optional')),
  billsOf(RequireToken(), MessagePattern('token')),
  billsOf(RequirePermissions('note:write'), MessagePattern('writers')),
  billsOf(RequireFresh(), MessagePattern('fresh')),
  billsOf(MessagePattern({ cmd: 'create', of: 'bill' })),
  billsOf(AsCarriedUser('billing'), MessagePattern('billing.above')),
  billsOf(AsCarriedUser('billing', { optional: true }), MessagePattern('billing.optional')),
  billsOf(MessagePattern('billing.below'), AsCarriedUser('billing')),
  billsOf(MessagePattern('billing.traced'), Traced(), AsCarriedUser('billing')),
];

@Controller()
export class Bills {
  constructor(
    private readonly context: KitAuthContext,
    private readonly seen: Seen,
  ) {}

  @MessagePattern('stream')
  stream(): Observable<unknown> {
    return interval(1).pipe(
      take(3),
      map(() => this.context.get()?.username ?? null),
    );
  }

  @AsCarriedUser('billing')
  @MessagePattern('billing.stream')
  billingStream(): Observable<unknown> {
    return this.stream();
  }

  @MessagePattern('left.running')
  async leftRunning() {
    const released = new Promise<void>((resolve) => (this.seen.release = resolve));
    void released.then(() => this.seen.events.push(this.context.get()?.username ?? 'nobody'));
    return this.context.getOrThrow().username;
  }

  @MessagePattern('slow')
  async slow({ turns }: { turns: number }) {
    const names = new Set<string | undefined>();
    for (let i = 0; i < turns; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      names.add(this.context.get()?.username);
    }
    return [...names];
  }

  @EventPattern('noted')
  noted(data: unknown) {
    this.seen.events.push(seenBy(this.context, data, this.context.get()));
  }
}

/** Another handler of the same event. */
@Controller()
export class Ledger {
  constructor(
    private readonly context: KitAuthContext,
    private readonly seen: Seen,
  ) {}

  @EventPattern('noted')
  noted(data: object) {
    this.seen.events.push({ ledger: Object.keys(data), user: this.context.get()?.username });
  }
}

/** A new instance for each message. */
@Controller({ scope: Scope.REQUEST })
export class ScopedBills {
  constructor(private readonly context: KitAuthContext) {}

  @AsCarriedUser('billing')
  @MessagePattern('scoped')
  scoped(@Payload() data: unknown, @CurrentUser() user: LoginUser) {
    return seenBy(this.context, data, user);
  }
}
