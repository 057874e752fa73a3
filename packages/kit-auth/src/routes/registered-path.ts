import { ANY, REST, type RouteSegment } from './ant-pattern.js';

/** Characters with a meaning in the path of a route, for path-to-regexp (Express) or find-my-way (Fastify). */
const ROUTE_SYNTAX = /[:*{}()[\]?+!\\]/;
/** A segment that is the same text for every router and client, once it is decoded. */
const PLAIN_SEGMENT = /^[\p{L}\p{M}\p{N}\-._~$&',=@]+$/u;
/** A parameter that is a whole segment. Its name is empty if it was quoted. */
const PARAMETER = /^:\w*$/;
const GROUP = /\{([^{}]*)\}/;
/** As many as the router of Express takes: eight optional groups side by side. */
const MAX_ALTERNATIVES = 256;

/** Whether a route serves one path only: its own text. */
export function isLiteral(registered: string): boolean {
  return !ROUTE_SYNTAX.test(registered);
}

/** Routers with `ignoreDuplicateSlashes` serve `//v1` as `/v1`. */
export function withSingleSlashes(path: string): string {
  return path.replace(/\/{2,}/g, '/');
}

/**
 * The paths that a route serves, as segments: one row for each combination of its optional groups. A row ends with `REST`
 * where a wildcard begins, or text that routers interpret differently. Undefined if there are too many combinations.
 */
export function segmentsOf(registered: string): RouteSegment[][] | undefined {
  return alternativesOf(registered)?.map(segmentsOfAlternative);
}

function segmentsOfAlternative(path: string): RouteSegment[] {
  const segments = path.split('/').filter((it) => it !== '');
  const kinds = segments.map(kindOf);
  const end = kinds.indexOf(REST);
  return segments.length === 0 ? [''] : end < 0 ? kinds : kinds.slice(0, end + 1);
}

function kindOf(segment: string): RouteSegment {
  if (PARAMETER.test(segment)) {
    return ANY;
  }
  const decoded = isLiteral(segment) ? decode(segment) : undefined;
  return decoded !== undefined && PLAIN_SEGMENT.test(decoded) && !/^\.{1,2}$/.test(decoded) ? decoded : REST;
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
