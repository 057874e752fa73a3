import type { KitAuthSettings } from '../contract/settings.js';
import { type MessageHandler, takesCurrentUser } from '../messages/message.explorer.js';
import { type DecidedRoute, nameOf, OPEN_UNDECLARED } from './route-access.js';
import { matchesAllPaths } from '../routes/ant-pattern.js';
import type { RouteDecision } from '../routes/route-rule.js';
import { optionalPathsOf } from '../routes/path-rules.js';
import { isOpen } from '../routes/route-rules.js';

const UNDECIDED = new Set<RouteDecision>(['open by path', 'token where the path is guarded']);
/** The maximum length of a list in the log. The route report contains all. */
const MAX_NAMES = 10;

/** The routes and handlers that start-up checks. */
export interface Explored {
  routes: readonly DecidedRoute[];
  /** Queries and mutations of GraphQL. */
  resolvers: readonly DecidedRoute[];
  /** Fields of GraphQL whose decorators have no effect. */
  fields: readonly string[];
  /** Handlers of gateways and microservices that refuse every message. */
  messages: readonly MessageHandler[];
}

/** The warnings of start-up. */
export function warningsOf(
  { routes, resolvers, fields, messages }: Explored,
  settings: Pick<KitAuthSettings, 'protect' | 'whiteList' | 'optional'>,
): string[] {
  const { protect, whiteList } = settings;
  const { paths: optionalPatterns, when } = optionalPathsOf(settings);
  return [
    ...(protect === 'decorated' && whiteList.length > 0
      ? ["kit.auth.whiteList has no effect, because kit.auth.protect is 'decorated': no path is protected"]
      : []),
    ...(protect !== 'decorated' && when === undefined && optionalPatterns.some(matchesAllPaths)
      ? ['kit.auth.optional has "/**": no route needs a token, unless a decorator requires one']
      : []),
    ...about(
      resolvers.filter(({ rule }) => rule.decision === 'open by optional path'),
      (names) =>
        `patterns of kit.auth.optional do not apply to resolvers: ${names}. Add @OptionalUser() to them.`,
    ),
    ...about(
      routes.filter(({ rule, method }) => rule.decision === 'open by optional path' && !isRead(method)),
      (names) =>
        `kit.auth.optional opens routes that may change something: ${names}. Add @RequireToken() to protect them, ` +
        '@OptionalUser() or @Public() to open them on purpose, or set kit.auth.optional to { paths, when: ({ method }) => ' +
        "method === 'GET' }.",
    ),
    ...aboutDecisions(routes, resolvers, protect),
    ...aboutUsers([...routes, ...resolvers]),
    ...aboutFields(fields),
    ...aboutMessages(messages),
  ];
}

function aboutDecisions(
  ofControllers: readonly DecidedRoute[],
  resolvers: readonly DecidedRoute[],
  protect: KitAuthSettings['protect'],
): string[] {
  const routes = [...ofControllers, ...resolvers];
  if (routes.length > 0 && routes.every(({ rule }) => isOpen(rule))) {
    return [nothingIsProtected(routes, resolvers.length, protect)];
  }
  const undecided = routes.filter(({ rule }) => UNDECIDED.has(rule.decision));
  const halfOpen = undecided.filter(({ controller, handler }) =>
    routes.some(
      (route) =>
        route.controller === controller && route.handler === handler && route.rule.decision === 'token',
    ),
  );
  const outside = undecided.filter((route) => !halfOpen.includes(route));
  return [
    ...about(
      halfOpen,
      (names) =>
        `handlers that need a token at one path are open at another path: ${names}. Add @RequireToken() to protect ` +
        'them everywhere, or @Public() to open them everywhere.',
    ),
    ...about(
      outside,
      (names) =>
        `routes that kit.auth.protect (${patternsOf(protect)}) does not cover need no token: ${names}. Add ` +
        '@RequireToken() to protect them, or @Public() to open them on purpose.',
    ),
  ];
}

