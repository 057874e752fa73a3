import { describe, expect, it } from '@jest/globals';
import { AntPattern } from '../paths/ant-pattern.js';
import { ruleOfPath } from './route-rule.js';

const decisionOf = (path: string, whiteList: string[] = [], prefix = '') =>
  ruleOfPath(
    path,
    prefix,
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
    ['/v1{/:rest}', 'token where the path is guarded'],
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
    ['/v1/orders', ['/v1/orders'], 'open by white-list'],
    ['/v1/orders/', ['/v1/orders'], 'open by white-list'],
    ['/v1/orders', ['/v1/other', '/v1/*'], 'open by white-list'],
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
    const rule = ruleOfPath('/v1/:kind/:id', '/api', [new AntPattern('/v1/public/**')]);
    expect(rule.requiresToken?.('/v1/public/1')).toBe(false);
    expect(rule.requiresToken?.('/api/v1/public/1')).toBe(false);
    expect(rule.requiresToken?.('/v1/orders/1')).toBe(true);
    expect(rule.requiresToken?.('/v1/public/..%2f1')).toBe(true);
    expect(rule.requiresToken?.('/v1/public/1', '/v1/orders/1')).toBe(true);
  });

  it('lets only plain requests through a pattern', () => {
    const rule = ruleOfPath('/v1/public/info', '', [new AntPattern('/v1/public/**')]);
    expect(rule.requiresToken?.('/v1/public/info?x=1')).toBe(false);
    expect(rule.requiresToken?.('/v1/public/info#x')).toBe(true);
    expect(rule.requiresToken?.('/v1//public/info')).toBe(true);
  });
});
