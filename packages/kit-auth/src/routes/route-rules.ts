import { type ExecutionContext, Inject, Injectable, RequestMethod, type Type } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer, Reflector } from '@nestjs/core';
import { AUTH_PROVIDER, type AuthProvider } from '../contract/auth-provider.js';
import type { Requirement } from '../contract/requirement.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { IllegalStateException } from '../errors/auth.exception.js';
import { decoratedMethodOf, METHOD } from './decorated-method.js';
import { PathRules } from './path-rules.js';
import { GlobalPrefix } from './paths.js';
import {
  BEFORE_ENROLMENT,
  BEFORE_PASSWORD_CHANGE,
  FOR_ACTORS,
  joinedRequirements,
  ONLY_A_TOKEN,
  type Opening,
  OPENING,
  requirementsOn,
} from './require.decorators.js';
import { OPEN_BY_DEFAULT, OPEN_BY_PUBLIC, OURS, PROTECTED, rule, type RouteRule } from './route-rule.js';

/** The parts of a request that identify its route: the first of Express, the second of Fastify. */
export interface RoutedRequest {
  readonly route?: { readonly path?: unknown };
  readonly routeOptions?: { readonly url?: unknown };
  readonly url?: string;
  readonly originalUrl?: string;
  /** The path that a middleware of Express is mounted on. It is not a part of `url`. */
  readonly baseUrl?: string;
}

const MANY_PATHS = Symbol('many paths');

/** Whether the application can require fresh logins, and which endpoints of packages do without. */
@Injectable()
export class FreshLogins {
  private readonly exempt = new Set<object>();

  constructor(private readonly modules: ModulesContainer) {}

  /**
   * Switches `@RequireFresh()` off for controllers of a package. Call it in a constructor, so that every list of routes
   * knows.
   *
   * @example
   * if (!settings.freshAdmin) {
   *   fresh.switchOffFor(KitAuthUserController);
   * }
   */
  switchOffFor(...controllers: readonly object[]): void {
    controllers.forEach((controller) => this.exempt.add(controller));
  }

  /** Whether tokens record how the user logged in. Otherwise no login is ever fresh. */
  arePossible(): boolean {
    return [...this.modules.values()].some(({ providers }) => {
      const provider = providers.get(AUTH_PROVIDER)?.instance as AuthProvider | undefined;
      return provider?.keepsProof === true;
    });
  }

  /** Whether the requirement applies to a controller of the core or of a package. */
  applyTo(controller: object): boolean {
    return !this.exempt.has(controller) && this.arePossible();
  }
}

/**
 * Decides whether a request needs a token from the route that the router matched, never from the raw URL, which
 * routers normalise in their own ways. Each decision is made once per controller, handler and registered path.
 */
@Injectable()
export class RouteRules {
  private readonly rules = new WeakMap<object, WeakMap<object, Map<unknown, RouteRule>>>();
  /** The compiled patterns, for the global prefix of the application at the last decision. */
  private paths: { prefix: string; rules: PathRules } | undefined;

