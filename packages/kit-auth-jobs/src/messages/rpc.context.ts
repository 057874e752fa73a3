import type { ExecutionContext } from '@nestjs/common';

const PATTERN = 'microservices:pattern';

/** The contexts of the transports of @nestjs/microservices, and the metadata of gRPC. */
interface RpcContext {
  /** NATS. */
  getSubject?(): unknown;
  /** Kafka and MQTT. */
  getTopic?(): unknown;
  /** Redis. */
  getChannel?(): unknown;
  /** TCP and RabbitMQ. */
  getPattern?(): unknown;
  /** NATS. */
  getHeaders?(): unknown;
  /** RabbitMQ and Kafka. */
  getMessage?(): Message | undefined;
  /** gRPC. */
  getMap?(): unknown;
}

interface Message {
  /** Kafka. */
  readonly headers?: unknown;
  /** RabbitMQ. */
  readonly properties?: { readonly headers?: unknown };
}

/** The third argument of handlers of gRPC. */
interface GrpcCall {
  /** For example `/billing.Invoices/Create`. */
  getPath?(): unknown;
}

/**
 * The name that a message was sent with. It can be longer than the pattern of its handler: `invoice.*`. With
 * transports of the application, the pattern of the handler if it has one only.
 */
export function messageNameOf(context: ExecutionContext): unknown {
  const [, rpcContext, call] = context.getArgs<[unknown, RpcContext?, GrpcCall?]>();
  return (
    rpcContext?.getSubject?.() ??
    rpcContext?.getTopic?.() ??
    rpcContext?.getChannel?.() ??
    rpcContext?.getPattern?.() ??
    call?.getPath?.() ??
    solePatternOf(context.getHandler())
  );
}

function solePatternOf(handler: object): unknown {
  const [pattern, ...others] = (Reflect.getMetadata(PATTERN, handler) ?? []) as unknown[];
  return others.length === 0 ? pattern : undefined;
}

/** The headers of a message as its transport has them. Undefined if it has none. */
export function headersOf(rpcContext: unknown): unknown {
  const context = (rpcContext ?? {}) as RpcContext;
  const message = context.getMessage?.();
  return context.getHeaders?.() ?? message?.properties?.headers ?? message?.headers ?? context.getMap?.();
}
