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
