import { beforeAll, describe, expect, it } from '@jest/globals';
import { VersioningType } from '@nestjs/common';
import {
  bearer,
  IS_SWEEP,
  type Platform,
  PLATFORMS,
  request,
  requestOf,
  sendUntil,
  sharedTestApp,
  sweepOf,
  testApp,
  type TestAppOptions,
  tokenOf,
} from 'test-support';
import { SECRET, SHOP } from './shop.controllers.js';

/** Spellings that some router takes for a protected path. */
const SPELLINGS = [
  '/v1/orders',
  '/v1',
  '/v1/',
  '/V1',
  '/v1/orders/',
  '/V1/orders',
  '/V1/ORDERS',
  '/v2/orders',
  '/V2/Orders',
  '/%761/orders',
  '/v%31/orders',
  '/v1/%6frders',
  '/%2576%31/orders',
  '/v1%2forders',
  '/v1%2Forders',
  '/%2fv1/orders',
  '//v1/orders',
  '///v1/orders',
  '/v1//orders',
  '/v1/orders//',
  '//v1//orders//',
  '/v1/./orders',
  '/x/../v1/orders',
  '/v1/public/../orders',
  '/v1/public/%2e%2e/orders',
  '/v1/public/..%2forders',
  '/v1/public/%2e%2e%2forders',
  '/v1/orders;a=b',
  '/v1;a=b/orders',
  '/v1/orders;/v1/public/info',
  '/v1/public/..;/orders',
  '/v1/orders%3ba=b',
  '/v1/orders%3b/v1/public/info',
  '/v1\\orders',
  '/v1%5corders',
  '\\v1\\orders',
  '/v1/orders%00',
  '/v1/orders%0a',
  '/v1/orders%0d',
  '/v1/orders%20',
  '/v1/orders%09',
  '/v1/orders.',
  '/v1/orders.json',
  '/v1/orders.html',
  '/v1/orders#',
  '/v1/orders#/v1/public/info',
  '/v1/orders#/info',
  '/v1/orders?',
  '/v1/orders?/v1/public/info',
  '/v1/orders%23',
  '/v1/orders%3f',
  '/v1/orders%23/v1/public/info',
  '/%',
  '/%zz',
  '/v1/%',
  '/v1/orders/%zz',
  '/v1/%ff',
  '/v1/%c0%ae',
  '/v1/orders/%c0%af',
  '/v1/orders/%e0%80%af',
  '/v1/orders/%ed%a0%80',
  'http://x/v1/orders',
  'HTTP://x/v1/orders',
  'http://x//v1/orders',
  'HTTP://x//v1/orders',
  'http://x/V1/orders',
  'http://x/v1/orders#/v1/public/info',
  'http://v1/public/info/v1/orders',
  'https://u:p@x:1/v1/orders',
  'http://x/v1/public/info@y/v1/orders',
  'v1/orders',
  '*',
  '/v1/orders/1',
  '/v1/orders/1/',
  '/V1/Orders/1',
  '/v1/orders/1#/info',
  '/v1/orders/info#x',
  '/v1/orders/info/',
  '/v1/orders/INFO',
  '/v1/orders/info%2f',
  '/v1/orders/public%2finfo',
  '/v1/orders/files/a/info#',
  '/v1/orders/files/public/info;x',
  '/v1/orders/files/..%2finfo',
  '/v1/orders/files/%2e%2e/info',
  '/v1/orders/files/a.json;x',
  '/v1/orders/files/a.json%00',
  '/v1/orders/files//a.json',
  '/v1/publicx',
  '/v1/publicx/',
  '/v1/PUBLICX',
  '/v1/public;x',
  '/v1/public%2e/info',
  '/v1/one/two/three',
  '/v1/orders/one',
  '/v1/orders/two',
  '/v1/orders/any',
  '/v1/orders/stream',
  '/v1/orders/events',
  '/v1/open/closed',
  '/v1/inherited/closed',
  '/v1/overridden',
  '/v1/overridden/closed',
  '/v1/api/auth/me',
  '/v1/api/auth/me/',
  '/V1/API/AUTH/ME',
  '/v1/api/auth/login/../me',
  '/v1/api/auth/me;/login',
  `/v1/orders/${'a/'.repeat(3000)}`,
  `/v1/orders/${'%41'.repeat(2000)}`,
];

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

