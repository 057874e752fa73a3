import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Param, Req } from '@nestjs/common';
import { ExternalContextCreator } from '@nestjs/core';
import {
  type KitAuthOptions,
  Public,
  RequirePermissions,
  RequireRoles,
  type RouteAccess,
  RouteAccessReport,
} from 'kit-auth';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { AllowKeys } from 'kit-auth-keys';
import { BOTH, pairsOf, sharedTestApp } from 'test-support';
import { KEY } from '../factors/app.js';
import { KeysApp } from './app.js';

/** What a key may call is a rule of `key-access.ts`. */
@Controller('v1/reports')
class ReportsController {
  constructor() {
    this.secret = { open: () => 'secret' }.open;
  }

  @Get()
  @AllowKeys()
  open() {}

  @Get('secret')
  secret() {
    return 'secret';
  }

  @Get('more')
  @RequirePermissions('user:read')
  more() {}

  @Get('role')
  @AllowKeys()
  @RequireRoles('editor')
  role() {}

  @Get('public')
  @Public()
  all() {}
}

/** Stands for a GraphQL server, which calls resolvers like this. */
@Controller('v1/graphql')
@Public()
class GraphController {
  constructor(private readonly contexts: ExternalContextCreator) {}

  @Get(':name')
  run(@Req() req: unknown, @Param('name') name: string) {
    const resolver = new Resolver();
    const handler = Reflect.get(resolver, name) as () => unknown;
    const args = [resolver, handler, name, '', undefined, undefined, undefined] as const;
    return this.contexts.create(...args, undefined, 'graphql')(undefined, {}, { req });
  }
}

class Resolver {
  plain() {}

  @RequirePermissions('note:read')
  notes() {}

  @AllowKeys()
  allowed() {}
}

const PROTECTS: Record<string, KitAuthOptions> = {
  'by path': {},
  'of what is decorated': { protect: 'decorated' },
};
const lineOf = ({ method, path }: RouteAccess) => `${method} ${path}`;

describe.each(pairsOf(BOTH, Object.keys(PROTECTS)))(
  'API keys on %s, with protection %s',
  (platform, name) => {
    const app = sharedTestApp(
      new KeysApp({
        platform,
        options: PROTECTS[name]!,
        imports: [KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'Example' })],
        controllers: [ReportsController, GraphController],
      }),
    );
    let key: string;
    let chiefs: string;
    let routes: RouteAccess[];
    beforeAll(async () => {
      const owner = await app.user({ roles: [await app.role({ code: 'editor', permissions: ['note:*'] })] });
      key = (await app.newKey(await app.tokenOf(owner), { abilities: ['note:*'] })).key;
      chiefs = (await app.newKey(await app.adminToken(), { abilities: ['*'] })).key;
      routes = app.get(RouteAccessReport).routes();
    });

    it('call what the report says', async () => {
      const isDecorated = name === 'of what is decorated';
      const open = routes.filter(({ credentials }) => credentials !== undefined);
      expect(open.map(lineOf).sort()).toEqual([
        'GET /v1/notes',
        ...(isDecorated ? [] : ['GET /v1/reports']),
        'GET /v1/reports/more',
        'POST /v1/notes',
      ]);
      const codes: Record<string, number> = {
        '/v1/notes': 200,
        '/v1/notes/own': isDecorated ? 200 : 40304,
        '/v1/reports': 200,
        '/v1/reports/secret': isDecorated ? 200 : 40304,
        '/v1/reports/more': 40304,
        '/v1/reports/role': 40304,
        '/v1/reports/public': 200,
        '/v1/graphql/plain': isDecorated ? 200 : 40304,
        '/v1/graphql/notes': 200,
        '/v1/graphql/allowed': 200,
      };
      for (const [path, code] of Object.entries(codes)) {
        expect([path, await app.codeOf(key, path)]).toEqual([path, code]);
      }
    });

    it('call no endpoint of ours, also not with the key of a super administrator', async () => {
      const ours = routes.filter(
        ({ path, decision }) => path.startsWith('/v1/api/auth/') && decision === 'token',
      );
      const codes = await Promise.all(
        ours.map(async (route) => {
          const { json } = await app.request(route.path.replace(/:\w+/g, '7'), {
            method: route.method,
            token: chiefs,
            json: {},
          });
          return [lineOf(route), json?.code as unknown];
        }),
      );
      expect(codes.filter(([, code]) => code !== 40304)).toEqual([]);
      expect(codes.length).toBeGreaterThan(25);
    });

    it('are read from the header Authorization alone', async () => {
      const path = '/v1/notes';
      const json = { token: key, access_token: key };
      for (const [target, parts] of [
        [`${path}?token=${key}&access_token=${key}`, {}],
        [path, { headers: [`Cookie: token=${key}; __Host-kit-auth=${key}`] }],
        [path, { headers: [`X-Api-Key: ${key}`] }],
        [path, { headers: [`Authorization: Basic ${key}`] }],
        [path, { method: 'POST', json }],
      ] as const) {
        expect([target, (await app.request(target, parts)).json.code]).toEqual([target, 40100]);
      }
    });
  },
);
