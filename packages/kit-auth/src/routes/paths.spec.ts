import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GlobalPrefix, plainPath } from './paths.js';

describe('plainPath', () => {
  it.each([
    ['/', '/'],
    ['/v1/orders', '/v1/orders'],
    ['/v1/orders/', '/v1/orders/'],
    ['/v1/orders?a=/../b', '/v1/orders'],
    ['/v1/orders?', '/v1/orders'],
    ['/%761/orders', '/v1/orders'],
    ['/caf%C3%A9', '/caf\u00e9'],
    ['/a%20b', '/a b'],
    ["/~user/a-b_c.d!$&'()*+,=:@", "/~user/a-b_c.d!$&'()*+,=:@"],
    ['/...', '/...'],
    ['/.well-known/x', '/.well-known/x'],
    ['http://host/v1/orders', '/v1/orders'],
    ['http://host/', '/'],
    ['HTTPS://user:pw@host:1/v1/orders?x', '/v1/orders'],
  ])('%s is %s', (target, path) => expect(plainPath(target)).toBe(path));

  it.each<[string, string[]]>([
    ['no path', ['', '*', 'v1/orders', 'host:443']],
    ['empty segments', ['//v1', '/v1//x', 'http://host//v1']],
    ['dots', ['/v1/./x', '/v1/../x', '/..', '/v1/.', '/%2e%2e/x', '/%2E/x']],
    ['parameters, fragments and backslashes', ['/v1;a=b/x', '/v1#x', '/v1\\x']],
    ['escapes of nothing', ['/%', '/%z', '/%zz', '/%2', '/%ff', '/%c0%ae', '/%ed%a0%80']],
    ['escaped delimiters', ['/%23x', '/%2f', '/%2F', '/%3b', '/%3f', '/%5c', '/%25', '/%2561']],
    ['escaped control characters', ['/%00', '/%0a', '/%1f', '/%7f', '/%c2%85', '/%e2%80%a8']],
    ['characters that are not escaped', ['/a b', '/a\tb', '/a\nb', '/a\0', '/caf\u00e9', '/\ud800']],
    ['characters that no URL has', ['/<x>', '/a|b', '/a"b', '/a^b', '/a`b', '/{a}', '/[a]']],
    ['other URLs', ['http://host', 'http://host?/v1/x', 'ftp://host/v1', 'http:/v1', 'http:///v1\\x']],
  ])('%s are not plain', (_what, targets) =>
    expect(targets.filter((target) => plainPath(target) !== undefined)).toEqual([]),
  );

  it('never gives a path that could be read in another way', () => {
    const target = fc.array(
      fc.constantFrom('/', '.', '%', '2', 'e', 'f', 'a', ';', '#', '?', '\\', '%2e', '%2f', '%c3%a9', '%41'),
    );
    fc.assert(
      fc.property(target, (parts) => {
        const path = plainPath(`/${parts.join('')}`);
        fc.pre(path !== undefined);
        expect(path).not.toMatch(/[;#?\\%\p{Cc}]|\/\/|\/\.{1,2}(?:\/|$)/u);
        expect(new URL(encodeURI(path), 'http://host').pathname).toBe(encodeURI(path));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('GlobalPrefix', () => {
  it.each([
    ['', '/api/x', undefined],
    ['api', '/api/x', '/x'],
    ['/api/', '/API/x', '/x'],
    ['api', '/api', '/'],
    ['api', '/apix', undefined],
    ['api', '/x/api', undefined],
    ['api/v9', '/api/v9/x', '/x'],
    ['api/v9', '/api/other/x', undefined],
    ['api/v9', '/other/v9/x', undefined],
    ['api/v9', '/api', undefined],
    ['api/:lang', '/api/en/x', '/x'],
    ['api/:lang', '/api', undefined],
    ['{/:lang}', '/en/x', undefined],
    ['*any', '/en/x', undefined],
  ])('%j takes itself off the request %s', (prefix, path, rest) => {
    expect(new GlobalPrefix(prefix).takeOffRequest(path)).toBe(rest);
  });

  it.each([
    ['', '/api/x', undefined],
    ['api', '/api/x', { path: '/x' }],
    ['api', '/API/x', { path: '/x' }],
    ['api', '/api{/:x}', { path: '{/:x}' }],
    ['api', '/apix', undefined],
    ['api/*', '/api/x', 'unknown'],
    ['{/:lang}', '{/:lang}/x', { path: '/x' }],
  ])('%j takes itself off the route %s', (prefix, route, rest) => {
    expect(new GlobalPrefix(prefix).takeOffRoute(route)).toEqual(rest);
  });

  it('is literal, or has at least a fixed length', () => {
    const of = (prefix: string) => {
      const { isLiteral, hasFixedLength } = new GlobalPrefix(prefix);
      return [isLiteral, hasFixedLength];
    };
    expect(of('api')).toEqual([true, true]);
    expect(of(':lang')).toEqual([false, true]);
    expect(['{/:lang}', '*any'].map(of)).toEqual(Array(2).fill([false, false]));
  });
});
