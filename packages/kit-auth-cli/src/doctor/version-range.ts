type Version = readonly [major: number, minor: number, patch: number];

const COMPARATOR = /^(\^|~|>=|<=|>|<|=)?\s*v?(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?(?:[-+].*)?$/;

/**
 * Whether a version is in a range of npm: `^1.2.3`, `~1.2`, `>=1.2.3 <2`, `1.x`, `*`, and several of them joined by `||`.
 * A pre-release counts as its release.
 *
 * @returns undefined for a version or a range in another form, such as a tag or a URL
 */
export function isInRange(version: string, range: string): boolean | undefined {
  const found = versionOf(version);
  const results = range.split('||').map((part) => found && isInAll(found, part.trim()));
  if (results.includes(true)) {
    return true;
  }
  return results.includes(undefined) ? undefined : false;
}

function isInAll(version: Version, range: string): boolean | undefined {
  if (range === '' || range === '*' || range === 'x') {
    return true;
  }
  const results = range
    .replace(/(\^|~|[<>]=?|=)\s+/g, '$1')
    .split(/\s+/)
    .map((comparator) => isInOne(version, comparator));
  return results.includes(undefined) ? undefined : !results.includes(false);
}

function isInOne(version: Version, comparator: string): boolean | undefined {
  const match = COMPARATOR.exec(comparator);
  if (match === null) {
    return undefined;
  }
  const [, operator = '=', ...parts] = match;
  const given = parts.filter((part) => /^\d+$/.test(part)).map(Number);
  const [major = 0, minor = 0, patch = 0] = given;
  const low: Version = [major, minor, patch];
  switch (operator) {
    case '>=':
      return compare(version, low) >= 0;
    case '<':
      return compare(version, low) < 0;
    case '>':
      return compare(version, next(low, given.length - 1)) >= 0;
    case '<=':
      return compare(version, next(low, given.length - 1)) < 0;
    case '~':
      return isBetween(version, low, next(low, Math.min(given.length - 1, 1)));
    case '^':
      return isBetween(version, low, next(low, leftmost(low, given.length)));
    default:
      return isBetween(version, low, next(low, given.length - 1));
  }
}

/** The part that `^` keeps: the first one that is not zero, or the last one that is given. */
function leftmost(version: Version, given: number): number {
  const index = version.findIndex((part) => part !== 0);
  return index === -1 ? given - 1 : Math.min(index, given - 1);
}

/** The first version after all that begin with the parts up to `index`. */
function next(version: Version, index: number): Version {
  return version.map((part, i) => (i < index ? part : i === index ? part + 1 : 0)) as unknown as Version;
}

function isBetween(version: Version, low: Version, high: Version): boolean {
  return compare(version, low) >= 0 && compare(version, high) < 0;
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function versionOf(text: string): Version | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}
