import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { Controller, Get, RequestMethod, VERSION_NEUTRAL, VersioningType } from '@nestjs/common';
import { ApplicationConfig, type HttpAdapterHost, type ModulesContainer, Reflector } from '@nestjs/core';
import { mapToExcludeRoute } from '@nestjs/core/middleware/utils.js';
import { PLATFORMS } from 'test-support';
import type { KitAuthSettings } from '../contract/settings.js';
import { type ExploredRoute, RouteExplorer } from '../route-report/route.explorer.js';
import { AntPattern } from './ant-pattern.js';
import { type FreshLogins, requiresToken, RouteRules } from './route-rules.js';

class Plain {
  @Get() get() {}
}
@Controller('v1/orders')
class OrdersController extends Plain {
  @Get(':id/info') info() {}
  @Get('health') health() {}
}
@Controller({ path: 'free', version: ['1', VERSION_NEUTRAL] })
class ListedController extends Plain {}
@Controller({ path: 'two', version: '2' })
class VersionedController extends Plain {}
@Controller({ path: '//v1/dd', version: VERSION_NEUTRAL })
class DoubleSlashController extends Plain {}
@Controller({ path: ':first/x', version: VERSION_NEUTRAL })
class ParameterController extends Plain {}
@Controller({ path: 'open', version: VERSION_NEUTRAL })
class OpenController extends Plain {}
const CONTROLLERS = [
  OrdersController,
  ListedController,
  VersionedController,
  DoubleSlashController,
  ParameterController,
  OpenController,
];

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

/** Versions in a header or in the media type change no path. */
const VERSIONINGS: Record<string, object | undefined> = {
  none: undefined,
  uri: {},
  'uri with a default list': { defaultVersion: ['1', VERSION_NEUTRAL] },
  'uri with /v': { prefix: '/v' },
  'uri with x': { prefix: 'x', defaultVersion: '1' },
};

const WHITE_LISTS = [[], ['/v1/*/info', '/**/health']];

/** Options, with an independent opinion on them: what a text, as it arrives, has to be. */
const PROTECTS: { protect: string[]; isGuarded: (path: string) => boolean }[] = [
  { protect: ['/v1/**', '/v2/**'], isGuarded: (path) => /^\/+v[12](?:\/|$)/i.test(path) },
  {
    protect: ['/**/orders/**', '/*/x', '/**/free'],
    isGuarded: (path) => /\/orders(?:\/|$)|^\/+[^/]+\/+x$|\/free$/i.test(path),
  },
];

/** Finds the route of a path. */
type Router = (path: string) => ExploredRoute | undefined;

/** The two routers, configured to take most liberties with a path. Undefined if one refuses a route. */
const ROUTERS: Record<string, (routes: readonly ExploredRoute[]) => Router | undefined> = {
  Express: (routes) => {
    const instance = PLATFORMS.express().getInstance();
    let found: ExploredRoute | undefined;
    routes.forEach((route) => instance.get(route.path, () => (found = route)));
    return (url) => {
      found = undefined;
      instance.router.handle({ method: 'GET', url, originalUrl: url }, {}, () => undefined);
      return found;
    };
  },
  Fastify: (routes) => {
    const require = createRequire(
      createRequire(import.meta.resolve('@nestjs/platform-fastify')).resolve('fastify'),
    );
    const router = require('find-my-way')({
      caseSensitive: false,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      useSemicolonDelimiter: true,
    });
    try {
      for (const route of routes) {
        if (!router.hasRoute('GET', route.path)) {
          router.on('GET', route.path, () => undefined, route);
        }
      }
    } catch {
      return undefined; // It knows neither groups nor wildcards in the middle.
    }
    return (path) => router.find('GET', path)?.store;
  },
};

