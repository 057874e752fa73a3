import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { AccessChecker } from './access.checker.js';
import { fillRequestContext } from '../context/kit-auth.context.js';
import type { LoginUser } from '../contract/login-user.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { AuthManager } from '../login/auth.manager.js';
import type { RouteRule } from '../routes/route-rule.js';
import { requiresToken, RouteRules, type RoutedRequest } from '../routes/route-rules.js';
import { TokenReader } from './token.reader.js';

type WithHeaders = Pick<IncomingMessage, 'rawHeaders'>;
/** A request of Express, or one of Fastify, which keeps Node's own in `raw`. */
type GuardedRequest = RoutedRequest & Partial<WithHeaders> & { readonly raw?: WithHeaders };

/** Asks for a token and for what a route requires, in front of every handler of the application. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly routes: RouteRules,
    private readonly tokens: TokenReader,
    private readonly manager: AuthManager,
    private readonly checker: AccessChecker,
  ) {}

  /** Answers without a promise where the implementation does. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (!this.settings.enabled) {
      return true;
    }
    if (hasNoPath(context)) {
      return this.admitMessage(context);
    }
    const request = requestOf(context);
    const rule = this.routes.ruleFor(context, request);
    if (!requiresToken(rule, request)) {
      return true;
    }
    const token = this.tokens.read(request.rawHeaders ?? request.raw?.rawHeaders ?? []);
    const user = this.manager.resolve(token);
    return user instanceof Promise
      ? user.then((resolved) => this.admit(resolved, token, rule, context))
      : this.admit(user, token, rule, context);
  }

  private admit(
    user: LoginUser,
    token: string,
    { requirements, beforePasswordChange = false }: RouteRule,
    context: ExecutionContext,
  ): true | Promise<true> {
    fillRequestContext(user, token);
    if (user.mustChangePassword && !beforePasswordChange) {
      throw new AuthException(AuthErrorCode.PASSWORD_CHANGE_REQUIRED);
    }
    return requirements.length === 0 || this.checker.check(user, requirements, context);
  }

  /** A message carries no token of ours. It passes, unless its handler asks for what it then cannot have. */
  private admitMessage(context: ExecutionContext): true {
    const rule = this.routes.decoratedRuleOf(context.getClass(), context.getHandler());
    if (rule?.decision === 'token') {
      throw new AuthException(AuthErrorCode.TOKEN_MISSING);
    }
    return true;
  }
}

/** Messages of gateways and microservices, which have no path to guard. */
function hasNoPath(context: ExecutionContext): boolean {
  const type = context.getType<string>();
  return type === 'ws' || type === 'rpc';
}

/** Stands in where there is no HTTP request: it has no token header, so the guard answers 40100. */
const UNKNOWN: GuardedRequest = { url: '' };

function requestOf(context: ExecutionContext): GuardedRequest {
  if (context.getType() === 'http') {
    // What switchToHttp().getRequest() gives, without the object in between.
    return context.getArgByIndex<GuardedRequest | undefined>(0) ?? UNKNOWN;
  }
  // GraphQL: the third argument of a resolver is its context, which holds the HTTP request.
  return context.getArgByIndex<{ req?: GuardedRequest } | undefined>(2)?.req ?? UNKNOWN;
}
