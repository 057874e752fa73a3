/** Characters with a meaning in the path of a route, for path-to-regexp (Express) or find-my-way (Fastify). */
const ROUTE_SYNTAX = /[:*{}()[\]?+!\\]/;
/** A segment that is the same text for every router and client, once it is decoded. */
const PLAIN_SEGMENT = /^[\p{L}\p{M}\p{N}\-._~$&',=@]+$/u;
const GUARDED_SEGMENT = /^v[12]$/i;
const MAX_ALTERNATIVES = 64;

/** Whether a route serves one path only: its own text. */
export function isLiteral(registered: string): boolean {
  return !ROUTE_SYNTAX.test(registered);
}

/** Routers with `ignoreDuplicateSlashes` serve `//v1` as `/v1`. */
export function withSingleSlashes(path: string): string {
  return path.replace(/\/{2,}/g, '/');
}

/** Whether a path, as a request brings it, is under `/v1` or `/v2`. Case does not count: Express ignores it. */
export function isGuardedPath(path: string): boolean {
  return GUARDED_SEGMENT.test(path.split('/', 2)[1] ?? '');
}

/**
 * How many of the paths that a route serves are under `/v1` or `/v2`. `'unknown'` where the text of the route does
 * not tell: its first segment has a parameter or a wildcard, is optional, or is read differently by routers.
 */
export function guardedPathsOf(registered: string): 'all' | 'none' | 'unknown' {
  const answers = new Set(alternativesOf(registered)?.map(answerOf) ?? ['unknown' as const]);
  const [answer] = answers;
  return answers.size === 1 && answer !== undefined ? answer : 'unknown';
}

function answerOf(path: string): 'all' | 'none' | 'unknown' {
  const first = path.replace(/^\/+/, '').split('/', 1)[0] ?? '';
  if (first === '') {
    return 'none';
  }
  const decoded = isLiteral(first) ? decode(first) : undefined;
  if (decoded === undefined || !PLAIN_SEGMENT.test(decoded) || /^\.{1,2}$/.test(decoded)) {
    return 'unknown';
  }
  return GUARDED_SEGMENT.test(decoded) ? 'all' : 'none';
}

/** The path with every combination of its optional groups (`{/:lang}`); undefined where that cannot be told. */
function alternativesOf(registered: string): string[] | undefined {
  const group = /\{([^{}]*)\}/.exec(registered);
  if (group === null) {
    return [registered];
  }
  if (registered.split('{').length - 1 > Math.log2(MAX_ALTERNATIVES) || registered.includes('\\')) {
    return undefined;
  }
  const [whole, inside = ''] = group;
  const before = registered.slice(0, group.index);
  const after = registered.slice(group.index + whole.length);
  return [before + inside + after, before + after].flatMap((path) => alternativesOf(path) ?? [path]);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
