import type { ExecutionContext } from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import type { RouteRule } from '../routes/route-rule.js';
import type { RouteRules } from '../routes/route-rules.js';

/** Whether a handler is called for a message of a gateway or a microservice. Messages have no path to guard. */
export function isMessage(context: ExecutionContext): boolean {
  const type = context.getType<string>();
  return type === 'ws' || type === 'rpc';
}

/**
 * The rule of the decorators of a message handler, if it has any.
 *
 * @throws AuthException 40100 `TOKEN_MISSING` if they require a token, because messages carry none
 */
export function messageRule(rules: RouteRules, context: ExecutionContext): RouteRule | undefined {
  const rule = rules.messageRuleOf(context.getClass(), context.getHandler());
  if (rule?.decision === 'token') {
    throw new AuthException(AuthErrorCode.TOKEN_MISSING);
  }
  return rule;
}

/** The exceptions whose contents Nest sends to clients, by context type. `messages/` loads them on demand. */
export const messageExceptions = new Map<string, new (body: string | object) => Error>();

/**
 * What to throw instead of an error, so that the client of a message gets its body.
 *
 * @param type of the execution context
 */
export function messageErrorOf(type: string, error: unknown): unknown {
  const Exception = messageExceptions.get(type);
  return Exception !== undefined && error instanceof AuthException
    ? new Exception(error.getResponse())
    : error;
}
