import type { AuthCredential } from '../contract/auth-credential.js';
import type { MessageHandler } from '../messages/message.explorer.js';
import { PROTECTED, rule, type RouteRule } from '../routes/route-rule.js';
import { accessOf, type RouteAccess } from './route-access.js';

/** Keys of the metadata of @nestjs/websockets and @nestjs/microservices, which applications need not install. */
const PATTERN = { ws: 'message', rpc: 'microservices:pattern' } as const;
const METHOD = { ws: 'WS', rpc: 'RPC' } as const;

/**
 * The access to the messages of a handler, for each of its patterns.
 *
 * @param decided the rule of its decorators
 * @param knowsUsers whether a module knows the users of such messages
 * @param credentials of the application
 */
export function messageAccessesOf(
  { type, controller, handler, name }: MessageHandler,
  decided: RouteRule | undefined,
  knowsUsers: boolean,
  credentials: readonly AuthCredential[],
): RouteAccess[] {
  const isRefused = !knowsUsers && decided?.decision === 'token';
  const isLeft = knowsUsers && decided === undefined;
  const route = { method: METHOD[type], controller, handler, name, ours: false };
  return patternsOf(Reflect.getMetadata(PATTERN[type], handler)).map((path) => ({
    ...accessOf(
      { ...route, path, rule: decided ?? (isLeft ? PROTECTED : rule('open by default')) },
      knowsUsers ? credentials : [],
    ),
    ...(isRefused && { decision: 'refuses every message' as const }),
    ...(isLeft && { decision: 'as its connection or sender' as const }),
  }));
}

/** Microservices have lists of patterns. */
function patternsOf(metadata: unknown): string[] {
  return [metadata]
    .flat()
    .map((pattern) => (typeof pattern === 'string' ? pattern : JSON.stringify(pattern)));
}