  constructor(
    private readonly reflector: Reflector,
    private readonly applicationConfig: ApplicationConfig,
    private readonly modules: ModulesContainer,
    private readonly freshLogins: FreshLogins,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  /** The rule of the route that the router matched. */
  ruleFor(context: ExecutionContext, request: RoutedRequest): RouteRule {
    return this.ruleOf(context.getClass(), context.getHandler(), routeOf(context, request));
  }

  /**
   * @param path the registered path; `MANY_PATHS` for a handler that a route of another kind leads to (GraphQL);
   * anything else is an unknown route, which counts as protected
   * @throws IllegalStateException for a route whose decorators cannot be determined
   */
  ruleOf(controller: object, handler: object, path: unknown): RouteRule {
    let byHandler = this.rules.get(controller);
    if (byHandler === undefined) {
      if (typeof path === 'string' && !this.isProvided(controller)) {
        throw new IllegalStateException(
          `The handler of ${path} is not a method of a controller: its instances hide their class, so its decorators ` +
            'cannot be determined. A Proxy has to return "constructor" as it is.',
        );
      }
      this.rules.set(controller, (byHandler = new WeakMap()));
    }
    let byPath = byHandler.get(handler);
    if (byPath === undefined) {
      byHandler.set(handler, (byPath = new Map<unknown, RouteRule>()));
    }
    let rule = byPath.get(path);
    if (rule === undefined) {
      byPath.set(path, (rule = this.decide(controller, handler, path)));
    }
    return rule;
  }

  /**
   * The rule of the decorators, if there are any. The method's take precedence over the class's, and a
   * requirement takes precedence over `@Public()` and `@OptionalUser()`.
   */
  decoratedRuleOf(controller: object, handler: object): RouteRule | undefined {
    const method = decoratedMethodOf(controller, handler);
    const requirements = requirementsOn(method);
    const opened = openedBy(this.openingOn(method));
    if (opened !== undefined && requirements.length === 0) {
      return opened;
    }
    const all = joinedRequirements(requirementsOn(controller), requirements);
    if (all.length > 0) {
      const beforePasswordChange = this.reflector.get(BEFORE_PASSWORD_CHANGE, method as never) === true;
      const beforeEnrolment =
        this.reflector.getAllAndOverride(BEFORE_ENROLMENT, [method, controller] as never[]) === true;
      return { ...PROTECTED, requirements: all, beforePasswordChange, beforeEnrolment };
    }
    return openedBy(this.openingOf(controller, method));
  }

  /** The rule of a handler of messages, which have no path. `@Public(false)` protects it. */
  messageRuleOf(controller: object, handler: object): RouteRule | undefined {
    const isProtected = this.openingOf(controller, decoratedMethodOf(controller, handler)) === false;
    return this.decoratedRuleOf(controller, handler) ?? (isProtected ? PROTECTED : undefined);
  }

  /** The rule of connections to a gateway: of the decorators of its class and of `handleConnection()`, if it has any. */
  connectionRuleOf(gateway: Type): RouteRule | undefined {
    return this.messageRuleOf(gateway, connectionHookOf(gateway));
  }

  private decide(controller: object, handler: object, path: unknown): RouteRule {
    const decided =
      this.decoratedRuleOf(controller, handler) ?? this.undecoratedRuleOf(controller, handler, path);
    return Reflect.hasMetadata(OURS, controller) ? this.ours(decided, controller, handler) : decided;
  }

  private ours(rule: RouteRule, controller: object, handler: object): RouteRule {
    const requirements = this.freshLogins.applyTo(controller)
      ? rule.requirements
      : rule.requirements.filter(({ kind }) => kind !== 'fresh');
    return {
      ...rule,
      requirements,
      ours: true,
      isOwnChange: isOwnChange(requirements, decoratedMethodOf(controller, handler)),
    };
  }

  private undecoratedRuleOf(controller: object, handler: object, path: unknown): RouteRule {
    const byPath = this.pathRuleOf(path);
    if (this.settings.protect !== 'decorated' && byPath.optional === undefined) {
      return byPath;
    }
    if (this.openingOf(controller, decoratedMethodOf(controller, handler)) === false) {
      return { ...PROTECTED, requirements: [ONLY_A_TOKEN] };
    }
    return byPath.optional === undefined ? OPEN_BY_DEFAULT : byPath;
  }

  private pathRuleOf(path: unknown): RouteRule {
    const prefix = this.applicationConfig.getGlobalPrefix();
    if (this.paths?.prefix !== prefix) {
      this.paths = { prefix, rules: new PathRules(this.settings, new GlobalPrefix(prefix)) };
    }
    const { rules } = this.paths;
    if (path === MANY_PATHS) {
      return rules.ruleOfManyPaths();
    }
    return typeof path === 'string' ? rules.ruleOf(path) : PROTECTED;
  }

  private openingOf(controller: object, method: object): Opening | undefined {
    return this.openingOn(method) ?? this.openingOn(controller);
  }

  private openingOn(target: object): Opening | undefined {
    return this.reflector.get<Opening | undefined>(OPENING, target as never);
  }

  /** A request-scoped controller may be a Proxy that reports another class to Nest. */
  private isProvided(type: object): boolean {
    return [...this.modules.values()].some(
      ({ controllers, providers }) => controllers.has(type as never) || providers.has(type as never),
    );
  }
}

/** Administrators change other accounts, with permissions. */
function isOwnChange(requirements: readonly Requirement[], method: object): boolean {
  const requestMethod: unknown = Reflect.getMetadata('method', method);
  return (
    requestMethod !== undefined &&
    requestMethod !== RequestMethod.GET &&
    !requirements.some(({ kind }) => kind === 'permission') &&
    !Reflect.hasMetadata(FOR_ACTORS, method)
  );
}

function openedBy(opening: Opening | undefined): RouteRule | undefined {
  if (opening instanceof Object) {
    return { ...rule('open by @OptionalUser'), optional: opening };
  }
  return opening === true ? OPEN_BY_PUBLIC : undefined;
}

const NO_HOOK = function handleConnection(): void {};
Reflect.defineMetadata(METHOD, NO_HOOK, NO_HOOK);

/** The method that Nest calls for connections to a gateway. A function without decorators if it has none. */
export function connectionHookOf({ prototype }: Type): () => unknown {
  const { handleConnection } = prototype as { handleConnection?: () => unknown };
  return handleConnection ?? NO_HOOK;
}

export function isOpen({ decision }: RouteRule): boolean {
  return decision.startsWith('open');
}

/** Whether a token of a request to the route is read: where it is needed, or optional. */
export function readsToken(rule: RouteRule): boolean {
  return rule.optional !== undefined || !isOpen(rule);
}

/**
 * Whether a request to a route needs a token. True if the function `when` of `kit.auth.optional` decides, which only the
 * guard calls.
 *
 * @param isMounted whether a server that a middleware may have mounted calls the handler, such as the GraphQL server
 */
export function requiresToken(rule: RouteRule, request: RoutedRequest, isMounted = false): boolean {
  return rule.when !== undefined || requiresTokenAt(rule, request, isMounted);
}

/** Whether a request to a route needs a token because of its path. */
export function requiresTokenAt(rule: RouteRule, request: RoutedRequest, isMounted: boolean): boolean {
  if (rule.requiresToken === undefined) {
    return !isOpen(rule);
  }
  const { url = '', originalUrl = url, baseUrl = '' } = request;
  if (isMounted && baseUrl !== '') {
    // Every path below that of the mount reaches the handler, so the client does not choose the path that decides.
    const below = /^\/?(?:\?|$)/.test(url) ? [] : [url];
    return rule.requiresToken(originalUrl, baseUrl, ...below);
  }
  return originalUrl === url ? rule.requiresToken(url) : rule.requiresToken(originalUrl, url);
}

function routeOf(context: ExecutionContext, request: RoutedRequest): unknown {
  return context.getType() === 'http' ? (request.route?.path ?? request.routeOptions?.url) : MANY_PATHS;
}
