import { describe, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  Header,
  Module,
  Post,
  Version,
  VersioningType,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { Public } from 'kit-auth';
import { bearer, BOTH, type TestApp, testApp, type TestAppOptions, tokenOf } from 'test-support';
import { RouteExplorer } from '../../../../packages/kit-auth/src/route-report/route.explorer.js';

describe.each(BOTH)('routes on %s', (platform) => {
  let app: TestApp;
  const boot = async (options: TestAppOptions) => {
    app = await testApp({ platform, ...options });
  };
  const statusOf = async (path: string, ...headers: string[]) =>
    (await app.request(path, { headers })).status;

  it('below a path of RouterModule are judged with it', async () => {
    @Controller('orders')
    class OrdersController {
      @Get()
      list() {
        return 'orders';
      }
    }
    @Module({ controllers: [OrdersController] })
    class OrdersModule {}
    const routes = RouterModule.register([{ path: 'v1', module: OrdersModule }]);
    await boot({ imports: [OrdersModule, routes] });
    expect(await statusOf('/v1/orders')).toBe(401);
    expect(await statusOf('/v1/orders', bearer(await app.adminToken()))).toBe(200);
  });

  it('that are excluded from the prefix are judged as they are', async () => {
    @Controller()
    class MixedController {
      @Get('v1/inside')
      inside() {
        return 'inside';
      }
      @Get('v1/excluded')
      excluded() {
        return 'excluded';
      }
      @Get('health')
      health() {
        return 'ok';
      }
    }
    await boot({
      controllers: [MixedController],
      configure: (nest) => nest.setGlobalPrefix('api', { exclude: ['v1/excluded', 'health'] }),
    });
    expect(await statusOf('/api/v1/inside')).toBe(401);
    expect(await statusOf('/v1/excluded')).toBe(401);
    expect(await statusOf('/health')).toBe(200);
    const header = bearer(await tokenOf(app.port, '/api'));
    expect(await statusOf('/api/v1/inside', header)).toBe(200);
    expect(await statusOf('/v1/excluded', header)).toBe(200);
  });

  it('with versions are judged by what their version makes of them', async () => {
    @Controller({ path: 'orders', version: ['1', '2', '3'] })
    class OrdersController {
      @Get()
      list() {
        return 'orders';
      }
      @Public()
      @Get('open')
      open() {
        return 'open';
      }
      @Version('3')
      @Get('three')
      three() {
        return 'three';
      }
    }
    @Controller({ path: 'v1/neutral', version: VERSION_NEUTRAL })
    class NeutralController {
      @Get()
      get() {
        return 'neutral';
      }
    }
    await boot({
      controllers: [OrdersController, NeutralController],
      configure: (nest) => nest.enableVersioning({ type: VersioningType.URI }),
    });
    expect(
      await Promise.all(['/v1/orders', '/v2/orders', '/v3/orders'].map((path) => statusOf(path))),
    ).toEqual([401, 401, 200]);
    expect(await statusOf('/v1/orders/open')).toBe(200);
    expect(await statusOf('/v3/orders/three')).toBe(200);
    expect(await statusOf('/v1/neutral')).toBe(401);
  });

  it.each([
    ['a header', { type: VersioningType.HEADER as const, header: 'X-Version' }, 'X-Version: 7'],
    [
      'the media type',
      { type: VersioningType.MEDIA_TYPE as const, key: 'v=' },
      'Accept: application/json;v=7',
    ],
  ])('versioned by %s are judged by their path', async (_name, options, header) => {
    @Controller({ path: 'v1/orders', version: '7' })
    class OrdersController {
      @Get()
      list() {
        return 'orders';
      }
    }
    await boot({ controllers: [OrdersController], configure: (nest) => nest.enableVersioning(options) });
    expect(await statusOf('/v1/orders', header)).toBe(401);
    const token = await app.adminToken();
    expect(await statusOf('/v1/orders', header, bearer(token))).toBe(200);
    expect(await statusOf('/v1/api/auth/me', bearer(token))).toBe(200);
  });

  it('with several paths are judged one by one', async () => {
    @Controller(['v1/both', 'both'])
    class BothController {
      @Get(['a', 'b'])
      get() {
        return 'both';
      }
    }
    await boot({ controllers: [BothController], options: { whiteList: ['/v1/both/b'] } });
    const paths = ['/v1/both/a', '/v1/both/b', '/both/a', '/both/b'];
    expect(await Promise.all(paths.map((path) => statusOf(path)))).toEqual([401, 200, 200, 200]);
  });

  it('with parameters in front are judged by the request', async () => {
    @Controller(':first')
    class AnythingController {
      @Get('x')
      get() {
        return 'anything';
      }
    }
    await boot({ controllers: [AnythingController], options: { whiteList: ['/v2/x'] } });
    const paths = ['/v1/x', '/v2/x', '/V1/x', '/%761/x', '/v3/x', '/health/x', '/v1;a/x', '/%2fv1/x'];
    expect(await Promise.all(paths.map((path) => statusOf(path)))).toEqual([
      401, 200, 401, 401, 200, 200, 401, 401,
    ]);
  });

  it('for other hosts are judged as well', async () => {
    @Controller({ path: 'v1/host', host: 'localhost' })
    class HostController {
      @Get()
      get() {
        return 'host';
      }
    }
    await boot({ controllers: [HostController] });
    expect(await statusOf('/v1/host')).toBe(401);
    expect(await statusOf('/v1/host', bearer(await app.adminToken()))).toBe(200);
  });

  it('have the same paths in the router and in the report', async () => {
    const onFastify: string[] = [];
    @Controller(['v1/a', 'v1/b/'])
    class ManyController {
      @Get(['', 'x/:id'])
      get() {
        return 1;
      }
      @Post('/y//')
      @Header('X', 'y')
      post() {
        return 1;
      }
    }
    @Controller({ path: 'c', version: ['1', VERSION_NEUTRAL] })
    class VersionedController {
      @Get()
      get() {
        return 1;
      }
    }
    await boot({
      controllers: [ManyController, VersionedController],
      configure: (nest) => {
        nest
          .getHttpAdapter()
          .getInstance()
          .addHook?.('onRoute', ({ url }: { url: string }) => onFastify.push(url));
        nest.setGlobalPrefix('/api/');
        nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' });
      },
    });
    const instance = app.nest.getHttpAdapter().getInstance();
    const onExpress = () => instance.router.stack.flatMap(({ route }: any) => route?.path ?? []);
    const registered = new Set(platform === 'express' ? onExpress() : onFastify);
    expect(registered.size).toBe(15);
    expect(registered).toContain('/api/v1/api/auth/me'); // the default version is not for endpoints of packages
    expect(
      new Set(
        app
          .get(RouteExplorer)
          .explore()
          .map(({ path }) => path),
      ),
    ).toEqual(registered);
  });
});
