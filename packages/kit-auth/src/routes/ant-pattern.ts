const MAX_LENGTH = 512;

/**
 * Why a string is not an Ant-style pattern, or undefined if it is one. The syntax is `?` (one character), `*` (any
 * characters within a segment) and `**` (any number of segments); the syntax of other matchers is refused rather than
 * taken literally, because it would silently open more or less than was meant.
 */
export function antPatternProblem(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern === '') {
    return 'is not a non-empty string';
  }
  if (pattern.length > MAX_LENGTH) {
    return `is longer than ${MAX_LENGTH} characters`;
  }
  if (!pattern.startsWith('/')) {
    return 'does not start with "/"';
  }
  const foreign = /[^\p{L}\p{M}\p{N}\-._~$',/?*]/u.exec(pattern);
  if (foreign) {
    return `has ${JSON.stringify(foreign[0])}; only ?, * and ** have a meaning here`;
  }
  if (/\/\//.test(pattern)) {
    return 'has an empty segment ("//")';
  }
  if (/\/\.{1,2}(?:\/|$)/.test(pattern)) {
    return 'has a dot segment';
  }
  return undefined;
}

/** Whether a pattern matches every path, such as `/**`. */
export function matchesAllPaths(pattern: string): boolean {
  return /^(?:\/\*\*)+\/?$/.test(pattern);
}

/** Stands for any one segment of a route. */
export const ANY = Symbol('any segment');
/** At the end of the segments of a route: any number of segments, including none. */
export const REST = Symbol('any segments');
/** A segment of the path of a route. */
export type RouteSegment = string | typeof ANY | typeof REST;

/**
 * An Ant-style path pattern, as in `protect` and in the white-list. Case counts unless `ignoreCase` is set. `/a/**`
 * matches `/a` too, but not `/ab`. Both wildcards remember only the last place they could give way, so that matching
 * takes at most pattern length times path length steps for any input.
 */
export class AntPattern {
  private readonly segments: readonly string[];
  /** The prefix of every matching path. Most other paths fail this check, which saves half of the time. */
  private readonly start: string;

  /** @param source a pattern that `antPatternProblem` finds nothing wrong with */
  constructor(
    readonly source: string,
    private readonly ignoreCase = false,
  ) {
    const pattern = this.inCase(source);
    this.segments = pattern.split('/').slice(1);
    this.start = pattern.split(/\/?[*?]/, 1)[0] as string;
  }

  matches(path: string): boolean {
    const text = this.inCase(path);
    return (
      text.startsWith('/') && text.startsWith(this.start) && this.matchesSegments(text.split('/').slice(1))
    );
  }

  /** Whether the pattern is known to match each path of a route. */
  matchesAllOf(route: readonly RouteSegment[]): boolean {
    return this.matchesSegments(
      route.map((segment) => (typeof segment === 'string' ? this.inCase(segment) : segment)),
      (pattern) => /^\*+$/.test(pattern),
    );
  }

  /** Whether the pattern may match a path of a route. */
  matchesSomeOf(route: readonly RouteSegment[]): boolean {
    const fixed = route
      .filter((segment) => segment !== REST)
      .map((segment) => (segment === ANY ? segment : this.inCase(segment)));
    const ends = fixed.length < route.length ? [...this.segments.keys()] : [];
    return [...ends, this.segments.length].some((end) => this.matchesSegments(fixed, () => true, end));
  }

  /** @param matchesAny whether a segment of the pattern matches `ANY`. Only `**` matches `REST` */
  private matchesSegments(
    route: readonly RouteSegment[],
    matchesAny: (pattern: string) => boolean = () => false,
    length = this.segments.length,
  ): boolean {
    const { segments } = this;
    return matchWithWildcard(
      length,
      route.length,
      (p) => segments[p] === '**',
      (p, s) => {
        const [pattern, segment] = [segments[p] as string, route[s]];
        return typeof segment === 'string'
          ? matchCharacters(pattern, segment)
          : segment === ANY && matchesAny(pattern);
      },
    );
  }

  private inCase(text: string): string {
    return this.ignoreCase ? inOneCase(text) : text;
  }
}

/** Ignores case like regular expressions: character by character, so that the length does not change. */
function inOneCase(text: string): string {
  const upper = text.toUpperCase();
  return upper.length === text.length
    ? upper
    : Array.from(text, (char) =>
        char.toUpperCase().length === char.length ? char.toUpperCase() : char,
      ).join('');
}

function matchCharacters(pattern: string, text: string): boolean {
  return matchWithWildcard(
    pattern.length,
    text.length,
    (p) => pattern[p] === '*',
    (p, s) => pattern[p] === '?' || pattern[p] === text[s],
  );
}

/** Matches a row of pattern items against a row of input items; a wild item stands for any number of them. */
function matchWithWildcard(
  patternLength: number,
  inputLength: number,
  isWild: (p: number) => boolean,
  matchesOne: (p: number, i: number) => boolean,
): boolean {
  let p = 0;
  let i = 0;
  let lastWild = -1;
  let coveredUpTo = 0;
  while (i < inputLength) {
    if (p < patternLength && isWild(p)) {
      lastWild = p++;
      coveredUpTo = i;
    } else if (p < patternLength && matchesOne(p, i)) {
      p++;
      i++;
    } else if (lastWild >= 0) {
      p = lastWild + 1;
      i = ++coveredUpTo;
    } else {
      return false;
    }
  }
  while (p < patternLength && isWild(p)) {
    p++;
  }
  return p === patternLength;
}
