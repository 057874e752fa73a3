import { Controller, Injectable, Scope, type Type } from '@nestjs/common';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import {
  AuthErrorCode,
  AuthException,
  type AuthPolicy,
  Authorize,
  Public,
  RequireRoles,
  RequireToken,
} from 'kit-auth';

type Decorator = ClassDecorator & MethodDecorator;

@Injectable()
export class AnyUser implements AuthPolicy {
  can = () => true;
}

/** The data of an event. */
interface Note {
  readonly from?: string;
}

/** The messages that reached a handler. */
export const handled: unknown[] = [];

function handle(message: unknown) {
  handled.push(message);
  return { event: 'ran', data: message };
}

const nothing = (): undefined => undefined;

/** A gateway that is a controller for messages too, with a message, and an event named `<message> event`. */
function handlerOf(message: string, onClass: Decorator = nothing, onMethod: Decorator = nothing): Type {
  @onClass
  @WebSocketGateway()
  @Controller()
  class Handler {
    @onMethod @SubscribeMessage(message) @MessagePattern(message) answer() {
      return handle(message);
    }
    @onMethod @EventPattern(`${message} event`) note({ from }: Note) {
      handle(from);
    }
  }
  Object.defineProperty(Handler, 'name', { value: `Handler of ${message}` });
  return Handler;
}

abstract class Inherited {
  @SubscribeMessage('inherited') @MessagePattern('inherited') answer() {
    return handle('inherited');
  }
  @EventPattern('inherited event') note({ from }: Note) {
    handle(from);
  }
}

@RequireToken()
@WebSocketGateway()
@Controller()
class Inheriting extends Inherited {}

/** Replaces its methods, as in `this.answer = this.answer.bind(this)`. */
function boundHandlerOf(message: string, scope: Scope): Type {
  @Injectable({ scope })
  @WebSocketGateway()
  @Controller({ scope })
  class Bound {
    constructor() {
      this.answer = this.answer.bind(this);
      this.note = this.note.bind(this);
    }

    @RequireRoles('editor') @SubscribeMessage(message) @MessagePattern(message) answer() {
      return handle(message);
    }
    @RequireRoles('editor') @EventPattern(`${message} event`) note({ from }: Note) {
      handle(from);
    }
  }
  return Bound;
}

/** Its handler refuses by itself. */
@WebSocketGateway()
@Controller()
export class RefusingByItself {
  @SubscribeMessage('own refusal') @MessagePattern('own refusal') answer() {
    throw new AuthException(AuthErrorCode.FORBIDDEN);
  }
}

// All decorators are in packages/kit-auth/src/routes/route-rules.spec.ts.

/** By message. */
export const OPEN: Readonly<Record<string, Type>> = {
  undecorated: handlerOf('undecorated'),
  public: handlerOf('public', RequireToken(), Public()),
};

/** By message. */
export const REFUSING: Readonly<Record<string, Type>> = {
  required: handlerOf('required', undefined, RequireToken()),
  'required by the class': handlerOf('required by the class', Authorize(AnyUser)),
  protected: handlerOf('protected', Public(), Public(false)),
  inherited: Inheriting,
  bound: boundHandlerOf('bound', Scope.DEFAULT),
  'bound in request scope': boundHandlerOf('bound in request scope', Scope.REQUEST),
};
