import { type CanActivate, type ExecutionContext, Inject, Injectable, Logger } from '@nestjs/common';
import {
  canSetHeaders,
  clearRequestContext,
  currentExchange,
  currentRequest,
  fillRequestContext,
  keepFromSharedCaches,
  noteOptional,
  withRefusalHeaders,
} from '../context/kit-auth.context.js';
import type { Principal } from '../contract/login-proof.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { areDecisionsObserved, noteAdmitted, noteOpen, noteRefused, viaOf } from '../diagnostics/channels.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { describeError, stackOf } from '../errors/describe.js';
import { andThen, isPromiseLike } from '../errors/maybe-promise.js';
import { admitLogin, Ports, transportRequestOf } from '../ports/ports.js';
import { RequestExchanges } from '../ports/request.exchanges.js';
import {
  type Presented,
  type Resolution,
  type ResolvedPrincipal,
  thrown,
  TokenResolver,
} from '../ports/token.resolver.js';
import { OPEN_REASONS, type RouteRule } from '../routes/route-rule.js';
import { requiresTokenAt, type RoutedRequest, RouteRules } from '../routes/route-rules.js';
import { AccessChecker } from './access.checker.js';
import { MessageAdmission } from './message.admission.js';
import { type RequestWithHeaders, TokenReader } from './token.reader.js';

type GuardedRequest = RoutedRequest & RequestWithHeaders & { user?: unknown };

interface Lookup {
  readonly token: Presented;
  readonly principal: Resolution;
  readonly at: number;
}

const MAX_LOOKUP_AGE_MS = 1000;

/** Global guard: resolves the token, then checks the route's requirements. */
@Injectable()
export class AuthGuard implements CanActivate {
  /** The state of GraphQL operations, by request. */
  private readonly lookups = new WeakMap<object, Lookup>();
  /** The results of `requestUser` of the user store. The resolvers of an operation share a principal. */
  private readonly requestUsers = new WeakMap<Principal, Promise<object>>();

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly routes: RouteRules,
    private readonly tokens: TokenReader,
    private readonly ports: Ports,
    private readonly resolver: TokenResolver,
    private readonly checker: AccessChecker,
    private readonly messages: MessageAdmission,
    private readonly exchanges: RequestExchanges,
  ) {}

  /**
   * Returns no promise when nothing has to be waited for. With AsyncLocalStorage on Node 20, one `await` costs two
   * microseconds a request, a third of the guard.
   */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    let decision: boolean | AuthException | Promise<boolean>;
    try {
      decision = this.decide(context);
    } catch (error) {
      return this.refuse(context, error);
    }
    if (decision instanceof AuthException) {
      return this.refuse(context, decision);
    }
    return isPromiseLike(decision)
      ? decision.catch((error: unknown) => this.refuse(context, error))
      : decision;
  }

  /** Returns the common refusals instead of throwing them: each time that an error is thrown costs two microseconds. */
  private decide(context: ExecutionContext): boolean | AuthException | Promise<boolean> {
    if (!this.settings.enabled) {
      return true;
    }
    const isHttp = context.getType() === 'http';
    if (!isHttp && this.messages.handles(context)) {
      return this.messages.admit(context);
    }
    const request = requestOf(context);
    const rule = this.routes.ruleFor(context, request);
    if (!requiresTokenAt(rule, request, !isHttp) && (rule.when === undefined || holds(rule.when, request))) {
      if (rule.ours === true) {
        admitLogin(this.ports.transport, request);
      }
      return rule.optional === undefined
        ? this.admitOpen(rule, context)
        : this.decideOptional(rule, request, context);
    }
    const token = this.tokens.read(request, keepFromSharedCaches);
    if (token instanceof AuthException) {
      return token;
    }
    const principal = this.resolve(token, request, isHttp);
    return principal instanceof AuthException
      ? principal
      : andThen(principal, (resolved) => this.admit(resolved, rule, request, context));
  }

  private resolve(token: Presented, request: GuardedRequest, isHttp: boolean): Resolution {
    return isHttp ? this.resolver.attempt(token, request) : this.resolveOnce(token, request);
  }

  /** Decides about routes that read a token but need none. */
  private async decideOptional(
    rule: RouteRule,
    request: GuardedRequest,
    context: ExecutionContext,
  ): Promise<true> {
    const isHttp = context.getType() === 'http';
    const headers = [this.settings.tokenHeader, ...(this.ports.transport === undefined ? [] : ['Cookie'])];
    noteOptional(isHttp ? request : undefined, headers);
    let principal: ResolvedPrincipal | undefined;
    const found: { token?: Presented | AuthException; isInHeader: boolean } = { isInHeader: true };
    try {
      const token = this.tokens.read(request, () => {
        found.isInHeader = false;
        keepFromSharedCaches();
      });
      found.token = token;
      const resolved =
        token instanceof AuthException ? undefined : await thrown(this.resolve(token, request, isHttp));
      if (resolved !== undefined && this.ports.loadRequestUser !== undefined) {
        await this.requestUserOf(resolved);
      }
      principal = resolved;
    } catch (error) {
      if (!found.isInHeader && typeof found.token === 'string' && isOver(error)) {
        this.discardToken();
      }
      if (rule.optional?.invalid !== 'anonymous' || !isInvalidToken(error)) {
        throw error;
      }
    }
    if (principal === undefined) {
      clearRequestContext();
      return this.admitOpen(rule, context);
    }
    keepFromSharedCaches();
    return this.admit(principal, rule, request, context);
  }

  /** Has the transport delete its token. Otherwise browsers would send it with each request, even with a login. */
  private discardToken(): void {
    const { transport } = this.ports;
    const exchange = currentExchange();
    if (
      transport?.discard !== undefined &&
      exchange !== undefined &&
      !discarded.has(exchange.response) &&
      canSetHeaders(exchange.response)
    ) {
      discarded.add(exchange.response);
      transport.discard(this.exchanges.of(exchange.request, exchange.response));
    }
  }

  private refuse(context: ExecutionContext, error: unknown): never {
    noteRefused(viaOf(context.getType()), error);
    if (this.ports.resourceMetadata !== undefined && error instanceof AuthException) {
      error.resourceMetadata = this.ports.resourceMetadata;
    }
    throw this.messages.handles(context)
      ? this.messages.refusalOf(context, error)
      : withRefusalHeaders(error);
  }

  private admitOpen({ decision }: RouteRule, context: ExecutionContext): true {
    noteOpen(viaOf(context.getType()), OPEN_REASONS[decision]);
    return true;
  }

  /**
   * A GraphQL operation calls the guard for each of its resolvers, perhaps a thousand times. Its token is looked up
   * once, and once a second in a long-lived request, such as server-sent events.
   */
  private resolveOnce(token: Presented, sent: GuardedRequest): Resolution {
    const request = currentRequest();
    const known = request && this.lookups.get(request);
    if (
      known !== undefined &&
      isSame(known.token, token) &&
      performance.now() - known.at < MAX_LOOKUP_AGE_MS
    ) {
      return known.principal;
    }
    const principal = this.resolver.attempt(token, sent);
    if (request !== undefined && !(principal instanceof AuthException)) {
      this.lookups.set(request, { token, principal, at: performance.now() });
    }
    return principal;
  }

  private admit(
    principal: ResolvedPrincipal,
    rule: RouteRule,
    request: GuardedRequest,
    context: ExecutionContext,
  ): true | Promise<true> {
    const user = this.requestUserOf(principal);
    return user === undefined
      ? this.admitAs(principal.user, principal, rule, request, context)
      : user.then((found) => this.admitAs(found, principal, rule, request, context));
  }

  private requestUserOf(principal: ResolvedPrincipal): Promise<object> | undefined {
    const { loadRequestUser } = this.ports;
    if (loadRequestUser === undefined) {
      return undefined;
    }
    let user = this.requestUsers.get(principal);
    if (user === undefined) {
      user = loadRequestUser(principal.user);
      this.requestUsers.set(principal, user);
    }
    return user;
  }

  /** @param user of the request. That of the context is the `LoginUser` of the principal */
  private admitAs(
    user: object,
    principal: ResolvedPrincipal,
    rule: RouteRule,
    request: GuardedRequest,
    context: ExecutionContext,
  ): true | Promise<true> {
    fillRequestContext(principal, context.getType() === 'http' ? request : undefined);
    Reflect.set(request, 'user', user); // does not throw where the application has a getter of that name
    const checked = this.checker.admit(principal, principal.credential, rule, context);
    return areDecisionsObserved()
      ? andThen(checked, () => noteAdmitted(viaOf(context.getType()), principal.scheme))
      : checked;
  }
}

