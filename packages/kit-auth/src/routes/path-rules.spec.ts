import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { kitAuthOptions } from '../config/kit-auth.options.js';
import { GlobalPrefix, withLeadingSlash } from './paths.js';
import { PathRules } from './path-rules.js';
import { requiresToken } from './route-rules.js';

const DEFAULT = kitAuthOptions.resolve().settings.protect as readonly string[];
const ruleOf = (path: string, whiteList: string[] = [], prefix = '', protect = DEFAULT) =>
  new PathRules({ protect, whiteList, optional: [] }, new GlobalPrefix(prefix)).ruleOf(path);
const decisionOf = (...args: Parameters<typeof ruleOf>) => ruleOf(...args).decision;

describe('PathRules', () => {
  it.each([
    ['/v1', 'token'],
    ['/v1/', 'token'],
    ['/v1/orders', 'token'],
    ['/V2/orders', 'token'],
    ['/v1/orders/:id', 'token'],
    ['/v1/orders/*', 'token'],
    ['/v1{/:rest}', 'token'],
    ['/v1{x}/y', 'token'],
    ['{/:lang}/v1/orders', 'token'],
    ['{/a}{/b}{/c}{/d}{/e}{/f}{/g}{/h}/v1', 'token'],
    ['{/a}{/b}{/c}{/d}{/e}{/f}{/g}{/h}/open', 'open by path'],
    ['{/a}{/b}{/c}{/d}{/e}{/f}{/g}{/h}{/i}/open', 'token'],
    ['{a{b{c{d{e{f{g{h{i{j}}}}}}}}}}/v1', 'token'],
    [`${'{'.repeat(5000)}/v1`, 'token where the path is guarded'],
    ['{/:lang}/v1/items/:id\\:archive', 'token'],
    ['/files{/:name}\\:sign', 'token where the path is guarded'],
    ['/\\v1/orders', 'token'],
    ['{/:lang}/v1\\/', 'token'],
    ['{/:"a{b"}/v1/orders', 'token'],
    ['/:"v1"/orders', 'token where the path is guarded'],
    ['/v1/x/:id(^\\d{4}$)', 'token'],
    ['/:id(^\\d{4}$)/x', 'token where the path is guarded'],
    ['//v1/orders', 'token'],
    ['/%76%31/orders', 'token'],
    ['/\\\\v1/orders', 'token where the path is guarded'],
    ['/./v1/orders', 'token where the path is guarded'],
    ['/caf\u00e9', 'open by path'],
    ['/:version/orders', 'token where the path is guarded'],
    ['/*', 'token where the path is guarded'],
    ['*', 'token where the path is guarded'],
    ['{*rest}', 'token where the path is guarded'],
    [':version/orders', 'token where the path is guarded'],
    ['/', 'open by path'],
    ['/health', 'open by path'],
    ['/health/:part', 'open by path'],
    ['/v10/x', 'open by path'],
    ['/v1x', 'open by path'],
    ['/v3', 'open by path'],
    ['/x/v1', 'open by path'],
  ])('%s is %s', (path, decision) => expect(decisionOf(path)).toBe(decision));

  it.each([
    ['/api/v1/orders', 'token'],
    ['/API/v1/orders', 'token'],
    ['/v1/orders', 'token'],
    ['/api/health', 'open by path'],
    ['/apiv1/orders', 'open by path'],
    ['/api/:version/x', 'token where the path is guarded'],
  ])('under the prefix /api, %s is %s', (path, decision) =>
    expect(decisionOf(path, [], '/api')).toBe(decision),
  );

  it.each([
    ['{/:lang}', '{/:lang}/v1/orders', 'token'],
    ['{/:lang}', '{/:lang}/v1/orders/:id', 'token'],
    ['{/:lang}', '{/:lang}/open', 'token where the path is guarded'],
    ['{/:lang}', '{/:lang}/:first', 'token'],
    ['{/:lang}/api', '{/:lang}/api/v1/orders', 'token'],
    ['{:lang/}api', '/{:lang/}api/v1/orders', 'token'],
    ['{/v1}', '{/v1}/orders', 'token'],
    ['*any/api', '/*any/api/v1/orders', 'token'],
    ['*any/api', '/*any/api/:first', 'token'],
    [':"a/b"', '/:"a/b"/:first', 'token'],
    [':lang', '/:lang/:first', 'token where the path is guarded'],
    ['api//', '/api//v1/orders', 'token'],
    ['v1', '/v1/orders', 'token'],
    ['v1/app', '/v1/app/orders', 'token'],
    ['/v2/', '/v2/orders', 'token'],
    ['V1', '/V1/orders', 'token'],
  ])('under the prefix %s, %s is %s', (prefix, path, decision) =>
    expect(decisionOf(path, [], prefix)).toBe(decision),
  );

  it('takes a prefix that the platform rewrites for one that cannot be determined', () => {
    expect(decisionOf('/api/*path4/v1/orders', ['/v1/**'], 'api/*')).toBe('token');
    expect(decisionOf('/api/*path4/open', [], 'api/*')).toBe('token');
  });

  it('lets the white-list see the request without the prefix only where the route has the prefix', () => {
    const list = ['/v1/public/**'];
    const prefixed = ruleOf('/:lang/v1/:kind/:id', list, ':lang');
    expect(prefixed.requiresToken?.('/en/v1/public/1')).toBe(false);
    expect(prefixed.requiresToken?.('/en/v1/orders/1')).toBe(true);
    const excluded = ruleOf('/v1/:a/:b/:c', list, ':lang');
    expect(excluded.requiresToken?.('/v1/public/b/c')).toBe(false);
    expect(excluded.requiresToken?.('/v1/v1/public/c')).toBe(true);
  });

  it.each([
    ['/v1/orders', ['/v1/orders'], 'open by white-list'],
    ['/v1/orders/', ['/v1/orders'], 'open by white-list'],
    ['/v1/orders', ['/v1/other', '/v1/*'], 'open by white-list'],
    ['/v1/orders', ['/v1/*/info'], 'token'],
    ['/v1/orders', ['/v1/ORD*'], 'token, or open by white-list'],
    ['/v1/orders/:id', ['/v1/public/**'], 'token'],
    ['/v1/orders/:id', ['/v1/orders'], 'token'],
    ['/v1/orders{/:id}', ['/v1/orders'], 'token, or open by white-list'],
    ['/v1/orders{/:id}', ['/v1/orders/**'], 'open by white-list'],
    ['/v1/:kind/info', ['/v1/*/info'], 'open by white-list'],
    ['/v1/:kind/info', ['/V1/*/info'], 'token, or open by white-list'],
    ['/v1/files/*path', ['/v1/files/**'], 'open by white-list'],
    ['/v1/files/*path', ['/v1/files/*'], 'token, or open by white-list'],
    ['/health', ['/health'], 'open by white-list'],
    ['/:kind/info', ['/**/info'], 'open by white-list'],
    ['/v1/orders/:id', ['/v1/orders/**'], 'open by white-list'],
    ['/v1/orders/:id', ['/v1/o*/**'], 'open by white-list'],
    ['/v1/ordersx/:id', ['/v1/orders/**'], 'token'],
    ['/v1/:kind', ['/v1/**', '/v2/**'], 'open by white-list'],
    ['/v1/orders/:id', ['/v1/ORDERS/1'], 'token, or open by white-list'],
    ['/v1/:kind/:id', ['/v1/public/**'], 'token, or open by white-list'],
    ['/v1/orders/:id', ['/**/info'], 'token, or open by white-list'],
  ])('%s with the white-list %j is %s', (path, whiteList, decision) =>
    expect(decisionOf(path, whiteList)).toBe(decision),
  );

  it('judges the request where the route has parameters', () => {
    const rule = ruleOf('/api/v1/:kind/:id', ['/v1/public/**'], '/api');
    expect(rule.requiresToken?.('/v1/public/1')).toBe(false);
    expect(rule.requiresToken?.('/api/v1/public/1')).toBe(false);
    expect(rule.requiresToken?.('/v1/orders/1')).toBe(true);
    expect(rule.requiresToken?.('/v1/public/..%2f1')).toBe(true);
    expect(rule.requiresToken?.('/v1/public/1', '/v1/orders/1')).toBe(true);
  });

  it('lets only plain requests through a pattern', () => {
    const rule = ruleOf('/v1/public/info', ['/v1/public/**']);
    expect(rule.requiresToken?.('/v1/public/info?x=1')).toBe(false);
    expect(rule.requiresToken?.('/v1/public/info#x')).toBe(true);
    expect(rule.requiresToken?.('/v1//public/info')).toBe(true);
    expect(rule.requiresToken?.('/v1/public/info', '/v1//public/info')).toBe(true);
  });

  it('lets no request through whose prefix cannot be found', () => {
    const rule = ruleOf('{/:lang}/v1/:kind/:id', ['/v1/public/**'], '{/:lang}');
    expect(rule.requiresToken?.('/v1/public/1')).toBe(false);
    expect(rule.requiresToken?.('/x/v1/public/1')).toBe(true);
    const whole = ruleOf('/:a/:b/:c/:d', ['/v1/public/**'], 'api/v9');
    expect(whole.requiresToken?.('/api/other/v1/public')).toBe(false);
    expect(whole.requiresToken?.('/v1/other/public/x')).toBe(true);
  });

  it('judges a route with too many optional groups by the request', () => {
    const route = '{/a}{/b}{/c}{/d}{/e}{/f}{/g}{/h}{/i}/:x';
    const rule = ruleOf(route, ['/open']);
    expect(rule.decision).toBe('token, or open by white-list');
    expect([rule.requiresToken?.('/open'), rule.requiresToken?.('/a/open')]).toEqual([false, true]);
  });

  it('needs no plain path where nothing is guarded', () => {
    const rule = ruleOf('/health/:part', ['/health/**']);
    expect([rule.decision, rule.pattern, rule.requiresToken]).toEqual([
      'open by white-list',
      '/health/**',
      undefined,
    ]);
  });
});

