const MAX_LENGTH = 512;

/**
 * Why a text is not an Ant-style pattern, or undefined when it is one. The syntax is `?` (one character), `*`
 * (any characters within a segment) and `**` (any number of segments); the syntax of other matchers is refused
 * rather than taken literally, because it would silently open more or less than was meant.
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

/**
 * An Ant-style path pattern, as in the white-list. Case counts. `/a/**` matches `/a` too, but not
 * `/ab`. Both wildcards remember only the last place they could give way, so that matching takes at most
 * pattern length times path length steps for any input.
 */
export class AntPattern {
  private readonly segments: readonly string[];

  /** @param source a pattern that `antPatternProblem` finds nothing wrong with */
  constructor(readonly source: string) {
    this.segments = source.split('/').slice(1);
  }

  matches(path: string): boolean {
    return path.startsWith('/') && matchSegments(this.segments, path.split('/').slice(1));
  }
}

function matchSegments(pattern: readonly string[], path: readonly string[]): boolean {
  return matchWithWildcard(
    pattern.length,
    path.length,
    (p) => pattern[p] === '**',
    (p, s) => matchCharacters(pattern[p] as string, path[s] as string),
  );
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
