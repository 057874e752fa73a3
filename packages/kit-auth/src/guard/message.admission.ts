import { type ExecutionContext, Injectable } from '@nestjs/common';
import { currentMessage, MessageContexts, messageRequest } from '../context/message-contexts.js';
import type { AuthMessages, MessageType } from '../contract/auth-messages.js';
import { ErrorTexts } from '../contract/error-texts.js';
import type { Principal } from '../contract/login-proof.js';
import { noteAdmitted, noteOpen, viaOf } from '../diagnostics/channels.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { andThen } from '../errors/maybe-promise.js';
import { Ports } from '../ports/ports.js';
import { OPEN_REASONS, PROTECTED, type RouteRule } from '../routes/route-rule.js';
import { requiresToken, RouteRules } from '../routes/route-rules.js';
import { AccessChecker } from './access.checker.js';

/** The exceptions whose contents Nest sends to clients, by context type. `messages/` loads them on demand. */
export const messageExceptions = new Map<string, new (body: string | object) => Error>();

/**
 * The exception to throw instead of an error, so that the client of a message gets its body.
 *
 * @param type of the execution context
 */
export function messageErrorOf(type: string, error: unknown): unknown {
  const Exception = messageExceptions.get(type);
  return Exception !== undefined && error instanceof AuthException
    ? new Exception(error.getResponse())
    : error;
}

/** Whether a handler is called for a message of a gateway or a microservice. */
export function isMessage(context: ExecutionContext): boolean {
  const type = context.getType<string>();
  return type === 'ws' || type === 'rpc';
}

/**
 * Admits messages of gateways and microservices, and operations of GraphQL over a socket. Without a contribution
 * to `AUTH_MESSAGES`, messages carry no token.
 */
@Injectable()
export class MessageAdmission {
  /** Admitted calls. Nest 12 asks both the global guards and the guards of a gateway. */
  private readonly admitted = new WeakSet<ExecutionContext>();

  constructor(
    private readonly ports: Ports,
    private readonly routes: RouteRules,
    private readonly checker: AccessChecker,
    private readonly contexts: MessageContexts,
    private readonly texts: ErrorTexts,
  ) {}

  /** Whether a handler is called for a message rather than for an HTTP request. */
  handles(context: ExecutionContext): boolean {
    return isMessage(context) || (currentMessage() !== undefined && this.sourceOf(context) !== undefined);
  }

  /**
   * @throws AuthException 40100 `TOKEN_MISSING` for a message without a user whose handler requires one, and what
   * `AccessChecker.admit()` and the contribution throw
   */
  admit(context: ExecutionContext): true | Promise<true> {
    if (this.admitted.has(context)) {
      return true;
    }
    const rule = this.ruleOf(context);
    const source = this.sourceOf(context);
    const needsToken = rule !== undefined && requiresToken(rule, messageRequest(), true);
    if (source === undefined) {
      return needsToken ? missing() : this.open(rule, context);
    }
    if (rule === undefined || needsToken) {
      return andThen(source.principalOf(context), (principal) =>
        principal === undefined
          ? needsToken
            ? missing()
            : this.open(rule, context)
          : this.check(principal, rule ?? PROTECTED, context),
      );
    }
    return rule.optional === undefined ? this.open(rule, context) : this.admitOptional(source, rule, context);
  }

  /** The exception for an error. Nest sends clients of gateways the contents of its own exceptions only. */
  refusalOf(context: ExecutionContext, error: unknown): unknown {
    if (!(error instanceof AuthException)) {
      return error;
    }
    const chosen = this.sourceOf(context)?.refusal?.(error, context) ?? error;
    const translated = chosen instanceof AuthException ? this.texts.translated(chosen, context) : chosen;
    return context.getType<string>() === 'ws' ? messageErrorOf('ws', translated) : translated;
  }

  private sourceOf(context: ExecutionContext): AuthMessages | undefined {
    return this.ports.messages.get(context.getType<MessageType>());
  }

  /** Messages have no path. Operations of GraphQL have the path of its server. */
  private ruleOf(context: ExecutionContext): RouteRule | undefined {
    return isMessage(context)
      ? this.routes.messageRuleOf(context.getClass(), context.getHandler())
      : this.routes.ruleFor(context, messageRequest());
  }

  private open(rule: RouteRule | undefined, context: ExecutionContext): true {
    this.admitted.add(context);
    noteOpen(viaOf(context.getType()), rule === undefined ? 'message' : OPEN_REASONS[rule.decision]);
    return true;
  }

  private async admitOptional(
    source: AuthMessages,
    rule: RouteRule,
    context: ExecutionContext,
  ): Promise<true> {
    let principal: Principal | undefined;
    try {
      principal = await source.principalOf(context);
    } catch (error) {
      const code = error instanceof AuthException ? error.code : undefined;
      const isIgnored = code === AuthErrorCode.TOKEN_INVALID && rule.optional?.invalid === 'anonymous';
      if (code !== AuthErrorCode.TOKEN_MISSING && !isIgnored) {
        throw error;
      }
    }
    return principal === undefined ? this.open(rule, context) : this.check(principal, rule, context);
  }

  private check(principal: Principal, rule: RouteRule, context: ExecutionContext): true | Promise<true> {
    const credential = this.ports.credentials.find(({ scheme }) => scheme === principal.scheme);
    const admit = () => this.checker.admit(principal, credential, rule, context);
    // Policies and events read the context of the message.
    const checked =
      currentMessage()?.principal === principal ? admit() : this.contexts.run(principal, undefined, admit);
    return andThen(checked, () => {
      this.admitted.add(context);
      return noteAdmitted(viaOf(context.getType()), principal.scheme);
    });
  }
}

function missing(): never {
  throw new AuthException(AuthErrorCode.TOKEN_MISSING);
}
