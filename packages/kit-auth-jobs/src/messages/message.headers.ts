/** The contexts of the transports of @nestjs/microservices that have headers, and the metadata of gRPC. */
interface RpcContext {
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

/** The headers of a message as its transport has them. Undefined if it has none. */
export function headersOf(rpcContext: unknown): unknown {
  const context = (rpcContext ?? {}) as RpcContext;
  const message = context.getMessage?.();
  return context.getHeaders?.() ?? message?.properties?.headers ?? message?.headers ?? context.getMap?.();
}
