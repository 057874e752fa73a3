import { Controller, Injectable, Scope } from '@nestjs/common';
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

/** Handlers of messages that answer with what they see. */
@Controller()
export class Bills {
  constructor(
    private readonly context: KitAuthContext,
    private readonly seen: Seen,
  ) {}

  @MessagePattern('undecorated')
  undecorated(@Payload() data: unknown, @CurrentUser() user?: LoginUser) {
    return this.answer(data, user);
  }

  @Public()
  @MessagePattern('public')
  open(@Payload() data: unknown, @CurrentUser() user?: LoginUser) {
    return this.answer(data, user);
  }

  @OptionalUser()
  @MessagePattern('optional')
  optional(@Payload() data: unknown, @CurrentUser() user?: LoginUser) {
    return this.answer(data, user);
  }

  @RequireToken()
  @MessagePattern('token')
  token(@Payload() data: unknown, @CurrentUser() user?: LoginUser) {
    return this.answer(data, user);
  }

  @RequirePermissions('note:write')
  @MessagePattern('writers')
  writers(@Payload() data: unknown, @CurrentUser() user?: LoginUser) {
    return this.answer(data, user);
  }

  @RequireFresh()
  @MessagePattern('fresh')
  fresh(@Payload() data: unknown, @CurrentUser() user?: LoginUser) {
    return this.answer(data, user);
  }

  @AsCarriedUser('billing')
  @MessagePattern('billing.above')
  above(@Payload() data: unknown, @CurrentUser() user?: LoginUser) {
    return this.answer(data, user);
  }

  @MessagePattern('billing.below')
  @AsCarriedUser('billing')
  below(@Payload() data: unknown, @CurrentUser() user?: LoginUser) {
    return this.answer(data, user);
  }

  @MessagePattern('billing.traced')
  @Traced()
  @AsCarriedUser('billing')
  traced(@Payload() data: unknown, @CurrentUser() user?: LoginUser) {
    return this.answer(data, user);
  }

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
    this.seen.events.push(this.answer(data, this.context.get()));
  }

  private answer(data: unknown, user: LoginUser | undefined) {
    return {
      data,
      user: user?.username ?? null,
      context: this.context.get()?.username ?? null,
      scheme: this.context.principal()?.scheme ?? null,
    };
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
    const context = this.context.get()?.username;
    return { data, user: user.username, context, scheme: this.context.principal()?.scheme };
  }
}