function nothingIsProtected(
  routes: readonly DecidedRoute[],
  resolvers: number,
  protect: KitAuthSettings['protect'],
): string {
  const kinds = Object.entries({ routes: routes.length - resolvers, resolvers }).filter(
    ([, count]) => count > 0,
  );
  const decisions = routes.map(({ rule }) => rule.decision);
  const counts = [...new Set(decisions)].map(
    (decision) => `${decisions.filter((d) => d === decision).length} ${decision}`,
  );
  const example = routes.find(({ rule }) => OPEN_UNDECLARED.has(rule.decision));
  return (
    `NOTHING IS PROTECTED: none of the ${kinds.map(([kind, count]) => `${count} ${kind}`).join(' and ')} of the ` +
    'application needs a token of kit-auth ' +
    `(${counts.join(', ')}${example ? `; for example ${example.method} ${example.path}` : ''}). ` +
    cureOf(decisions, protect)
  );
}

/** Patterns of `optional` open routes whatever `protect` covers. */
function cureOf(decisions: readonly RouteDecision[], protect: KitAuthSettings['protect']): string {
  if (decisions.includes('open by optional path')) {
    return (
      'kit.auth.optional opens routes: list only the paths that everybody may call, set { paths, when } to say which requests ' +
      'need no token, or add @RequireToken() to controllers.'
    );
  }
  return (
    `kit.auth.protect is ${patternsOf(protect)}: ` +
    (protect === 'decorated'
      ? 'add @RequireToken() to the controllers or handlers that need one.'
      : "set it to the paths of your routes, such as protect: ['/**'] for all of them, or add @RequireToken() to " +
        'controllers.')
  );
}

/** Handlers of routes that are open without a decorator or pattern of the application, and so never have a user. */
function aboutUsers(routes: readonly DecidedRoute[]): string[] {
  return about(
    routes.filter(
      ({ rule, controller, name }) =>
        OPEN_UNDECLARED.has(rule.decision) && takesCurrentUser(controller, name),
    ),
    (names) =>
      `@CurrentUser() is always undefined on routes that need no token: ${names}. Add @OptionalUser(), protect them, or remove it.`,
  );
}

function aboutFields(fields: readonly string[]): string[] {
  return fields.length === 0
    ? []
    : [
        `access decorators on fields have no effect: ${fields.join(', ')}. Nest calls no guards for @ResolveField() ` +
          "methods: add fieldResolverEnhancers: ['guards'] to the options of GraphQLModule.",
      ];
}

function aboutMessages(messages: readonly MessageHandler[]): string[] {
  const names = [...new Set(messages.map(({ controller, name }) => `${nameOf(controller)}.${name}`))];
  return names.length === 0
    ? []
    : [
        `message handlers that refuse every message: ${listed(names)}. They require a token, and messages of gateways ` +
          'and microservices carry none. Import KitAuthSocketsModule of kit-auth-sockets for gateways, or KitAuthJobsModule ' +
          'of kit-auth-jobs for microservices; or remove the decorator and authenticate the client in the handler with ' +
          'AuthManager.getLoginUser(); or add @Public() to the handler.',
      ];
}

function isRead(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'SEARCH'].includes(method);
}

function about(routes: readonly DecidedRoute[], sentence: (names: string) => string): string[] {
  const names = routes.map(
    ({ method, path, controller, name }) => `${method} ${path} (${nameOf(controller)}.${name})`,
  );
  return names.length === 0 ? [] : [sentence(listed(names))];
}

function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? [`${names.length - MAX_NAMES} more`] : [];
  return [...names.slice(0, MAX_NAMES), ...more].join(', ');
}

function patternsOf(protect: KitAuthSettings['protect']): string {
  return protect === 'decorated' ? "'decorated'" : `[${protect.map((pattern) => `'${pattern}'`).join(', ')}]`;
}
