import { existsSync, readFileSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { RouteAccess } from 'kit-auth';
import { CliError } from './cli.error.js';
import { parseJsonFile } from './json-file.js';

export interface RouteDifferences {
  readonly added: readonly RouteAccess[];
  readonly removed: readonly RouteAccess[];
  /** Routes whose access has changed. A renamed handler is not a change. */
  readonly changed: readonly { readonly before: RouteAccess; readonly after: RouteAccess }[];
}

/**
 * Reads the output of `kit-auth routes --json`.
 *
 * @param shown the file as the user wrote it
 * @throws CliError that says how to write the file
 */
export function readRoutes(file: string, shown: string): RouteAccess[] {
  const cure = `Write it with: npx kit-auth routes --json > ${shown}`;
  if (!existsSync(file) || !statSync(file).isFile()) {
    throw new CliError(`There is no file ${shown}. ${cure}`);
  }
  const routes = parsed(readFileSync(file));
  if (!Array.isArray(routes) || !routes.every(isRouteAccess)) {
    throw new CliError(`${shown} is not a list that \`kit-auth routes --json\` has printed. ${cure}`);
  }
  return routes;
}

export function differencesOf(
  before: readonly RouteAccess[],
  after: readonly RouteAccess[],
): RouteDifferences {
  const keyOf = keysOf(before, after);
  const [olds, news] = [before, after].map(
    (routes) => new Map(routes.map((route) => [keyOf(route), route])),
  ) as [Routes, Routes];
  const added: RouteAccess[] = [];
  const changed: { before: RouteAccess; after: RouteAccess }[] = [];
  for (const [key, now] of news) {
    const was = olds.get(key);
    if (was === undefined) {
      added.push(now);
    } else if (!isDeepStrictEqual(grants(was), grants(now))) {
      changed.push({ before: was, after: now });
    }
  }
  return { added, removed: [...olds].flatMap(([key, route]) => (news.has(key) ? [] : [route])), changed };
}

type Routes = Map<string, RouteAccess>;

/** A method and a path can occur several times, for example with versions in a header: the handler tells them apart. */
function keysOf(...lists: readonly (readonly RouteAccess[])[]): (route: RouteAccess) => string {
  const placeOf = ({ method, path }: RouteAccess) => `${method} ${path}`;
  const shared = new Set(
    lists.flatMap((routes) => {
      const places = routes.map(placeOf);
      return places.filter((place, i) => places.indexOf(place) !== i);
    }),
  );
  return (route) => (shared.has(placeOf(route)) ? `${placeOf(route)} ${route.handler}` : placeOf(route));
}

function grants({ decision, pattern, invalid, requires, credentials }: RouteAccess): object {
  return { decision, pattern, invalid, requires, credentials };
}

/** `>` of Windows PowerShell writes UTF-16. */
function parsed(bytes: Buffer): unknown {
  const text = bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8');
  try {
    return parseJsonFile(text);
  } catch {
    return undefined;
  }
}

function isRouteAccess(value: unknown): value is RouteAccess {
  const route = (value ?? {}) as Partial<Record<keyof RouteAccess, unknown>>;
  return ['method', 'path', 'handler', 'decision'].every(
    (key) => typeof route[key as keyof RouteAccess] === 'string',
  );
}
