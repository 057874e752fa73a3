import { Injectable, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { isCurrentUser } from '../context/kit-auth.context.js';
import { AUTH_MESSAGES } from '../contract/auth-messages.js';
import { IllegalStateException } from '../errors/auth.exception.js';
import { Ports } from '../ports/ports.js';
import { decoratedMethodOf } from '../routes/decorated-method.js';
import { requirementsOn } from '../routes/require.decorators.js';
import { RouteRules } from '../routes/route-rules.js';

type Host = ReturnType<ModulesContainer['values']> extends Iterable<infer Module> ? Module : never;

/** Keys of the metadata of @nestjs/websockets and @nestjs/microservices, which applications need not install. */
const GATEWAY = 'websockets:is_gateway';
const HANDLER = { ws: 'websockets:message_mapping', rpc: 'microservices:handler_type' } as const;

/** Methods of gateways that Nest calls for connections. */
const HOOKS = ['afterInit', 'handleConnection', 'handleDisconnect'];

/** A method that handles messages of a gateway (`ws`) or a microservice (`rpc`). */
export interface MessageHandler {
  readonly type: keyof typeof HANDLER;
  readonly controller: Type;
  readonly handler: object;
  readonly name: string;
  /** The module of the gateway or controller. */
  readonly host: Host;
}

/** Finds handlers of messages. It needs no instances, so it works while the application is created. */
@Injectable()
export class MessageExplorer {
  private readonly scanner = new MetadataScanner();

  constructor(
    private readonly modules: ModulesContainer,
    private readonly rules: RouteRules,
    private readonly ports: Ports,
  ) {}

  /** All gateways. */
  gateways(): Type[] {
    return [...this.modules.values()].flatMap(gatewaysOf);
  }

  /** All handlers of messages. */
  handlers(): MessageHandler[] {
    return [...this.modules.values()].flatMap((host) => [
      ...gatewaysOf(host).flatMap((controller) => this.handlersIn(controller, 'ws', host)),
      ...controllersOf(host).flatMap((controller) => this.handlersIn(controller, 'rpc', host)),
    ]);
  }

  /**
   * The handlers to guard: those that require a token, and all others as well if a module knows the users of messages.
   * Called while the application is created, when the ports are not filled.
   */
  guarded(): MessageHandler[] {
    const knowsUsers = [...this.modules.values()].some(({ providers }) => providers.has(AUTH_MESSAGES));
    return this.handlers().filter((handler) => knowsUsers || this.requiresToken(handler));
  }

  /** The handlers that refuse every message, because they require a token and messages of this type carry none. */
  refusing(): MessageHandler[] {
    return this.handlers().filter(
      (handler) => !this.ports.messages.has(handler.type) && this.requiresToken(handler),
    );
  }

  /**
   * @throws IllegalStateException for decorators on gateways that have no effect, because Nest asks no guards about
   * connections, and passes only the client to the methods that it calls for them
   */
  checkGateways(): void {
    const blind = this.gateways().flatMap((gateway) =>
      HOOKS.filter((name) => takesCurrentUser(gateway, name)).map((name) => `${gateway.name}.${name}()`),
    );
    if (blind.length > 0) {
      throw new IllegalStateException(
        `@CurrentUser() has no effect on ${blind.join(', ')}, because Nest passes only the client and its request. Inject ` +
          "KitAuthContext and call get(). It knows the user with KitAuthSocketsModule of 'kit-auth-sockets'.",
      );
    }
    const areAuthenticated = this.ports.messages.has('ws');
    const hooks = areAuthenticated ? ['afterInit', 'handleDisconnect'] : HOOKS;
    const names = this.gateways().flatMap((gateway) => [
      ...hooks.filter((name) => isDecoratedHook(gateway, name)).map((name) => `${gateway.name}.${name}()`),
      ...(!areAuthenticated &&
      requirementsOn(gateway).length > 0 &&
      this.handlersOf(gateway, 'ws').length === 0
        ? [gateway.name]
        : []),
    ]);
    if (names.length > 0 && areAuthenticated) {
      throw new IllegalStateException(
        `Access decorators have no effect on ${names.join(', ')}, because Nest calls them for every connection. Move them ` +
          'to handleConnection() or to the class.',
      );
    }
    if (names.length > 0) {
      throw new IllegalStateException(
        `Access decorators have no effect on connections of gateways: ${[...new Set(names)].join(', ')}. Remove the ` +
          'decorators and authenticate the client in handleConnection() with AuthManager.getLoginUser(), or import ' +
          "KitAuthSocketsModule of 'kit-auth-sockets', which authenticates clients at the handshake.",
      );
    }
  }

  private requiresToken({ controller, handler }: MessageHandler): boolean {
    return this.rules.messageRuleOf(controller, handler)?.decision === 'token';
  }

  private handlersIn(controller: Type, type: MessageHandler['type'], host: Host): MessageHandler[] {
    return this.handlersOf(controller, type).map((name) => {
      return { type, controller, handler: methodOf(controller, name), name, host };
    });
  }

  private handlersOf(controller: Type, type: MessageHandler['type']): string[] {
    return this.scanner
      .getAllMethodNames(controller.prototype as object)
      .filter((name) => Reflect.hasMetadata(HANDLER[type], methodOf(controller, name)));
  }
}

function methodOf({ prototype }: Type, name: string): object {
  return Reflect.get(prototype as object, name) as object;
}

function isDecoratedHook(gateway: Type, name: string): boolean {
  return (
    name in gateway.prototype &&
    requirementsOn(decoratedMethodOf(gateway, methodOf(gateway, name))).length > 0
  );
}

/** Nest accepts only classes as gateways, not values or results of factories. */
function gatewaysOf({ providers }: Host): Type[] {
  return [...providers.values()]
    .filter(({ metatype, isNotMetatype }) => !isNotMetatype && Reflect.hasMetadata(GATEWAY, metatype as Type))
    .map(({ metatype }) => metatype as Type);
}

function controllersOf({ controllers }: Host): Type[] {
  return [...controllers.values()].map(({ metatype }) => metatype as Type);
}

/** Whether a method has a parameter with `@CurrentUser()`. */
export function takesCurrentUser(controller: object, name: string): boolean {
  const parameters: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name);
  return Object.values(parameters ?? {}).some(({ factory }: { factory?: unknown }) => isCurrentUser(factory));
}