function isSame(a: Presented, b: Presented): boolean {
  return typeof a === 'string' || typeof b === 'string'
    ? a === b
    : a.token === b.token && a.credential === b.credential;
}

function isInvalidToken(error: unknown): error is AuthException {
  return error instanceof AuthException && error.code === AuthErrorCode.TOKEN_INVALID;
}

/** Responses that delete a token already. GraphQL asks for each resolver. */
const discarded = new WeakSet<object>();

/** Whether a token can never be valid again. The token of a disabled user can: an administrator may enable the user. */
function isOver(error: unknown): boolean {
  return isInvalidToken(error) && error.reason !== 'disabled';
}

const logger = new Logger('KitAuth');

/** Asks the function of the application. A request for which it fails needs a token. */
function holds(when: NonNullable<RouteRule['when']>, request: GuardedRequest): boolean {
  try {
    const sent = transportRequestOf(request);
    // The type is not checked: a promise would be true.
    return sent !== undefined && (when(sent) as unknown) === true;
  } catch (error) {
    logger.error(
      `[auth] the function kit.auth.optional.when failed: ${describeError(error)}`,
      ...stackOf(error),
    );
    return false;
  }
}

/** Fallback for contexts without an HTTP request: it has no token header, so the guard answers 40100. */
const UNKNOWN: GuardedRequest = Object.freeze({ url: '' });

function requestOf(context: ExecutionContext): GuardedRequest {
  if (context.getType() === 'http') {
    // The same as switchToHttp().getRequest(), without an object for it.
    return context.getArgByIndex<GuardedRequest | undefined>(0) ?? UNKNOWN;
  }
  // GraphQL: the third argument of a resolver is its context, which has the HTTP request.
  return context.getArgByIndex<{ req?: GuardedRequest } | undefined>(2)?.req ?? UNKNOWN;
}
