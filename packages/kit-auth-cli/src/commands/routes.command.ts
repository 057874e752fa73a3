import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type RouteAccess, RouteAccessReport } from 'kit-auth';
import { textOf } from 'kit-auth/cli';
import { type CliCommand, type CliContext, JSON_OPTION } from '../cli-command.js';
import { inspecting } from '../application/inspection.js';
import { Installation, isFile, parseJson } from '../application/installation.js';
import { accessNotes } from '../application/entry-file.js';
import { CliError } from '../cli.error.js';
import { report, reportList } from '../report.js';

export const routesCommand: CliCommand = {
  name: 'routes',
  usage: '',
  summary: 'Lists the routes and messages of the application, and who may call them.',
  details:
    'To notice changes, for example in CI, keep the list in a file and compare it:\n' +
    '  npx kit-auth routes --json > routes.json\n' +
    '  npx kit-auth routes --check routes.json\n' +
    'The comparison exits with 1 if a route was added or removed, or if other users may call it now. The database of\n' +
    'TypeORM need not run, and is not changed.',
  options: {
    check: { type: 'string', value: 'file', description: 'compare with the list in a file' },
    json: JSON_OPTION,
  },
  async run(context) {
    const { app, cwd, found, options, output } = context;
    const { check } = options as { check?: string };
    const before = check === undefined ? undefined : readRoutes(resolve(cwd, check), check);
    const loaded = await inspecting(new Installation(found().root), () => app({ until: 'init' }));
    accessNotes(found(), loaded).forEach((note) => output.note(note));
    const access = loaded.get(RouteAccessReport);
    const routes = [...access.routes(), ...access.messages()];
    if (before !== undefined) {
      return printDifferences(differencesOf(before, routes), context);
    }
    reportList(context, routes, {
      METHOD: ({ method }) => method,
      PATH: ({ path }) => path,
      HANDLER: ({ handler }) => handler,
      ACCESS: textOf,
    });
    return 0;
  },
};

/** @returns the exit code */
function printDifferences(differences: RouteDifferences, context: CliContext): number {
  const { added, removed, changed } = differences;
  const count = added.length + removed.length + changed.length;
  report(
    context,
    [
      ...added.map((route) => `added    ${route.method} ${route.path}: ${textOf(route)}`),
      ...removed.map((route) => `removed  ${route.method} ${route.path}: ${textOf(route)}`),
      ...changed.flatMap(({ before, after }) => [
        `changed  ${after.method} ${after.path}`,
        `         before: ${textOf(before)}`,
        `         now:    ${textOf(after)}`,
      ]),
      count === 0 ? 'No differences.' : `${count} ${count === 1 ? 'difference' : 'differences'}.`,
    ],
    { ok: count === 0, ...differences },
  );
  if (count > 0) {
    context.output.note(
      `If this is intended, write the file again: npx kit-auth routes --json > ${String(context.options['check'])}`,
    );
  }
  return count === 0 ? 0 : 1;
}

interface RouteDifferences {
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
function readRoutes(file: string, shown: string): RouteAccess[] {
  const cure = `Write it with: npx kit-auth routes --json > ${shown}`;
  if (!isFile(file)) {
    throw new CliError(`There is no file ${shown}. ${cure}`);
  }
  const routes = parsed(readFileSync(file));
  if (!Array.isArray(routes) || !routes.every(isRouteAccess)) {
    throw new CliError(`${shown} is not a list that \`kit-auth routes --json\` has printed. ${cure}`);
  }
  return routes;
}

function differencesOf(before: readonly RouteAccess[], after: readonly RouteAccess[]): RouteDifferences {
  const keyOf = keysOf(before, after);
  const [olds, news] = [before, after].map(
    (routes) => new Map(routes.map((route) => [keyOf(route), route])),
  ) as [Map<string, RouteAccess>, Map<string, RouteAccess>];
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
    return parseJson(text);
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
