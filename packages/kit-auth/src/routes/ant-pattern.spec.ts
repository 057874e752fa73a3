import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AntPattern, antPatternProblem } from './ant-pattern.js';

const matches = (pattern: string, path: string) => new AntPattern(pattern).matches(path);

describe('antPatternProblem', () => {
  it.each<[string, string[]]>([
    ['paths', ['/', '/v1', "/caf\u00e9/it's-$1_2~,3", `/${'a'.repeat(511)}`]],
    ['wildcards', ['/v1/public/**', '/**/info', '/v1/*/info', '/**/*.json', '/v1/a?c']],
  ])('accepts %s', (_what, patterns) =>
    expect(patterns.filter((pattern) => antPatternProblem(pattern) !== undefined)).toEqual([]),
  );

  it.each<[string, unknown[]]>([
    ['no string', [null, undefined, 1, {}, ['/v1']]],
    ['no path', ['', 'v1/x', `/${'a'.repeat(512)}`]],
    ['paths that are not plain', ['//v1', '/v1//x', '/v1/../x', '/v1/./x', '/..', '/v1/x?y=1&z']],
    ['other patterns', ['!/v1/**', '/v1/{a,b}', '/v1/[ab]', '/v1/(a)', '/v1/a+', '/v1/@(a)']],
    ['escapes and delimiters', ['/v1/a#b', '/v1/a%20b', '/v1/a\\b', '/v1/a;b']],
    ['spaces and control characters', ['/v1/a b', '/v1/a\u0000', '/v1/a\n']],
  ])('refuses %s', (_what, patterns) =>
    expect(patterns.filter((pattern) => typeof antPatternProblem(pattern) !== 'string')).toEqual([]),
  );
});

describe('the problem of a pattern', () => {
  it.each([
    ['', 'is not a non-empty string'],
    [`/${'a'.repeat(512)}`, 'is longer than 512 characters'],
    ['v1', 'does not start with "/"'],
    ['/v1#x', 'has "#"; only ?, * and ** have a meaning here'],
    ['/v1//x', 'has an empty segment ("//")'],
    ['/v1/..', 'has a dot segment'],
  ])('%j %s', (pattern, problem) => expect(antPatternProblem(pattern)).toBe(problem));
});

describe('AntPattern', () => {
  it.each([
    ['/v1/public/**', '/v1/public', true],
    ['/v1/public/**', '/v1/public/', true],
    ['/v1/public/**', '/v1/public/a/b', true],
    ['/v1/public/**', '/v1/publicx', false],
    ['/v1/*/info', '/v1/a/info', true],
    ['/v1/*/info', '/v1/a/b/info', false],
    ['/v1/*/info', '/v1/info', false],
    ['/**/info', '/info', true],
    ['/**/info', '/v1/orders/info', true],
    ['/**/info', '/v1/orders/infos', false],
    ['/v1/a?c', '/v1/abc', true],
    ['/v1/a?c', '/v1/ac', false],
    ['/v1/a?c', '/v1/a/c', false],
    ['/v1/Info', '/v1/info', false],
    ['/**/*.json', '/v1/a.json', true],
    ['/**/*.json', '/v1/a.json/b', false],
    ['/**', '/', true],
    ['/**', 'v1', false],
    ['/aa*ac', '/aac', false],
    ['/aa*ac', '/aaac', true],
    ['/a/a/**/a/c', '/a/a/c', false],
  ])('%s on %s is %s', (pattern, path, expected) => expect(matches(pattern, path)).toBe(expected));

  it('ignores case if it is told to, as regular expressions do', () => {
    expect(new AntPattern('/\u03c3\u03c2', true).matches('/\u03c2\u03c3')).toBe(true);
    expect(new AntPattern('/V1/**', true).matches('/v1/x')).toBe(true);
  });

  it('agrees with a backtracking matcher on every small pattern and path', () => {
    const part = fc.constantFrom('**', '*', 'a', 'b', 'a*', '*a', '*a*b', '?', 'a?', 'ab');
    const piece = fc.constantFrom('a', 'b', 'ab', 'ba', 'aab', 'abab', '');
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        fc.array(piece, { minLength: 1, maxLength: 6 }),
        (pattern, path) => {
          expect(matches(`/${pattern.join('/')}`, `/${path.join('/')}`)).toBe(slowMatch(pattern, path));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each(['/**/x/**/y/**/z', '/v1/*a*a*a*a/x', `${'/**/a'.repeat(8)}/b`, '/*a*a*a*a*a*ab/**'])(
    'comes to an end on %s and a long path: a matcher that tries every split would take hours',
    (pattern) => expect(matches(pattern, `/${'a'.repeat(4000)}${'/a'.repeat(2000)}`)).toBe(false),
  );
});

/** Exponential, and so simple that it is right. */
function slowMatch(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) {
    return path.length === 0;
  }
  if (first === '**') {
    return slowMatch(rest, path) || (path.length > 0 && slowMatch(pattern, path.slice(1)));
  }
  const asRegExp = new RegExp(`^${first.replace(/\*/g, '.*').replace(/\?/g, '.')}$`);
  return path[0] !== undefined && asRegExp.test(path[0]) && slowMatch(rest, path.slice(1));
}
