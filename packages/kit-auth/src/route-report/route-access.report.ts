import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import { OPENING, requirementsOn } from '../routes/require.decorators.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { describeError } from '../errors/describe.js';
import { IllegalStateException } from '../errors/auth.exception.js';
import { Ports } from '../ports/ports.js';
import { decoratedMethodOf, HANDLED } from '../routes/decorated-method.js';
import { connectionHookOf, FreshLogins, isOpen, RouteRules } from '../routes/route-rules.js';
import { MessageExplorer } from '../messages/message.explorer.js';
import { Policies } from '../guard/access.checker.js';
import { messageAccessesOf } from './message-access.js';
import { findReplacedMethods } from './replaced-methods.js';
import { accessOf, type DecidedRoute, lineOf, nameOf, type RouteAccess } from './route-access.js';
import { ResolverExplorer } from './resolver.explorer.js';
import { type ExploredRoute, RouteExplorer } from './route.explorer.js';
import { type Explored, warningsOf } from './route-warnings.js';

type Decided = Pick<DecidedRoute, 'controller' | 'handler' | 'name' | 'rule'>;

/**
 * Lists the routes of the application and who may call them. Checks them at start-up.
 *
 * @example
 * expect(app.get(RouteAccessReport).routes()).toMatchSnapshot();
 */
