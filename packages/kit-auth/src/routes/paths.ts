import { ANY, REST, type RouteSegment } from './ant-pattern.js';

/** Characters with a meaning in the path of a route, for path-to-regexp (Express) or find-my-way (Fastify). */
const ROUTE_SYNTAX = /[:*{}()[\]?+!\\]/;
/** A segment that every router and client reads in the same way, once it is decoded. */
const PLAIN_SEGMENT = /^[\p{L}\p{M}\p{N}\-._~$&',=@]+$/u;
/** A parameter that is a whole segment. Its name is empty if it was quoted. */
const PARAMETER = /^:\w*$/;
const GROUP = /\{([^{}]*)\}/;
/** The limit of Express's router: eight optional groups side by side. */
const MAX_ALTERNATIVES = 256;

/** Whether a route serves only one path, without parameters. */
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
  const segments = path.split('/').filter((segment) => segment !== '');
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
  while (alternatives.some((alternative) => GROUP.test(alternative))) {
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

const ORIGIN = /^https?:\/\/[^/?#\\]*/i;
const PATH_CHARACTERS = /^\/(?:[A-Za-z0-9\-._~!$&'()*+,=:@/]|%[0-9a-f]{2})*$/i;
const EMPTY_OR_DOT_SEGMENT = /\/\/|\/\.{1,2}(?:\/|$)/;
/** Encoded control characters and encoded `# % . / ; ? \`. */
const DOUBTFUL_ESCAPE = /%(?:[01][0-9a-f]|7f|2[35ef]|3[bf]|5c)/i;
const DOUBTFUL_DECODED = /[\u0080-\u009f\u2028\u2029]/;

/**
 * The decoded path of a request target, or undefined when the target is not plain: dot or empty segments, `\`,
 * `;`, `#`, control characters, anything outside RFC 3986, bad escapes, or escapes of characters that servers
 * disagree on. Routers and proxies read such paths in different ways, so they never earn an exemption.
 * The absolute form (`GET http://host/path`, RFC 9112 section 3.2.2) counts by its path.
 */
export function plainPath(target: string): string | undefined {
  const withoutOrigin = target.startsWith('/') ? target : target.replace(ORIGIN, '');
  const query = withoutOrigin.indexOf('?');
  const path = query < 0 ? withoutOrigin : withoutOrigin.slice(0, query);
  if (!PATH_CHARACTERS.test(path) || EMPTY_OR_DOT_SEGMENT.test(path)) {
    return undefined;
  }
  if (!path.includes('%')) {
    return path;
  }
  if (DOUBTFUL_ESCAPE.test(path)) {
    return undefined;
  }
  try {
    const decoded = decodeURIComponent(path);
    return DOUBTFUL_DECODED.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Normalizes a prefix like Nest. An optional group such as `{/:lang}` contains its own slash. */
export function withLeadingSlash(prefix: string): string {
  return prefix === '' || /^(?:\/|\{\/)/.test(prefix) ? prefix : `/${prefix}`;
}

/** Characters that can stand for any number of segments, or hide a slash. */
const NO_FIXED_LENGTH = /[*{}()[\]?+!\\"]/;
/** Syntax of older routers, which Nest rewrites in a way that depends on the route behind the prefix. */
const LEGACY_SYNTAX = /[(+?]|\*(?![\w$"])/;

/** The application's global prefix, to be taken off the paths of routes and requests. */
export class GlobalPrefix {
  /** The prefix in front of each route. Empty when there is none. */
  private readonly text: string;
  private readonly segments: readonly string[];

  /** @param prefix the argument of `app.setGlobalPrefix()` */
  constructor(prefix: string) {
    this.text = withSingleSlashes(withLeadingSlash(prefix)).replace(/\/$/, '');
    this.segments = this.text.split('/').slice(1);
  }

  /** A prefix without parameters. */
  get isLiteral(): boolean {
    return isLiteral(this.text);
  }

  /** Whether the prefix can be found in the path of a request. */
  get hasFixedLength(): boolean {
    return !NO_FIXED_LENGTH.test(this.text);
  }

  /**
   * A route without the prefix. `undefined` for a route that does not have it, `'unknown'` when that cannot be
   * determined.
   *
   * @param registered the path of the route, as it is registered with the router, with single slashes
   */
  takeOffRoute(registered: string): { path: string } | 'unknown' | undefined {
    if (this.text === '') {
      return undefined;
    }
    const start = registered.slice(0, this.text.length);
    const rest = registered.slice(this.text.length);
    if (start.toLowerCase() === this.text.toLowerCase() && /^(?:$|\/|\{\/)/.test(rest)) {
      return { path: rest === '' ? '/' : rest };
    }
    return LEGACY_SYNTAX.test(this.text) ? 'unknown' : undefined;
  }

  /** The path of a request without the prefix. Undefined when it lacks the prefix, or that cannot be determined. */
  takeOffRequest(path: string): string | undefined {
    if (this.text === '' || !this.hasFixedLength) {
      return undefined;
    }
    const segments = path.split('/').slice(1);
    return this.segments.every((segment, i) => sameSegment(segment, segments[i]))
      ? `/${segments.slice(this.segments.length).join('/')}`
      : undefined;
  }
}

function sameSegment(ofPrefix: string, ofPath: string | undefined): boolean {
  return ofPath !== undefined && (!isLiteral(ofPrefix) || ofPrefix.toLowerCase() === ofPath.toLowerCase());
}
