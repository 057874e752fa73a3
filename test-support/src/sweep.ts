/** Set by `.ci/nightly`, and by `.ci/run` for some specs. `npm test` takes each value at least once. */
export const IS_SWEEP = process.env['TEST_COMBINATIONS'] === 'all';

/**
 * For `describe.each`: all pairs in a sweep. Otherwise as few as contain every value, the first with the first.
 *
 * @example
 * describe.each(pairsOf(BOTH, MODES))('on %s with %s', (platform, mode) => {
 */
export function pairsOf<A, B>(first: readonly A[], second: readonly B[]): (readonly [A, B])[] {
  if (IS_SWEEP) {
    return first.flatMap((a) => second.map((b) => [a, b] as const));
  }
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, i) => [first[i % first.length]!, second[i % second.length]!] as const);
}

/** For `describe.each`: all values in a sweep, otherwise those that are named. */
export function sweepOf<T>(all: readonly T[], otherwise: readonly NoInfer<T>[]): readonly T[] {
  return IS_SWEEP ? all : otherwise;
}
