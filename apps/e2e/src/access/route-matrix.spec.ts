import { describe, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  type INestApplication,
  Req,
  RequestMethod,
  VERSION_NEUTRAL,
  type VersioningOptions,
  VersioningType,
} from '@nestjs/common';
import { RouteAccessReport } from 'kit-auth';
import { IS_SWEEP, type Platform, TestApp } from 'test-support';
import { AntPattern } from '../../../../packages/kit-auth/src/routes/ant-pattern.js';

interface AnyRequest {
  route?: { path: string };
  routeOptions?: { url: string };
}

/** What the router says that it matched: by it the report is compared with reality. */
const registeredPathOf = ({ route, routeOptions }: AnyRequest) => route?.path ?? routeOptions?.url;

@Controller('v1/orders')
class OrdersController {
  @Get()
  list(@Req() request: AnyRequest) {
    return { route: registeredPathOf(request) };
  }
  @Get(':id/info')
  info(@Req() request: AnyRequest) {
    return { route: registeredPathOf(request) };
  }
  @Get('health')
  health(@Req() request: AnyRequest) {
    return { route: registeredPathOf(request) };
  }
}
@Controller({ path: 'free', version: ['1', VERSION_NEUTRAL] })
class ListedController {
  @Get()
  get(@Req() request: AnyRequest) {
    return { route: registeredPathOf(request) };
  }
}
@Controller({ path: 'two', version: '2' })
class VersionedController {
  @Get()
  get(@Req() request: AnyRequest) {
    return { route: registeredPathOf(request) };
  }
}
@Controller({ path: '//v1/dd', version: VERSION_NEUTRAL })
class DoubleSlashController {
  @Get()
  get(@Req() request: AnyRequest) {
    return { route: registeredPathOf(request) };
  }
}
@Controller({ path: ':first/x', version: VERSION_NEUTRAL })
class ParameterController {
  @Get()
  get(@Req() request: AnyRequest) {
    return { route: registeredPathOf(request) };
  }
}
@Controller({ path: 'open', version: VERSION_NEUTRAL })
class OpenController {
  @Get()
  get(@Req() request: AnyRequest) {
    return { route: registeredPathOf(request) };
  }
}

/** What handlers are served as without the global prefix, in every versioning below. */
const INNER_PATHS = [
  ...['', '/v1', '/v2', '//v1', '/x1'].flatMap((version) =>
    ['/v1/orders', '/v1/orders/7/info', '/v1/orders/health', '/free', '/two'].map((path) => version + path),
  ),
  '//v1/dd',
  '/v1/dd',
  '/v1/x',
  '/en/x',
  '/open',
];

/** A global prefix with texts that it matches. */
const PREFIXES: Record<string, { prefix?: string; exclude?: string[]; texts: string[] }> = {
  none: { texts: [''] },
  fixed: { prefix: 'api', texts: ['/api', '/API'] },
  'fixed with slashes': { prefix: '/api/', texts: ['/api'] },
  'fixed in two segments': { prefix: 'en/api', texts: ['/en/api'] },
  guarded: { prefix: 'v1', texts: ['/v1'] },
  'fixed with exclusions': {
    prefix: 'api',
    exclude: ['v1/orders', 'open', 'v1/orders/:id/info'],
    texts: ['', '/api'],
  },
  parameter: { prefix: ':lang', texts: ['/en', '/v1'] },
  'parameter and text': { prefix: ':lang/api', texts: ['/en/api', '/v1/api'] },
  'part of a segment': { prefix: 'x-:lang', texts: ['/x-en'] },
  optional: { prefix: '{/:lang}', texts: ['', '/en', '/v1'] },
  'optional, then text': { prefix: '{/:lang}/api', texts: ['/api', '/en/api', '/v1/api'] },
  'optional inside': { prefix: '{:lang/}api', texts: ['/api', '/en/api', '/v1/api'] },
  'optional text': { prefix: '{/v1}', texts: ['', '/v1'] },
  wildcard: { prefix: '*any/api', texts: ['/en/api', '/a/b/api', '/v1/b/api'] },
  'optional wildcard': { prefix: '{*any/}api', texts: ['/api', '/a/b/api'] },
  'optional with exclusions': { prefix: '{/:lang}', exclude: ['v1/orders', 'open'], texts: ['', '/en'] },
};

const VERSIONINGS: Record<string, { options?: VersioningOptions; headers?: string[] }> = {
  none: {},
  uri: { options: { type: VersioningType.URI } },
  'uri with a default list': {
    options: { type: VersioningType.URI, defaultVersion: ['1', VERSION_NEUTRAL] },
  },
  'uri with /v': { options: { type: VersioningType.URI, prefix: '/v' } },
  'uri with x': { options: { type: VersioningType.URI, prefix: 'x', defaultVersion: '1' } },
  header: {
    options: { type: VersioningType.HEADER, header: 'X-Version', defaultVersion: '2' },
    headers: ['X-Version: 2'],
  },
  'media type': {
    options: { type: VersioningType.MEDIA_TYPE, key: 'v=', defaultVersion: VERSION_NEUTRAL },
    headers: ['Accept: application/json;v=2'],
  },
};

