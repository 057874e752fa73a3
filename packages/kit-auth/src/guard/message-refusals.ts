import type { ExceptionFilter } from '@nestjs/common';
import { AuthException } from '../errors/auth.exception.js';
import type { MessageHandler } from '../routes/message.explorer.js';

type MessageType = MessageHandler['type'];

/** The exceptions whose contents Nest sends to clients, by context type. */
const exceptions = new Map<string, new (body: string | object) => Error>();

/**
 * Loads the exceptions. Where that fails, messages are refused as well, but the client sees "Internal server error".
 *
 * @returns a filter for gateways
 */
export async function loadRefusals(types: ReadonlySet<MessageType>): Promise<ExceptionFilter | undefined> {
  if (types.has('rpc')) {
    await import('@nestjs/microservices').then(
      ({ RpcException }) => exceptions.set('rpc', RpcException),
      () => undefined,
    );
  }
  if (!types.has('ws')) {
    return undefined;
  }
  return import('./gateway.refusal.js').then(
    ({ GatewayRefusal, gatewayRefusalFilter }) => {
      exceptions.set('ws', GatewayRefusal);
      return gatewayRefusalFilter;
    },
    () => undefined,
  );
}

/**
 * What to throw instead of an error, so that the client of a message gets its body.
 *
 * @param type of the execution context
 */
export function refusalOf(type: string, error: unknown): unknown {
  const Exception = exceptions.get(type);
  return Exception !== undefined && error instanceof AuthException
    ? new Exception(error.getResponse())
    : error;
}
