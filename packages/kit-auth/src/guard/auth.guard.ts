import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import {
  announced,
  currentRequest,
  fillRequestContext,
  keepFromSharedCaches,
} from '../context/kit-auth.context.js';
import type { Principal } from '../contract/login-proof.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { areDecisionsObserved, noteAdmitted, noteOpen, noteRefused, viaOf } from '../diagnostics/notes.js';
import { ActiveTransport } from '../provider/active.transport.js';
import { isPromiseLike } from '../errors/promise-like.js';
import { TokenResolver } from '../provider/token.resolver.js';
import type { RouteRule } from '../routes/route-rule.js';
import { requiresToken, RouteRules, type RoutedRequest } from '../routes/route-rules.js';
import { AccessChecker } from './access.checker.js';
import { EnrolmentChecker } from './enrolment.checker.js';
import { refusalOf } from './message-refusals.js';
import { isMessage, messageRule } from './message-rule.js';
import { openReasonOf } from './open-reason.js';
import { type RequestWithHeaders, TokenReader } from './token.reader.js';

type GuardedRequest = RoutedRequest & RequestWithHeaders & { user?: unknown };

interface Lookup {
  readonly token: string;
  readonly principal: Principal | Promise<Principal>;
  readonly at: number;
}

const MAX_LOOKUP_AGE_MS = 1000;

/** Stands in front of every handler of the application: token, principal, requirements. */
@Injectable()
export class AuthGuard implements CanActivate {
  /** By request. */
  private readonly lookups = new WeakMap<object, Lookup>();

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly routes: RouteRules,
    private readonly tokens: TokenReader,
    private readonly transport: ActiveTransport,
    private readonly resolver: TokenResolver,
    private readonly checker: AccessChecker,
    private readonly enrolment: EnrolmentChecker,
  ) {}

  /**
   * Returns no promise when nothing has to be waited for. With AsyncLocalStorage on Node 20, one `await` costs two
   * microseconds a request, a third of the guard.
   */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    try {
      const decision = this.decide(context);
      return isPromiseLike(decision)
        ? decision.catch((error: unknown) => {
            throw refused(context, error);
          })
        : decision;
    } catch (error) {
      throw refused(context, error);
    }
  }

  private decide(context: ExecutionContext): boolean | Promise<boolean> {
    if (!this.settings.enabled) {
      return true;
    }
    if (isMessage(context)) {
      return this.admitMessage(context);
    }
    const isHttp = context.getType() === 'http';
    const request = requestOf(context);
    const rule = this.routes.ruleFor(context, request);
    if (!requiresToken(rule, request, !isHttp)) {
      if (rule.ours === true) {
        this.transport.admit(request);
      }
      noteOpen(viaOf(context.getType()), openReasonOf(rule));
      return true;
    }
    const token = this.tokens.read(request, keepFromSharedCaches);
    const principal = isHttp ? this.resolver.resolve(token) : this.resolveOnce(token);
    return isPromiseLike(principal)
      ? principal.then((resolved) => this.admit(resolved, rule, request, context))
      : this.admit(principal, rule, request, context);
  }

  /**
   * An operation of GraphQL calls the guard for each of its resolvers, perhaps a thousand times. Its token is looked up
   * once, and again in a request that lasts, such as a stream of events.
   */
  private resolveOnce(token: string): Principal | Promise<Principal> {
    const request = currentRequest();
    const known = request && this.lookups.get(request);
    if (known?.token === token && performance.now() - known.at < MAX_LOOKUP_AGE_MS) {
      return known.principal;
    }
    const principal = this.resolver.resolve(token);
    if (request !== undefined) {
      this.lookups.set(request, { token, principal, at: performance.now() });
    }
    return principal;
  }

  private admit(
    principal: Principal,
    rule: RouteRule,
    request: GuardedRequest,
    context: ExecutionContext,
  ): true | Promise<true> {
    fillRequestContext(principal);
    Reflect.set(request, 'user', principal.user); // does not throw where the application has a getter of that name
    this.checker.checkPasswordChange(principal.user, rule);
    this.enrolment.check(principal, rule);
    const { requirements, ours = false } = rule;
    const authorized = this.resolver.authorize(principal, () => ({
      controller: context.getClass(),
      handler: context.getHandler(),
      requirements,
      ours,
    }));
    const checked =
      authorized === undefined
        ? this.checker.check(principal, requirements, context)
        : authorized.then(() => this.checker.check(principal, requirements, context));
    const admitted = this.resolver.admitted(principal, checked);
    return areDecisionsObserved() ? noted(admitted, principal, context) : admitted;
  }

  private admitMessage(context: ExecutionContext): true {
    const rule = messageRule(this.routes, context);
    noteOpen(viaOf(context.getType()), rule === undefined ? 'message' : openReasonOf(rule));
    return true;
  }
}

/** @returns what to throw. Nest asks filters of the application for messages of microservices, but not of gateways */
function refused(context: ExecutionContext, error: unknown): unknown {
  const type = context.getType<string>();
  noteRefused(viaOf(type), error);
  return type === 'ws' ? refusalOf(type, error) : announced(error);
}

function noted(
  admitted: true | Promise<true>,
  { scheme }: Principal,
  context: ExecutionContext,
): true | Promise<true> {
  const note = (): true => {
    noteAdmitted(viaOf(context.getType()), scheme);
    return true;
  };
  return isPromiseLike(admitted) ? admitted.then(note) : note();
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