describe('protect', () => {
  it.each([
    [['/**'], '/', 'token'],
    [['/**'], '/a/:b', 'token'],
    [['/**'], '*any', 'token'],
    [['/**'], '/a{/:b}/(x)', 'token'],
    [['/*'], '/', 'token'],
    [['/*'], '/a', 'token'],
    [['/*'], '/:a', 'token'],
    [['/*'], '/a/b', 'open by path'],
    [['/'], '/', 'token'],
    [['/'], '/a', 'open by path'],
    [['/api/**'], '/api', 'token'],
    [['/api/'], '/api', 'token'],
    [['/api/**'], '/API/x', 'token'],
    [['/API/**'], '/api/x', 'token'],
    [['/api/**'], '/apix', 'open by path'],
    [['/api/**'], '/v1/orders', 'open by path'],
    [['/api/**'], '/:any/x', 'token where the path is guarded'],
    [['/api/**'], '/x/:any', 'open by path'],
    [['/api/**'], '/x/*any', 'open by path'],
    [['/api/**'], '/a:pi/x', 'token where the path is guarded'],
    [['/api/**'], '{/:lang}/api/x', 'token'],
    [['/api/**'], '{/api}/x', 'token'],
    [['/api/**'], '/%61pi/x', 'token'],
    [['/api/**'], '//api//x', 'token'],
    [['/api/*/secret'], '/api/:tenant/secret', 'token'],
    [['/api/*/secret'], '/api/:tenant/other', 'open by path'],
    [['/api/*/secret'], '/api/:tenant/:what', 'token where the path is guarded'],
    [['/api/*/secret'], '/api/:tenant', 'open by path'],
    [['/api/*/secret'], '/api/x-:tenant/secret', 'token where the path is guarded'],
    [['/api/*/secret'], '/api/:id(^\\d{2}$)/secret', 'token where the path is guarded'],
    [['/api/*/secret'], '/api/*path', 'token where the path is guarded'],
    [['/api/*/secret/**'], '/api/:tenant/secret/*path', 'token'],
    [['/**/admin/**'], '/x/:id/admin/:page', 'token'],
    [['/**/admin/**'], '/x/:id/users', 'token where the path is guarded'],
    [['/**/admin/**'], '/x/users', 'open by path'],
    [['/x/a?c'], '/x/abc', 'token'],
    [['/x/a?c'], '/x/:id', 'token where the path is guarded'],
    [['/orders', '/users/**'], '/users/:id', 'token'],
    [['/orders', '/users/**'], '/orders/:id', 'open by path'],
    [['/orders'], '/orders{/:id}', 'token'],
    [['/x/a/b'], '/x{/a{/b}}', 'token'],
    [['/x'], '/x{/a{/b}}', 'token'],
    [['/x/*/secret'], '/x/\\:a/secret', 'token where the path is guarded'],
  ])('%j: %s is %s', (protect, path, decision) => expect(decisionOf(path, [], '', protect)).toBe(decision));

  it.each([
    ['api', ['/orders'], '/api/orders', 'token'],
    ['api', ['/api/orders'], '/api/orders', 'token'],
    ['api', ['/api/**'], '/health', 'open by path'],
    ['api', ['/orders/**'], '/api/:kind', 'token where the path is guarded'],
    [':lang', ['/orders/**'], '/:lang/orders', 'token'],
    [':lang', ['/de/**'], '/:lang/orders', 'token where the path is guarded'],
    ['{/:lang}', ['/*/secret'], '{/:lang}/:kind/secret', 'token'],
    ['{/:lang}', ['/a/b'], '{/:lang}/:kind/:id', 'token'],
  ])('under the prefix %s, %j: %s is %s', (prefix, protect, path, decision) =>
    expect(decisionOf(path, [], prefix, protect)).toBe(decision),
  );

  it('judges a plain request by its path, in any case, and protects from the others', () => {
    const { requiresToken } = ruleOf('/api/:tenant/:what', [], '', ['/api/*/se?ret']);
    const tokenFor = ['/api/a/secret', '/API/a/SECRET/', '/api/a/%73ecret', '/api/a/x%2fy', '/api/a;b/x'];
    expect(tokenFor.map((path) => requiresToken?.(path))).toEqual(tokenFor.map(() => true));
    expect(['/api/a/other', '/api/secret/a?x=/api/a/secret'].map((path) => requiresToken?.(path))).toEqual([
      false,
      false,
    ]);
  });

  it('ignores case as Express does, one character at a time', () => {
    const { requiresToken } = ruleOf('/:a/:b', [], '', ['/stra\u00dfe/\u03c3\u03c2']);
    expect(requiresToken?.(encodeURI('/STRA\u00dfE/\u03a3\u03a3'))).toBe(true);
    expect(requiresToken?.(encodeURI('/STRASSE/\u03a3\u03a3'))).toBe(false);
  });

  it('is left to the white-list where that opens a route', () => {
    expect(decisionOf('/api/login', ['/api/login'], '', ['/**'])).toBe('open by white-list');
    expect(decisionOf('/api/login', ['/login'], 'api', ['/**'])).toBe('open by white-list');
    expect(decisionOf('/api/:page', ['/api/login'], '', ['/**'])).toBe('token, or open by white-list');
  });

  it('has an optional user where a pattern covers the route, and the white-list no part of it', () => {
    const optionalOf = (path: string, optional: string[], whiteList: string[] = [], prefix = '') =>
      new PathRules({ protect: ['/**'], whiteList, optional }, new GlobalPrefix(prefix)).ruleOf(path);
    const rule = optionalOf('/notes/:id', ['/x', '/notes/*/']);
    expect(rule).toEqual({
      requiresToken: expect.any(Function),
      decision: 'open by optional path',
      pattern: '/notes/*',
      optional: {},
      requirements: [],
    });
    expect([rule.requiresToken?.('/notes/7'), rule.requiresToken?.('/notes/..%2f7')]).toEqual([false, true]);
    expect(optionalOf('/api/notes', ['/notes'], [], 'api').decision).toBe('open by optional path');
    expect(optionalOf('/notes/:id', ['/notes/7']).decision).toBe('token');
    expect(optionalOf('/notes{/:id}', ['/notes']).decision).toBe('token');
    expect(optionalOf('/notes', ['/**'], ['/notes']).decision).toBe('open by white-list');
    expect(optionalOf('/notes/:id', ['/**'], ['/notes/7']).decision).toBe('token, or open by white-list');
  });

  it('asks the application about each request where that has a function for it', () => {
    const when = () => true;
    const ruleWith = (path: string, protect: string[]) =>
      new PathRules(
        { protect, whiteList: [], optional: { paths: ['/notes/**'], invalid: 'anonymous', when } },
        new GlobalPrefix(''),
      ).ruleOf(path);
    for (const protect of [['/**'], ['/v1/**']]) {
      const rule = ruleWith('/notes/:id', protect);
      expect(rule).toMatchObject({
        decision: 'token, or open by optional path',
        pattern: '/notes/**',
        optional: { invalid: 'anonymous' },
        when,
      });
      expect([rule.requiresToken?.('/notes/7'), rule.requiresToken?.('/notes/..%2f7')]).toEqual([
        false,
        true,
      ]);
    }
    expect(ruleWith('/other', ['/**']).decision).toBe('token');
  });

  it('judges handlers behind one route by the request, unless it covers every path', () => {
    const many = (protect: string[], whiteList: string[] = []) =>
      new PathRules({ protect, whiteList, optional: [] }, new GlobalPrefix('')).ruleOfManyPaths();
    expect(many(['/graphql']).requiresToken?.('/graphql')).toBe(true);
    expect(many(['/graphql']).requiresToken?.('/other')).toBe(false);
    expect(many(['/x', '/**']).decision).toBe('token');
    expect(many(['/**'], ['/graphql']).requiresToken?.('/graphql')).toBe(false);
    expect(many(['/**'], ['/graphql']).requiresToken?.('/other')).toBe(true);
    const prefixed = new PathRules(
      { protect: ['/x'], whiteList: [], optional: [] },
      new GlobalPrefix('{/:lang}'),
    );
    expect(prefixed.ruleOfManyPaths().decision).toBe('token');
  });

  describe('agrees with a reference that knows the request only', () => {
    const word = fc.constantFrom('a', 'b', 'ab', 'api');
    const pattern = fc
      .array(fc.constantFrom('**', '*', 'a', 'b', 'a*', '?', 'api', 'A'), { minLength: 1, maxLength: 4 })
      .map((parts) => `/${parts.join('/')}`);
    /** A part of a route, with a text that it serves. */
    const part = (name: string) =>
      fc.oneof(
        word.map((text) => ({ route: `/${text}`, text: `/${text}` })),
        word.map((text) => ({ route: `/:${name}`, text: `/${text}` })),
        word.map((text) => ({ route: `/a-:${name}`, text: `/a-${text}` })),
      );
    const optional = (name: string) =>
      fc
        .tuple(part(name), fc.boolean())
        .map(([{ route, text }, isThere]) => ({ route: `{${route}}`, text: isThere ? text : '' }));
    const wildcard = fc
      .array(word, { minLength: 1, maxLength: 3 })
      .map((words) => ({ route: '/*rest', text: `/${words.join('/')}` }));
    const prefix = fc.constantFrom(
      { prefix: '', text: '' },
      { prefix: 'api', text: '/api' },
      { prefix: ':lang', text: '/b' },
    );
    const routeOf = (...parts: fc.Arbitrary<{ route: string; text: string }>[]) =>
      fc
        .tuple(...parts)
        .map((all) => all.reduce((a, b) => ({ route: a.route + b.route, text: a.text + b.text })));
    const none = fc.constant({ route: '', text: '' });
    const plainRoute = routeOf(part('x'), fc.oneof(none, part('y')), fc.oneof(none, part('z'), wildcard));
    const anyRoute = routeOf(optional('x'), part('y'), fc.oneof(none, optional('z')));

    /** Written from the documentation: `?`, `*`, `**`. */
    const reference = (patterns: string[], path: string, flags: string) =>
      patterns.some((pattern) => {
        const parts = pattern.split('/').slice(1);
        const expressions = parts.map((part) =>
          part === '**' ? '(/[^/]+)*' : `/${part.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')}`,
        );
        return new RegExp(`^${expressions.join('')}$`, flags).test(path);
      });
    const lists = [
      fc.array(pattern, { minLength: 1, maxLength: 3 }),
      fc.array(pattern, { maxLength: 2 }),
    ] as const;

    const judge = (
      protect: string[],
      whiteList: string[],
      before: { prefix: string; text: string },
      { route, text }: { route: string; text: string },
    ) => {
      const withPrefix = withLeadingSlash(before.prefix) + route;
      const rule = ruleOf(withPrefix, whiteList, before.prefix, protect);
      const spellings = [before.text + text, text];
      const isGuarded = spellings.some((spelling) => reference(protect, spelling, 'i'));
      const isExempt = spellings.some((spelling) => reference(whiteList, spelling, ''));
      return {
        needsToken: requiresToken(rule, { url: before.text + text }),
        expected: isGuarded && !isExempt,
      };
    };

    it('on routes without optional groups', () =>
      fc.assert(
        fc.property(...lists, prefix, plainRoute, (...args) => {
          const { needsToken, expected } = judge(...args);
          expect(needsToken).toBe(expected);
        }),
        { numRuns: 1000 },
      ));

    it('and opens nothing more on routes with them', () =>
      fc.assert(
        fc.property(...lists, prefix, anyRoute, (...args) => {
          const { needsToken, expected } = judge(...args);
          expect(needsToken || !expected).toBe(true);
        }),
        { numRuns: 500 },
      ));
  });
});
