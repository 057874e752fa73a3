import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  bearer,
  BOTH,
  type Platform,
  PLATFORMS,
  request,
  requestOf,
  sendUntil,
  sharedTestApp,
  SPELLINGS,
  sweepOf,
  tokenOf,
  withPrefix,
} from 'test-support';
import { SECRET, SHOP } from './shop.controllers.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE'];

const OPEN_TO_ALL: Record<string, readonly string[]> = {
  'no white-list': [],
  '/v1/public/**': ['/v1/public/info'],
  '/**/info': ['/v1/public/info', '/v1/orders/info'],
  '/**/*.json': ['/v1/orders/export.json'],
  '/v1/*/info': ['/v1/public/info', '/v1/orders/info'],
};
/** With these patterns, the plain paths that they open; every other spelling stays closed. */
const OPENED_SPELLINGS: Record<string, readonly string[]> = {
  // The first belongs to the same route; so does the second where the router does not tell cases apart.
  '/**/info': ['/v1/orders/info/', '/v1/orders/INFO'],
  '/v1/*/info': ['/v1/orders/info/', '/v1/orders/INFO'],
};

const ROUTERS = Object.keys(PLATFORMS) as Platform[];
// packages/kit-auth/src/routes/spellings.spec.ts has all white-lists and prefixes. Here, the router matches.
const CASES = ROUTERS.flatMap((platform) =>
  ['', '/api'].flatMap((prefix) =>
    Object.keys(OPEN_TO_ALL).map((pattern) => ({ platform, prefix, pattern })),
  ),
);
const isTried = ({ platform, prefix, pattern }: (typeof CASES)[number]) =>
  pattern === '/**/info' && (prefix === '') === ['express', 'fastify with loose routing'].includes(platform);

describe.each(sweepOf(CASES, CASES.filter(isTried)))(
  'paths on $platform with the prefix "$prefix" and the white-list $pattern',
  ({ platform, prefix, pattern }) => {
    const app = sharedTestApp({
      platform,
      controllers: SHOP,
      ...(pattern.startsWith('/') && { options: { whiteList: [pattern] } }),
      ...(prefix !== '' && { configure: (nest) => nest.setGlobalPrefix(prefix) }),
    });

    it('opens no spelling of a protected path without a token', async () => {
      const given: string[] = [];
      const ask = async (method: string, spelling: string) => {
        const target = withPrefix(spelling, prefix);
        const { status, text } = await request(app.port, target, { method });
        const isOpened = OPENED_SPELLINGS[pattern]?.includes(spelling) === true && method !== 'TRACE';
        const mayBeOpen = isOpened || (method === 'OPTIONS' && platform.startsWith('express'));
        const isRefused = [400, 401, 404, 405, 414].includes(status) || mayBeOpen;
        if (!isRefused || status >= 500 || text.includes('    at ')) {
          given.push(`${method} ${target}: ${status} ${text}`);
        }
      };
      await Promise.all(SPELLINGS.map((spelling) => ask('GET', spelling)));
      const everyMethod = sweepOf(SPELLINGS, [
        '/v1/orders',
        '/V1/ORDERS/',
        '//v1/orders',
        '/v1/orders/info#x',
      ]);
      for (const spelling of everyMethod) {
        await Promise.all(METHODS.map((method) => ask(method, spelling)));
      }
      expect(given).toEqual([]);
    });

    it('opens what the white-list names, and nothing else', async () => {
      for (const path of ['/v1/public/info', '/v1/orders/info', '/v1/orders/export.json', '/v1/orders']) {
        const { status } = await app.request(prefix + path);
        expect([path, status]).toEqual([path, OPEN_TO_ALL[pattern]!.includes(path) ? 200 : 401]);
      }
    });

    it('leaves what is outside of /v1 and /v2 open', async () => {
      for (const path of ['/v10/x', '/health', '/v1x', '/v1/mixed', '/v1/open', '/v1/inherited']) {
        const { status } = await app.request(prefix + path);
        expect([path, status]).toEqual([path, 200]);
      }
    });

    it('lets a token through', async () => {
      const token = await tokenOf(app.port, prefix);
      for (const path of [
        '/v1',
        '/v1/orders',
        '/v1/orders/1',
        '/v2/orders',
        '/v1/publicx',
        '/v1/open/closed',
        '/v1/overridden',
      ]) {
        const answer = await app.request(prefix + path, { token });
        expect([path, answer.status]).toEqual([path, 200]);
        expect(answer.text).toContain(SECRET);
      }
    });
  },
);

describe.each(sweepOf(ROUTERS, BOTH))('methods and kinds of handlers on %s', (platform) => {
  const app = sharedTestApp({ platform, controllers: SHOP });
  let token: string;
  beforeAll(async () => {
    token = await app.adminToken();
  });

  it.each([
    ['GET', '/v1/orders/stream'],
    ['GET', '/v1/orders/one'],
    ['GET', '/v1/orders/two'],
    ['GET', '/v1/orders/files/a/b'],
    ['POST', '/v1/orders/any'],
    ['DELETE', '/v1/orders/any'],
    ['POST', '/v1/mixed'],
    ['POST', '/v1/orders'],
  ])('%s %s needs a token, and works with it', async (method, path) => {
    const without = await app.request(path, { method });
    expect([without.status, without.json.code]).toEqual([401, 40100]);
    const withToken = await app.request(path, { method, token });
    expect(withToken.text).toContain(SECRET);
  });

  it.each(['/v1/orders', '/v1/orders/head', '/v1/orders/any'])('HEAD %s needs a token', async (path) => {
    const without = await app.request(path, { method: 'HEAD' });
    expect([without.status, without.text]).toEqual([401, '']);
    const { status } = await app.request(path, { method: 'HEAD', token });
    expect(status).toBe(200);
  });

  it('server-sent events need a token, and work with it', async () => {
    const without = await app.request('/v1/orders/events');
    expect([without.status, without.json.code]).toEqual([401, 40100]);
    const events = requestOf('/v1/orders/events', { headers: [bearer(token)] });
    expect(await sendUntil(app.port, events, SECRET)).toContain(`data: ${SECRET}`);
  });

  it('HEAD on an open GET handler is open', async () => {
    expect((await app.request('/v1/mixed', { method: 'HEAD' })).status).toBe(200);
  });

  it.each([
    'X-HTTP-Method-Override: GET',
    'X-Original-URL: /health',
    'X-Rewrite-URL: /health',
    'X-Forwarded-Prefix: /health',
    'X-Forwarded-Path: /health',
    'X-Forwarded-Uri: /health',
    'X-Middleware-Subrequest: middleware',
  ])('%s changes nothing', async (header) => {
    expect((await app.request('/v1/orders', { headers: [header] })).status).toBe(401);
    expect((await app.request('/v1/mixed', { method: 'POST', headers: [header] })).status).toBe(401);
  });
});