const WHITE_LISTS = [[], ['/v1/*/info', '/**/health']];

/** Options, with an independent opinion on them: what a text, as it arrives, has to be. */
const PROTECTS: { protect?: string[]; isGuarded: (path: string) => boolean }[] = [
  { isGuarded: (path) => /^\/+v[12](?:\/|$)/i.test(decodeURIComponent(path)) },
  {
    protect: ['/**/orders/**', '/*/x', '/**/free'],
    isGuarded: (path) => /\/orders(?:\/|$)|^\/+[^/]+\/+x$|\/free$/i.test(decodeURIComponent(path)),
  },
];

/** All combinations for the two that take most liberties with a path. */
const ROUTERS: { platform: Platform; versionings: string[] }[] = [
  { platform: 'express', versionings: Object.keys(VERSIONINGS) },
  { platform: 'express with strict routing', versionings: ['none', 'uri with a default list'] },
  { platform: 'fastify', versionings: ['none', 'uri with a default list'] },
  { platform: 'fastify with loose routing', versionings: Object.keys(VERSIONINGS) },
];

/** Outside of a sweep, each prefix meets one versioning: always another one. */
const isTried = (prefix: number, versioning: number, { length }: readonly unknown[]) =>
  IS_SWEEP || versioning === prefix % length;

const isWhiteListed = (path: string, whiteList: readonly string[]) =>
  whiteList.some((pattern) => new AntPattern(pattern).matches(path));

describe.each(ROUTERS)('on $platform', ({ platform, versionings }) => {
  const combinations = Object.entries(PREFIXES).flatMap(([prefixName, prefix], p) =>
    versionings
      .map((versioningName, i) => ({
        name: `prefix ${prefixName}, versioning ${versioningName}`,
        prefix,
        versioning: VERSIONINGS[versioningName] ?? {},
        whiteList: WHITE_LISTS[i % WHITE_LISTS.length] ?? [],
        ...((p + i) % 3 === 2 ? PROTECTS[1]! : PROTECTS[0]!),
      }))
      .filter((_, i) => isTried(p, i, versionings)),
  );

  it.each(combinations)('$name: nothing guarded is open, and the report says so', async (combination) => {
    const { prefix, versioning, whiteList, protect, isGuarded } = combination;
    const configure = (nest: INestApplication) => {
      if (prefix.prefix !== undefined) {
        const exclude = prefix.exclude?.map((path) => ({ path, method: RequestMethod.ALL }));
        nest.setGlobalPrefix(prefix.prefix, exclude && { exclude });
      }
      if (versioning.options !== undefined) {
        nest.enableVersioning(versioning.options);
      }
    };
    const app = new TestApp({
      platform,
      configure,
      options: { whiteList, ...(protect && { protect }) },
      controllers: [
        OrdersController,
        ListedController,
        VersionedController,
        DoubleSlashController,
        ParameterController,
        OpenController,
      ],
    });
    try {
      await app.start();
    } catch (error) {
      // Fastify's router knows neither groups nor wildcards in the middle.
      expect(platform).toMatch(/^fastify/);
      expect(prefix.prefix).toMatch(/[{*]/);
      expect(String(error)).not.toContain('[auth]');
      return;
    }
    const report = app.get(RouteAccessReport).routes();
    const answered = new Set<string>();
    const open: string[] = [];
    const closed: string[] = [];
    const paths = prefix.texts.flatMap((text) => INNER_PATHS.map((inner) => ({ text, inner })));
    await Promise.all(
      paths.map(async ({ text, inner }) => {
        const path = text + inner;
        const { status, json } = await app.request(path, { headers: versioning.headers ?? [] });
        const mayBeOpen =
          (!isGuarded(path) && !isGuarded(inner)) ||
          [path, inner].some((spelling) => isWhiteListed(spelling, whiteList));
        if (status === 200 && !mayBeOpen) {
          open.push(path);
        }
        if (status === 200) {
          answered.add(json.route);
        }
        if (status === 401 && inner === '/open' && !isGuarded(path) && prefix.prefix !== '{/v1}') {
          closed.push(path);
        }
        expect([200, 401, 404]).toContain(status);
      }),
    );
    expect({ open, closed }).toEqual({ open: [], closed: [] });
    const openByReport = report.filter(({ decision }) => decision !== 'token').map(({ path }) => path);
    expect(openByReport).toEqual(expect.arrayContaining([...answered]));
  });
});
