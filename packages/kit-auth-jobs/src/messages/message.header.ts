import { HEADER } from '../carrying/carried-data.js';

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

/** The header of a message that carries a user. Undefined if it has none, or its transport has no headers. */
export function headerOf(rpcContext: unknown): unknown {
  const context = (rpcContext ?? {}) as RpcContext;
  const message = context.getMessage?.();
  const value = valueIn(
    context.getHeaders?.() ?? message?.properties?.headers ?? message?.headers ?? context.getMap?.(),
  );
  // Kafka has bytes. The headers of NATS have an empty string for one that is missing.
  return Buffer.isBuffer(value) ? value.toString() : value === '' ? undefined : value;
}

function valueIn(headers: unknown): unknown {
  const { get } = (headers ?? {}) as { get?: unknown };
  return typeof get === 'function'
    ? (get.call(headers, HEADER) as unknown)
    : (headers as Record<string, unknown> | undefined)?.[HEADER];
}
