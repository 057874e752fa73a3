import { METHODS } from 'node:http';
import { ANY, isLiteral, plainPath, REST, type RouteSegment, segmentsOf } from 'kit-auth/cli';
import type { DecidedRoute } from 'kit-auth/tools';
import { CliError } from '../cli.error.js';
import { didYouMean } from '../reason.js';

/** The request that a user asks about. */
export interface AskedRequest {
  /** In upper case. */
  readonly method: string;
  /** The path of a request, or of a route, for example `/notes/:id`. It begins with a slash. */
  readonly path: string;
}

export interface FoundRoutes {
  /** The route that answers. Several if they differ in something else, for example a version in a header. */
  readonly routes: readonly DecidedRoute[];
  /** Other routes that match the path. */
  readonly others: readonly DecidedRoute[];
  /** The user passed the path of a route with parameters, so the path of the request is unknown. */
  readonly isPattern: boolean;
}

/** @throws CliError for an invalid method or path */
export function askedRequest(method: string, path: string): AskedRequest {
  const name = method.toUpperCase();
  if (!METHODS.includes(name)) {
    throw new CliError(`"${method}" is not a method of HTTP, such as GET or POST.`);
  }
  if (/^[a-z]:[\\/]/i.test(path)) {
    throw new CliError(
      `"${path}" is not the path of a request. Git Bash on Windows makes a file name of a path. Leave out the first ` +
        'slash: v1/notes',
    );
  }
  return { method: name, path: /^(?:\/|https?:)/.test(path) ? path : `/${path}` };
}

/**
 * Finds the route of a request like the router.
 *
 * @param routes in the order in which they are registered
 * @param platform Express uses the first route that matches, and Fastify the one with the fewest parameters
 * @throws CliError when there is none
 */
export function findRoutes(
  routes: readonly DecidedRoute[],
  { method, path }: AskedRequest,
  platform: string,
): FoundRoutes {
  const exact = routes.filter((route) => route.path === path && !isLiteral(path));
  const named = exact.filter((route) => isServed(route, method));
  if (named.length > 0) {
    return { routes: named, others: [], isPattern: true };
  }
  const plain = segmentsOfRequest(path);
  const onPath = routes.flatMap((route) => {
    const row = segmentsOf(route.path)?.find((segments) => matches(segments, plain));
    return row === undefined ? [] : [{ route, row }];
  });
  const found = onPath.filter(({ route }) => isServed(route, method));
  if (platform === 'fastify') {
    found.sort((a, b) => compare(a.row, b.row));
  }
  // REST may stand for syntax that this code does not parse. Such a route may not match.
  const [first] = [...found.filter(({ row }) => !row.includes(REST)), ...found];
  if (first === undefined) {
    throw notFound(routes, [...exact, ...onPath.map(({ route }) => route)], { method, path });
  }
  const isFirst = ({ route }: { route: DecidedRoute }) => route.path === first.route.path;
  return {
    routes: found.filter(isFirst).map(({ route }) => route),
    others: found.filter((match) => !isFirst(match)).map(({ route }) => route),
    isPattern: false,
  };
}

function isServed({ method }: DecidedRoute, asked: string): boolean {
  return method === asked || method === 'ALL' || (asked === 'HEAD' && method === 'GET');
}

/** @throws CliError for a path whose meaning depends on the router */
function segmentsOfRequest(path: string): string[] {
  const plain = plainPath(path);
  if (plain === undefined) {
    throw new CliError(
      `"${path}" is not the path of a route, nor one of a request that all routers read in the same way.`,
    );
  }
  const segments = plain.split('/').filter((segment) => segment !== '');
  return segments.length === 0 ? [''] : segments;
}

function matches(row: readonly RouteSegment[], segments: readonly string[]): boolean {
  const isOpen = row.at(-1) === REST;
  const fixed = isOpen ? row.slice(0, -1) : row;
  return (
    (isOpen ? segments.length >= fixed.length : segments.length === fixed.length) &&
    fixed.every((segment, i) => (segment === ANY ? segments[i] !== '' : segment === segments[i]))
  );
}

/** At the first difference, a literal comes before a parameter, and a parameter before a wildcard. */
function compare(a: readonly RouteSegment[], b: readonly RouteSegment[]): number {
  const rank = (segment: RouteSegment | undefined) =>
    segment === REST || segment === undefined ? 2 : segment === ANY ? 1 : 0;
  const i = a.findIndex((segment, at) => rank(segment) !== rank(b[at]));
  return i < 0 ? 0 : rank(a[i]) - rank(b[i]);
}

function notFound(
  routes: readonly DecidedRoute[],
  samePath: readonly DecidedRoute[],
  { method, path }: AskedRequest,
): CliError {
  const methods = [...new Set(samePath.map((route) => route.method))];
  const candidates = routes
    .filter((route) => isServed(route, method))
    .map((route) => `${method} ${route.path}`);
  const hint =
    methods.length > 0
      ? ` This path has ${methods.join(', ')}.`
      : didYouMean(`${method} ${path}`, candidates) || ' `kit-auth routes` lists the routes.';
  return new CliError(`There is no route ${method} ${path}.${hint}`, 1);
}