@Injectable()
export class RouteAccessReport implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly explorer: RouteExplorer,
    private readonly resolvers: ResolverExplorer,
    private readonly messageExplorer: MessageExplorer,
    private readonly rules: RouteRules,
    private readonly policies: Policies,
    private readonly freshLogins: FreshLogins,
    private readonly adapterHost: HttpAdapterHost,
    private readonly discovery: DiscoveryService,
    private readonly ports: Ports,
  ) {}

  /** Every route of the application with its decision, ordered by path and method. Empty without a server. */
  routes(): RouteAccess[] {
    return this.accessesOf(this.decided()).sort(
      (a, b) => compare(a.path, b.path) || compare(a.method, b.method),
    );
  }

  /** Every handler of messages of gateways and microservices with its decision. Empty without them. */
  messages(): RouteAccess[] {
    const { messages, credentials } = this.ports.filled();
    return this.messageExplorer.handlers().flatMap((found) => {
      const rule = this.rules.messageRuleOf(found.controller, found.handler);
      return messageAccessesOf(found, rule, messages.has(found.type), credentials);
    });
  }

  /** Routes are registered after this: wrappers of handlers copy their metadata then. */
  onModuleInit(): void {
    if (this.settings.enabled) {
      findReplacedMethods(this.discovery);
    }
  }

  /**
   * Called at start-up, when all instances exist.
   *
   * @throws IllegalStateException for a policy that no module provides, for `@Public()` or `@OptionalUser()` beside
   * requirements, for `@RequireFresh()` with an implementation that does not record how users logged in, for a function
   * that replaces several handlers, for decorators on connections of gateways that are not authenticated, for
   * `@Endpoint()` in a controller without `@KitAuthController()`, and, with `kit.auth.access.requireDecision`, for routes without an
   * explicit decision
   */
  check(): void {
    findReplacedMethods(this.discovery);
    this.messageExplorer.checkGateways();
    const explored = this.exploreAll();
    const { routes, resolvers } = explored;
    [...routes, ...resolvers, ...this.decidedMessages()].forEach((decided) => this.checkDecorators(decided));
    routes.forEach(checkEndpoint);
    this.checkDecisions(routes);
    this.report(explored);
  }

  /** The warnings of start-up, for example about routes that no pattern of `protect` covers. */
  warnings(): string[] {
    return this.warningsAbout(this.exploreAll());
  }

  /** Handlers of messages whose users are known, and connections to their gateways, with the rules of their decorators. */
  private decidedMessages(): Decided[] {
    const { messages } = this.ports.filled();
    const gateways = messages.has('ws') ? this.messageExplorer.gateways() : [];
    return [
      ...this.messageExplorer
        .handlers()
        .filter(({ type }) => messages.has(type))
        .map((found) => ({ ...found, rule: this.rules.messageRuleOf(found.controller, found.handler) })),
      ...gateways.map((controller) => {
        const handler = connectionHookOf(controller);
        return { controller, handler, name: handler.name, rule: this.rules.connectionRuleOf(controller) };
      }),
    ].flatMap(({ controller, handler, name, rule }) =>
      rule === undefined ? [] : [{ controller, handler, name, rule }],
    );
  }

  private checkDecorators({ controller, handler, name, rule }: Decided): void {
    for (const requirement of rule.requirements) {
      if (requirement.kind === 'policy') {
        this.policies.get(requirement.policy);
      }
      if (requirement.kind === 'fresh' && !this.freshLogins.arePossible()) {
        throw new IllegalStateException(
          `${nameOf(controller)}.${name} has @RequireFresh(), which can never be satisfied: the implementation does not ` +
            'record how users logged in. Use an implementation that keeps the proof (keepsProof), ' +
            'such as kit-auth-session or kit-auth-jwt, or remove the decorator.',
        );
      }
    }
    for (const target of [controller, decoratedMethodOf(controller, handler)]) {
      const opening: unknown = Reflect.getOwnMetadata(OPENING, target);
      if (Boolean(opening) && requirementsOn(target).length > 0) {
        throw new IllegalStateException(
          `${nameOf(controller)}: ${nameOf(target)} is ${opening === true ? '@Public()' : '@OptionalUser()'} and asks ` +
            'for a token, roles, permissions, a fresh login or a policy at once.',
        );
      }
    }
  }

  private checkDecisions(routes: readonly DecidedRoute[]): void {
    const undecided = routes.filter((route) => !route.ours && !accessOf(route).explicit);
    if (this.settings.access.requireDecision && undecided.length > 0) {
      const names = undecided.map(({ method, path }) => `${method} ${path}`).join(', ');
      throw new IllegalStateException(
        `kit.auth.access.requireDecision is true and these routes have no decision: ${names}. Say who may call ` +
          'them, with @Public(), @OptionalUser(), @RequireToken(), @RequireRoles(), @RequirePermissions(), @RequireFresh() or @Authorize().',
      );
    }
  }

  private report(explored: Explored): void {
    const { routes } = explored;
    const open = routes.filter(({ rule }) => isOpen(rule)).length;
    const closed = routes.filter(({ rule }) => rule.decision === 'token').length;
    this.logger.debug(
      `[auth] routes: ${closed} protected, ${open} open, ${routes.length - open - closed} decided by path`,
    );
    this.logger.verbose(['Who may call what:', ...this.accessesOf(routes).map(lineOf)].join('\n'));
    this.warningsAbout(explored).forEach((warning) => this.logger.warn(`[auth] ${warning}`));
  }

  private warningsAbout(explored: Explored): string[] {
    const routes = explored.routes.filter(({ ours }) => !ours);
    return warningsOf({ ...explored, routes }, this.settings);
  }

  private exploreAll(): Explored {
    return {
      routes: this.explored(() => this.decided()),
      resolvers: this.explored(() => this.decidedResolvers()),
      fields: this.explored(() => this.resolvers.unguardedFields()),
      messages: this.messageExplorer.refusing(),
    };
  }

  /** The routes are read from Nest's internals. When that fails, the application starts with a warning. */
  private explored<T>(explore: () => T[]): T[] {
    try {
      return this.hasServer() ? explore() : [];
    } catch (error) {
      this.logger.warn(`[auth] the routes could not be listed: ${describeError(error)}`);
      return [];
    }
  }

  /** Every route with its handler and its rule, in no particular order. For packages that build on the report. */
  decided(): DecidedRoute[] {
    return this.hasServer() ? this.withRules(this.explorer.explore()) : [];
  }

  /** Every query and mutation of GraphQL with its rule. */
  decidedResolvers(): DecidedRoute[] {
    return this.withRules(this.resolvers.explore());
  }

  /** Describes routes of `decided()`, in the same order. */
  accessesOf(routes: readonly DecidedRoute[]): RouteAccess[] {
    const { credentials } = this.ports.filled();
    return routes.map((route) => accessOf(route, credentials));
  }

  /** Despite its type, the adapter is null in an application context without a server. */
  private hasServer(): boolean {
    return Boolean(this.adapterHost.httpAdapter as unknown);
  }

  private withRules(routes: readonly ExploredRoute[]): DecidedRoute[] {
    return routes.map((route) => ({
      ...route,
      rule: this.rules.ruleOf(route.controller, route.handler, route.path),
    }));
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Other controllers are open where `protect` does not cover them. */
function checkEndpoint({ controller, handler, name, ours }: DecidedRoute): void {
  if (!ours && Reflect.hasOwnMetadata(HANDLED, decoratedMethodOf(controller, handler))) {
    throw new IllegalStateException(
      `${nameOf(controller)}.${name} has @Endpoint(), but its controller lacks @KitAuthController(), which requires tokens.`,
    );
  }
}