interface Shape {
  name: string;
  /** What precedes every path. */
  prefix: string;
  configure?: TestAppOptions['configure'];
}
const SHAPES: Shape[] = [
  { name: 'as it comes', prefix: '' },
  { name: 'under a global prefix', prefix: '/api', configure: (nest) => nest.setGlobalPrefix('api') },
];

describe.each(Object.keys(PLATFORMS) as Platform[])('paths on %s', (platform) => {
  describe.each(SHAPES)('$name', ({ prefix, configure }) => {
    describe.each(sweepOf(Object.keys(OPEN_TO_ALL), ['no white-list', '/**/info']))(
      'white-list: %s',
      (pattern) => {
        const app = sharedTestApp({
          platform,
          controllers: SHOP,
          ...(pattern.startsWith('/') && { options: { whiteList: [pattern] } }),
          ...(configure && { configure }),
        });
        let token: string;
        beforeAll(async () => {
          token = await tokenOf(app.port, prefix);
        });

        it('opens no spelling of a protected path without a token', async () => {
          const given: string[] = [];
          const methods =
            pattern.startsWith('/') || (prefix !== '' && !IS_SWEEP) ? METHODS.slice(0, 3) : METHODS;
          for (const spelling of SPELLINGS.map((spelling) => withPrefix(spelling, prefix))) {
            await Promise.all(
              methods.map(async (method) => {
                const { status, text } = await request(app.port, spelling, { method });
                const isRefused = [400, 401, 404, 405, 414].includes(status) || mayBeOpen(method, spelling);
                if (!isRefused || status >= 500 || text.includes('    at ')) {
                  given.push(`${method} ${spelling}: ${status} ${text}`);
                }
              }),
            );
          }
          expect(given).toEqual([]);

          function mayBeOpen(method: string, spelling: string): boolean {
            const isOpened =
              OPENED_SPELLINGS[pattern]?.some((opened) => withPrefix(opened, prefix) === spelling) ?? false;
            return (
              (isOpened && method !== 'TRACE') || (method === 'OPTIONS' && platform.startsWith('express'))
            );
          }
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
  });
});

describe.each(Object.keys(PLATFORMS) as Platform[])('methods and kinds of handlers on %s', (platform) => {
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

describe.each(Object.keys(PLATFORMS) as Platform[])('URI versioning on %s', (platform) => {
  it.each(['', '/api', '/:tenant/api'])('guards under the global prefix "%s"', async (prefix) => {
    const app = await testApp({
      platform,
      controllers: SHOP,
      configure: (nest) => {
        nest.setGlobalPrefix(prefix);
        nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
      },
    });
    const base = prefix.replace(':tenant', 'acme');
    // The routes of the shop are below another version now, the core's stay where they are.
    expect((await app.request(`${base}/v1/v1/orders`)).status).toBe(401);
    expect((await app.request(`${base}/v1/health`)).status).toBe(401);
    expect((await app.request(`${base}/v1/v1/mixed`)).status).toBe(200);
    const token = await tokenOf(app.port, base);
    for (const path of ['/v1/v1/orders', '/v1/api/auth/me']) {
      expect((await app.request(base + path, { token })).status).toBe(200);
    }
  });
});

function withPrefix(target: string, prefix: string): string {
  return target.startsWith('http') || target.startsWith('HTTP')
    ? target.replace(/^(https?:\/\/[^/]*)/i, `$1${prefix}`)
    : target.startsWith('/')
      ? prefix + target
      : target;
}
