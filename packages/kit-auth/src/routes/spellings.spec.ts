import { describe, expect, it } from '@jest/globals';
import { SPELLINGS, withPrefix } from 'test-support';
import { GlobalPrefix } from './paths.js';
import { PathRules } from './path-rules.js';
import { requiresToken } from './route-rules.js';

/** Routes that a router may take for the one that a spelling means, as Express and Fastify register them. */
const ROUTES = [
  '/v1',
  '/v1/orders',
  '/v1/orders/:id',
  '/v1/orders/files/*',
  '/v1/orders/files/*path',
  '/v1/orders{/:id}',
  '/v1/:kind/:id',
  '/v1/*rest',
  '/v2/orders',
  '/:version/orders',
  '/:version/:kind/:id',
  '*',
  '/*rest',
];

/** The white-lists, with all that they open of these. */
const WHITE_LISTS: Record<string, readonly string[]> = {
  '/**/info': ['/v1/orders/info/'],
  '/**/*.json': ['/v1/orders.json'],
  '/v1/*/info': ['/v1/orders/info/'],
  '/v1/public/**': ['http://x/v1/public/info@y/v1/orders'],
};
/** A path outside of /v1, at a host named v1. */
const OUTSIDE = 'http://v1/public/info/v1/orders';

describe.each(['', '/api'])('spellings of protected paths under the prefix "%s"', (prefix) => {
  const opened = (whiteList: string[], routes: readonly string[]) =>
    routes.flatMap((route) => {
      const rules = new PathRules(
        { protect: ['/v1/**', '/v2/**'], whiteList, optional: [] },
        new GlobalPrefix(prefix),
      );
      const rule = rules.ruleOf(prefix + route);
      return SPELLINGS.filter(
        (spelling) =>
          spelling !== OUTSIDE &&
          (!requiresToken(rule, { url: withPrefix(spelling, prefix) }) ||
            !requiresToken(rule, { url: spelling, originalUrl: withPrefix(spelling, prefix) })),
      );
    });

  it('open no route without a white-list', () => expect(opened([], ROUTES)).toEqual([]));

  it.each(Object.entries(WHITE_LISTS))('open with %s only what it says: %j', (pattern, paths) => {
    expect([...new Set(opened([pattern], ROUTES))].sort()).toEqual([...paths].sort());
  });
});
