import { describe, expect, it } from '@jest/globals';
import { All, Controller, Get, Head, type MessageEvent, Post, Sse, StreamableFile } from '@nestjs/common';
import { Public } from 'kit-auth';
import { from, type Observable } from 'rxjs';
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

/** What no answer to a request without a token may hold. */
const SECRET = 'order 4711';

class Answering {
  @Get() get() {
    return SECRET;
  }
}
@Controller('v1')
class RootController extends Answering {}
@Controller('v1/orders')
class OrdersController extends Answering {
  @Post() create() {
    return SECRET;
  }
  @Sse('events') events(): Observable<MessageEvent> {
    return from([{ data: SECRET }]);
  }
  @Get('stream') stream() {
    return new StreamableFile(Buffer.from(SECRET));
  }
  @All('any') any() {
    return SECRET;
  }
  @Head('head') head() {}
  @Get(['info', 'export.json', 'one', 'two', 'files/*', ':id']) several() {
    return SECRET;
  }
}
@Controller('v1/publicx')
class AlmostPublicController extends Answering {}
@Controller('v2/orders')
class OrdersV2Controller extends Answering {}
@Controller(['v10/x', 'health', 'v1/public/info'])
class OutsideController {
  @Get() get() {
    return 'open';
  }
}
@Controller('v1/mixed')
class MixedController extends Answering {
  @Public() @Get() override get() {
    return 'open';
  }
  @Post() write() {
    return SECRET;
  }
}
@Public()
@Controller('v1/open')
class OpenController {
  @Get() get() {
    return 'open';
  }
  @Public(false) @Get('closed') closed() {
    return SECRET;
  }
}
@Controller('v1/inherited')
class InheritedController extends OpenController {}
@Controller('v1/overridden')
class OverridingController extends OpenController {
  @Public(false) @Get() override get() {
    return SECRET;
  }
}
const controllers = [
  RootController,
  OrdersController,
  AlmostPublicController,
  OrdersV2Controller,
  OutsideController,
  MixedController,
  OpenController,
  InheritedController,
  OverridingController,
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE'];
/** Of the same route, where the router sees it so. Every other spelling stays closed. */
const OPENED = ['/v1/orders/info/', '/v1/orders/INFO'];

// packages/kit-auth/src/routes/spellings.spec.ts has all white-lists and prefixes. Here, the router matches.
const CASES = (Object.keys(PLATFORMS) as Platform[]).flatMap((platform) =>
  ['', '/api'].map((prefix) => ({ platform, prefix })),
);
const isTried = ({ platform, prefix }: (typeof CASES)[number]) =>
  (prefix === '') === ['express', 'fastify with loose routing'].includes(platform);

describe.each(sweepOf(CASES, CASES.filter(isTried)))(
  'paths on $platform with the prefix "$prefix"',
  ({ platform, prefix }) => {
    const app = sharedTestApp({
      platform,
      controllers,
      options: { whiteList: ['/**/info'] },
      ...(prefix !== '' && { configure: (nest) => nest.setGlobalPrefix(prefix) }),
    });

    it('opens no spelling of a protected path without a token', async () => {
      const given: string[] = [];
      const ask = async (method: string, spelling: string) => {
        const target = withPrefix(spelling, prefix);
        const { status, text } = await request(app.port, target, { method });
        const isOpened = OPENED.includes(spelling) && method !== 'TRACE';
        const mayBeOpen = isOpened || (method === 'OPTIONS' && platform.startsWith('express'));
        const isRefused = [400, 401, 404, 405, 414].includes(status) || mayBeOpen;
        if (!isRefused || status >= 500 || text.includes('    at ')) {
          given.push(`${method} ${target}: ${status} ${text}`);
        }
      };
      await Promise.all(SPELLINGS.map((spelling) => ask('GET', spelling)));
      const few = ['/v1/orders', '/V1/ORDERS/', '//v1/orders', '/v1/orders/info#x'];
      for (const spelling of sweepOf(SPELLINGS, few)) {
        await Promise.all(METHODS.map((method) => ask(method, spelling)));
      }
      expect(given).toEqual([]);
    });

    it('opens what the white-list names and what is elsewhere, and the rest with a token', async () => {
      const open = ['/v1/public/info', '/v1/orders/info', '/v10/x', '/health', '/v1/mixed', '/v1/inherited'];
      for (const path of open) {
        expect([path, (await app.request(prefix + path)).status]).toEqual([path, 200]);
      }
      const token = await tokenOf(app.port, prefix);
      for (const path of ['/v1', '/v1/orders/1', '/v2/orders', '/v1/publicx', '/v1/overridden']) {
        expect([path, (await app.request(prefix + path, { token })).text]).toEqual([path, SECRET]);
      }
    });
  },
);

describe.each(BOTH)('methods and kinds of handlers on %s', (platform) => {
  const app = sharedTestApp({ platform, controllers });

  it.each([
    ['GET', ['/v1/orders/stream', '/v1/orders/one', '/v1/orders/files/a/b', '/v1/inherited/closed']],
    ['POST', ['/v1/orders', '/v1/orders/any', '/v1/mixed']],
    ['DELETE', ['/v1/orders/any']],
    ['HEAD', ['/v1/orders', '/v1/orders/head', '/v1/orders/any']],
  ])('%s %j needs a token, and works with it', async (method, paths) => {
    const token = await app.adminToken();
    for (const path of paths) {
      expect([path, (await app.request(path, { method })).status]).toEqual([path, 401]);
      const { text, status } = await app.request(path, { method, token });
      expect([path, method === 'HEAD' ? status : text]).toEqual([path, method === 'HEAD' ? 200 : SECRET]);
    }
  });

  it('server-sent events need a token, and work with it', async () => {
    expect(await app.codeOf(undefined, '/v1/orders/events')).toBe(40100);
    const events = requestOf('/v1/orders/events', { headers: [bearer(await app.adminToken())] });
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
    'X-Middleware-Subrequest: middleware',
  ])('%s changes nothing', async (header) => {
    expect((await app.request('/v1/orders', { headers: [header] })).status).toBe(401);
    expect((await app.request('/v1/mixed', { method: 'POST', headers: [header] })).status).toBe(401);
  });
});
