import { AssertionError } from 'node:assert';
import { type DecidedRoute, editDistance } from 'kit-auth/tools';

const FORM = /^\s*([a-z]+)\s+(\/\S*)\s*$/i;
const MAX_SUGGESTIONS = 5;

/**
 * The handlers of a route: several when the application has versions that the path does not show.
 *
 * @param caller left out of the stack trace
 * @throws AssertionError with the most similar routes
 */
export function findRoutes(
  routes: readonly DecidedRoute[],
  wanted: string,
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- the type of `stackStartFn`
  caller: Function,
): readonly DecidedRoute[] {
  const fail = (message: string) => new AssertionError({ message, operator: 'fail', stackStartFn: caller });
  const [, method = '', path = ''] = FORM.exec(wanted) ?? [];
  if (path === '') {
    throw fail(
      `${JSON.stringify(wanted)} is not a route: write method and path, for example "GET /v1/notes".` +
        suggestions(routes, wanted),
    );
  }
  const name = `${method.toUpperCase()} ${path}`;
  const found = routes.filter(
    (route) =>
      serves(route.method, method.toUpperCase()) && withoutLastSlash(route.path) === withoutLastSlash(path),
  );
  if (found.length === 0) {
    throw fail(
      routes.length === 0
        ? 'The application has no routes. Has it a server? Create it with createNestApplication().'
        : `The application has no route ${name}.${suggestions(routes, name)}`,
    );
  }
  return found;
}

/** Nest registers `HEAD` with every `GET`. */
function serves(registered: string, method: string): boolean {
  return registered === method || registered === 'ALL' || (registered === 'GET' && method === 'HEAD');
}

function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function suggestions(routes: readonly DecidedRoute[], wanted: string): string {
  const names = [...new Set(routes.map(({ method, path }) => `${method} ${path}`))];
  const near = names
    .map((name) => ({ name, edits: editDistance(name.toLowerCase(), wanted.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, MAX_SUGGESTIONS);
  return ` The most similar routes:\n${near.map(({ name }) => `  ${name}`).join('\n')}`;
}
