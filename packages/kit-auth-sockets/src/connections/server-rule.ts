import type { Type } from '@nestjs/common';
import type { RouteRule } from 'kit-auth/extend';

/** What a handshake must meet: the rules of all gateways or resolvers that it opens. */
export interface ServerRule {
  /** For logs and events. */
  readonly name: string;
  readonly needsToken: boolean;
  /** Whether a token is read where none is needed. */
  readonly readsToken: boolean;
  /** Whether an invalid token counts as none, where none is needed. */
  readonly ignoresInvalid: boolean;
  readonly gateways: readonly { readonly gateway: Type; readonly rule: RouteRule }[];
}

/** What has to be met for as long as a connection or a stream is open. A fresh login has to be when it begins. */
export function whileOpen(rule: RouteRule): RouteRule {
  return { ...rule, requirements: rule.requirements.filter(({ kind }) => kind !== 'fresh') };
}
