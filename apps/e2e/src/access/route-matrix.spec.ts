import { describe, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  Req,
  RequestMethod,
  VERSION_NEUTRAL,
  type VersioningOptions,
  VersioningType,
} from '@nestjs/common';
import { RouteAccessReport } from 'kit-auth';
import { type Platform, testApp } from 'test-support';
import { AntPattern } from '../../../../packages/kit-auth/src/routes/ant-pattern.js';

interface AnyRequest {
  route?: { path: string };
  routeOptions?: { url: string };
}

/** Handlers that answer what the router says that it matched: by it the report is compared with reality. */
class Answering {
  @Get() get(@Req() { route, routeOptions }: AnyRequest) {
    return { route: route?.path ?? routeOptions?.url };
  }
}
@Controller('v1/orders')
class OrdersController extends Answering {
  @Get([':id/info', 'health']) info(@Req() request: AnyRequest) {
    return this.get(request);
  }
}
@Controller({ path: 'free', version: ['1', VERSION_NEUTRAL] })
class ListedController extends Answering {}
@Controller({ path: 'two', version: '2' })
class VersionedController extends Answering {}
@Controller({ path: ['//v1/dd', ':first/x', 'open'], version: VERSION_NEUTRAL })
class NeutralController extends Answering {}
const controllers = [OrdersController, ListedController, VersionedController, NeutralController];

/** What handlers are served as without the global prefix, in every versioning below. */
const INNER_PATHS = [
  ...['', '/v1', '/v2', '//v1'].flatMap((version) =>
    ['/v1/orders', '/v1/orders/7/info', '/v1/orders/health', '/free', '/two'].map((path) => version + path),
  ),
  '//v1/dd',
  '/v1/dd',
  '/v1/x',
  '/en/x',
  '/open',
];
const WHITE_LIST = ['/v1/*/info', '/**/health'];

interface Case {
  platform: Platform;
  prefix: string;
  /** What the prefix matches. */
  texts: string[];
  exclude?: string[];
  versioning?: Partial<VersioningOptions>;
  protect?: string[];
}

const uri = { type: VersioningType.URI as const };
const listed = { ...uri, defaultVersion: ['1', VERSION_NEUTRAL] as ['1', typeof VERSION_NEUTRAL] };
const api = { prefix: 'api', exclude: ['v1/orders', 'open', 'v1/orders/:id/info'], texts: ['', '/api'] };
const protect = ['/**/orders/**', '/*/x', '/**/free'];

// packages/kit-auth/src/routes/route-matrix.spec.ts has all prefixes in all versionings.
const CASES: Case[] = [
  { platform: 'express', ...api, versioning: listed },
  { platform: 'express', prefix: '{/:lang}', texts: ['', '/en', '/v1'], protect },
  { platform: 'express with strict routing', prefix: '*any/api', texts: ['/a/b/api', '/v1/b/api'] },
  { platform: 'fastify', prefix: ':lang', texts: ['/en', '/v1'], versioning: listed },
  { platform: 'fastify with loose routing', ...api, protect },
  { platform: 'fastify with loose routing', prefix: 'x-:lang', texts: ['/x-en'], versioning: uri },
];

/** An independent opinion on the options: what a text, as it arrives, has to be. */
const isGuarded = (path: string, protect?: string[]) =>
  (protect === undefined ? /^\/+v[12](?:\/|$)/i : /\/orders(?:\/|$)|^\/+[^/]+\/+x$|\/free$/i).test(path);
const isWhiteListed = (path: string) => WHITE_LIST.some((pattern) => new AntPattern(pattern).matches(path));

describe('the routes of an application', () => {
  it.each(CASES)(
    'on $platform with the prefix "$prefix": nothing guarded is open, and the report says so',
    async ({ platform, prefix, texts, exclude, versioning, protect }) => {
      const app = await testApp({
        platform,
        configure: (nest) => {
          nest.setGlobalPrefix(prefix, {
            exclude: (exclude ?? []).map((path) => ({ path, method: RequestMethod.ALL })),
          });
          if (versioning !== undefined) {
            nest.enableVersioning(versioning as VersioningOptions);
          }
        },
        options: { whiteList: WHITE_LIST, ...(protect && { protect }) },
        controllers,
      });
      const answered = new Set<string>();
      const [open, closed]: [string[], string[]] = [[], []];
      const paths = texts.flatMap((text) => INNER_PATHS.map((inner) => [text + inner, inner] as const));
      await Promise.all(
        paths.map(async ([path, inner]) => {
          const { status, json } = await app.request(path);
          expect([200, 401, 404]).toContain(status);
          if (status === 200) {
            answered.add(json.route);
          }
          const spellings = [path, inner];
          const mustBeClosed =
            spellings.some((it) => isGuarded(it, protect)) && !spellings.some(isWhiteListed);
          if (status === 200 && mustBeClosed) {
            open.push(path);
          }
          if (status === 401 && inner === '/open' && !isGuarded(path, protect)) {
            closed.push(path);
          }
        }),
      );
      expect({ open, closed }).toEqual({ open: [], closed: [] });
      expect(answered.size).toBeGreaterThan(0);
      const openByReport = app
        .get(RouteAccessReport)
        .routes()
        .filter(({ decision }) => decision !== 'token');
      expect(openByReport.map(({ path }) => path)).toEqual(expect.arrayContaining([...answered]));
    },
  );
});