/** The routes of an application, as Nest registers them, with the rules for them. */
function application(prefix: (typeof PREFIXES)[string], versioning: object | undefined, settings: object) {
  const config = new ApplicationConfig();
  if (prefix.prefix !== undefined) {
    config.setGlobalPrefix(prefix.prefix);
    const exclude = (prefix.exclude ?? []).map((path) => ({ path, method: RequestMethod.ALL }));
    config.setGlobalPrefixOptions({ exclude: mapToExcludeRoute(exclude) });
  }
  if (versioning !== undefined) {
    config.enableVersioning({ type: VersioningType.URI, ...versioning });
  }
  const controllers = new Map(CONTROLLERS.map((metatype) => [metatype, { metatype }]));
  const modules = new Map([
    ['app', { metatype: class AppModule {}, controllers, providers: new Map() }],
  ]) as unknown as ModulesContainer;
  const host = { httpAdapter: { normalizePath: (path: string) => path } } as unknown as HttpAdapterHost;
  const routes = new RouteExplorer(modules, config, host).explore();
  const rules = new RouteRules(
    new Reflector(),
    config,
    modules,
    undefined as unknown as FreshLogins,
    { optional: [], ...settings } as unknown as KitAuthSettings,
  );
  return {
    routes,
    ruleOf: ({ controller, handler, path }: ExploredRoute) => rules.ruleOf(controller, handler, path),
  };
}

/** What all applications with a prefix decide about paths, and what is wrong with that. */
function visit(router: (typeof ROUTERS)[string], prefix: (typeof PREFIXES)[string]) {
  const decisions = new Set<string>();
  const problems: string[] = [];
  for (const [versioningName, versioning] of Object.entries(VERSIONINGS)) {
    for (const { protect, isGuarded } of PROTECTS) {
      for (const whiteList of WHITE_LISTS) {
        const { routes, ruleOf } = application(prefix, versioning, { protect, whiteList });
        const find = router(routes);
        for (const text of find === undefined ? [] : prefix.texts) {
          for (const inner of INNER_PATHS) {
            const path = text + inner;
            const route = find?.(path);
            if (route === undefined) {
              continue;
            }
            const mayBeOpen =
              (!isGuarded(path) && !isGuarded(inner)) ||
              [path, inner].some((spelling) =>
                whiteList.some((pattern) => new AntPattern(pattern).matches(spelling)),
              );
            const needsToken = requiresToken(ruleOf(route), { url: path });
            const where = `${path} of ${route.path}, ${versioningName}, with [${whiteList.join()}]`;
            decisions.add(`${route.path}: ${needsToken}`);
            if (!needsToken && !mayBeOpen) {
              problems.push(`open: ${where}`);
            }
            if (needsToken && inner === '/open' && !isGuarded(path) && prefix.prefix !== '{/v1}') {
              problems.push(`closed: ${where}`);
            }
          }
        }
      }
    }
  }
  return { decisions, problems };
}

describe.each(Object.entries(ROUTERS))('what the router of %s matches', (_name, router) => {
  const visits = new Map<object, ReturnType<typeof visit>>();
  const visited = (prefix: (typeof PREFIXES)[string]) => {
    const found = visits.get(prefix) ?? visit(router, prefix);
    visits.set(prefix, found);
    return found;
  };

  it.each(Object.entries(PREFIXES))(
    'is protected if it is guarded, with the prefix %s',
    (_prefix, prefix) => {
      expect(visited(prefix).problems).toEqual([]);
    },
  );

  it('is open and protected in every versioning', () => {
    const decisions = Object.values(PREFIXES).flatMap((prefix) => [...visited(prefix).decisions]);
    for (const path of ['/open', '/api/open', '/:lang/open', '/x1/free', '/free', '/two']) {
      expect(decisions).toContain(`${path}: false`);
    }
    for (const prefix of ['', '/api', '/v1', '/x1', '/:lang']) {
      expect(decisions).toContain(`${prefix}/v1/orders: true`);
    }
  });
});

it.each([
  ['in the path', {}, '/v2/two'],
  ['in a header', { type: VersioningType.HEADER, header: 'X' }, '/two'],
  ['in the media type', { type: VersioningType.MEDIA_TYPE, key: 'v=' }, '/two'],
  ['that a function finds', { type: VersioningType.CUSTOM, extractor: () => '2' }, '/two'],
])('a route with a version %s is guarded by its path', (_where, versioning, path) => {
  const { routes, ruleOf } = application(PREFIXES['none']!, versioning, { protect: [path], whiteList: [] });
  const guarded = routes.filter((route) => ruleOf(route).decision === 'token');
  expect(guarded.map((route) => route.path)).toEqual([path]);
});
