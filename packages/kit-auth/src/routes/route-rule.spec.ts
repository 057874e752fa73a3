import { describe, expect, it } from '@jest/globals';
import { AntPattern } from './ant-pattern.js';
import { GlobalPrefix } from './global-prefix.js';
import { ruleOfPath } from './route-rule.js';

const decisionOf = (path: string, whiteList: string[] = [], prefix = '') =>
  ruleOfPath(
    path,
    new GlobalPrefix(prefix),
    whiteList.map((it) => new AntPattern(it)),
  ).decision;

describe('ruleOfPath', () => {
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
  ])('under the prefix %s, %s is %s', (prefix, path, decision) =>
    expect(decisionOf(path, [], prefix)).toBe(decision),
  );

  it('takes a prefix that the platform rewrites for one that cannot be determined', () => {
    expect(decisionOf('/api/*path4/v1/orders', ['/v1/**'], 'api/*')).toBe('token');
    expect(decisionOf('/api/*path4/open', [], 'api/*')).toBe('token');
  });

  it('lets the white-list see the request without the prefix only where the route has the prefix', () => {
    const list = [new AntPattern('/v1/public/**')];
    const prefixed = ruleOfPath('/:lang/v1/:kind/:id', new GlobalPrefix(':lang'), list);
    expect(prefixed.requiresToken?.('/en/v1/public/1')).toBe(false);
    expect(prefixed.requiresToken?.('/en/v1/orders/1')).toBe(true);
    const excluded = ruleOfPath('/v1/:a/:b/:c', new GlobalPrefix(':lang'), list);
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
    ['/v1/orders/:id', ['/v1/orders'], 'token, or open by white-list'],
    ['/v1/orders/:id', ['/v1/orders/**'], 'open by white-list'],
    ['/v1/orders/:id', ['/v1/o*/**'], 'token, or open by white-list'],
    ['/v1/ordersx/:id', ['/v1/orders/**'], 'token'],
    ['/v1/:kind', ['/v1/**', '/v2/**'], 'open by white-list'],
    ['/v1/orders/:id', ['/v1/ORDERS/1'], 'token, or open by white-list'],
    ['/v1/:kind/:id', ['/v1/public/**'], 'token, or open by white-list'],
    ['/v1/orders/:id', ['/**/info'], 'token, or open by white-list'],
  ])('%s with the white-list %j is %s', (path, whiteList, decision) =>
    expect(decisionOf(path, whiteList)).toBe(decision),
  );

  it('judges the request where the route has parameters', () => {
    const rule = ruleOfPath('/api/v1/:kind/:id', new GlobalPrefix('/api'), [new AntPattern('/v1/public/**')]);
    expect(rule.requiresToken?.('/v1/public/1')).toBe(false);
    expect(rule.requiresToken?.('/api/v1/public/1')).toBe(false);
    expect(rule.requiresToken?.('/v1/orders/1')).toBe(true);
    expect(rule.requiresToken?.('/v1/public/..%2f1')).toBe(true);
    expect(rule.requiresToken?.('/v1/public/1', '/v1/orders/1')).toBe(true);
  });

  it('lets only plain requests through a pattern', () => {
    const rule = ruleOfPath('/v1/public/info', new GlobalPrefix(''), [new AntPattern('/v1/public/**')]);
    expect(rule.requiresToken?.('/v1/public/info?x=1')).toBe(false);
    expect(rule.requiresToken?.('/v1/public/info#x')).toBe(true);
    expect(rule.requiresToken?.('/v1//public/info')).toBe(true);
  });
});
