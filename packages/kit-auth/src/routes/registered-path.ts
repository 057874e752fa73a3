/** Characters with a meaning in the path of a route, for path-to-regexp (Express) or find-my-way (Fastify). */
const ROUTE_SYNTAX = /[:*{}()[\]?+!\\]/;
/** A segment that is the same text for every router and client, once it is decoded. */
const PLAIN_SEGMENT = /^[\p{L}\p{M}\p{N}\-._~$&',=@]+$/u;
const GUARDED_SEGMENT = /^v[12]$/i;
const GROUP = /\{([^{}]*)\}/;
/** As many as the router of Express takes: eight optional groups side by side. */
const MAX_ALTERNATIVES = 256;

export type Guard = 'guarded' | 'open' | 'unknown';

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
 * Whether a route serves paths under `/v1` or `/v2`. A route counts as guarded with all of its paths when leaving out
 * or adding an optional group makes one of them guarded, or there are too many to tell. `'unknown'` where only a
 * request decides it: the first segment has a parameter or a wildcard, or routers interpret it differently.
 */
export function guardOf(registered: string): Guard {
  const answers = alternativesOf(registered)?.map(guardOfAlternative) ?? ['guarded'];
  return answers.find((it) => it === 'guarded') ?? answers.find((it) => it === 'unknown') ?? 'open';
}

function guardOfAlternative(path: string): Guard {
  const first = path.replace(/^\/+/, '').split('/', 1)[0] ?? '';
  if (first === '') {
    return 'open';
  }
  const decoded = isLiteral(first) ? decode(first) : undefined;
  if (decoded === undefined || !PLAIN_SEGMENT.test(decoded) || /^\.{1,2}$/.test(decoded)) {
    return 'unknown';
  }
  return GUARDED_SEGMENT.test(decoded) ? 'guarded' : 'open';
}

/**
 * The path with every combination of its optional groups (`{/:lang}`); undefined where there are too many. Escaped
 * characters stand for themselves, unless a router gives them a meaning, and the names of parameters do not matter.
 */
function alternativesOf(registered: string): string[] | undefined {
  const path = registered.replace(
    /\\(.)|([:*])"(?:\\.|[^"\\])*"/gs,
    (_whole, escaped: string | undefined, kind: string | undefined) =>
      kind ?? (isLiteral(escaped ?? '') ? (escaped ?? '') : '?'),
  );
  let alternatives = [path];
  while (alternatives.some((it) => GROUP.test(it))) {
    alternatives = [...new Set(alternatives.flatMap(withAndWithoutGroup))];
    if (alternatives.length > MAX_ALTERNATIVES) {
      return undefined;
    }
  }
  return alternatives;
}

function withAndWithoutGroup(path: string): string[] {
  return GROUP.test(path) ? [path.replace(GROUP, '$1'), path.replace(GROUP, '')] : [path];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
