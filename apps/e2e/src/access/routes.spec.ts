import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Post, Version, VersioningType, VERSION_NEUTRAL } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { bearer, BOTH, testApp } from 'test-support';
import { RouteExplorer } from '../../../../packages/kit-auth/src/route-report/route.explorer.js';

class Answering {
  @Get() get() {
    return 'here';
  }
}
@Controller('orders')
class OrdersController extends Answering {}
@Module({ controllers: [OrdersController] })
class OrdersModule {}
@Controller(['v1/both', 'both'])
class BothController {
  @Get(['a', 'b']) get() {
    return 'both';
  }
}
@Controller({ path: 'v1/host', host: 'localhost' })
class HostController extends Answering {}
@Controller({ path: ':first/x', version: VERSION_NEUTRAL })
class AnythingController extends Answering {}

describe.each(BOTH)('routes on %s', (platform) => {
  it('are judged by their path, below one of RouterModule, with several, and for a host', async () => {
    const app = await testApp({
      platform,
      imports: [OrdersModule, RouterModule.register([{ path: 'v1', module: OrdersModule }])],
      controllers: [BothController, HostController, AnythingController],
      options: { whiteList: ['/v1/both/b', '/v2/x'] },
    });
    const statuses = async (paths: string[], ...headers: string[]) =>
      Promise.all(paths.map(async (path) => (await app.request(path, { headers })).status));
    const closed = ['/v1/orders', '/v1/host', '/v1/both/a', '/v1/x', '/V1/x', '/%761/x', '/v1;a/x'];
    const open = ['/v1/both/b', '/both/a', '/both/b', '/v2/x', '/v3/x', '/health/x'];
    expect(await statuses(closed)).toEqual(closed.map(() => 401));
    expect(await statuses(closed, bearer(await app.adminToken()))).toEqual(closed.map(() => 200));
    expect(await statuses(open)).toEqual(open.map(() => 200));
  });

  it('have the same paths in the router and in the report', async () => {
    const onFastify: string[] = [];
    @Controller(['v1/a', 'v1/b/'])
    class ManyController {
      @Get(['', 'x/:id']) get() {}
      @Post('/y//') post() {}
    }
    @Controller({ path: 'c', version: ['1', VERSION_NEUTRAL] })
    class VersionedController extends Answering {
      @Get('three') @Version('3') three() {}
    }
    const app = await testApp({
      platform,
      controllers: [ManyController, VersionedController],
      configure: (nest) => {
        const instance = nest.getHttpAdapter().getInstance();
        instance.addHook?.('onRoute', ({ url }: { url: string }) => onFastify.push(url));
        nest.setGlobalPrefix('/api/');
        nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' });
      },
    });
    const instance = app.nest.getHttpAdapter().getInstance();
    const onExpress = () => instance.router.stack.flatMap(({ route }: any) => route?.path ?? []);
    const registered = new Set(platform === 'express' ? onExpress() : onFastify);
    expect(registered.size).toBe(16);
    expect(registered).toContain('/api/v1/api/auth/me'); // the default version is not for endpoints of packages
    const explored = app.get(RouteExplorer).explore();
    expect(new Set(explored.map(({ path }) => path))).toEqual(registered);
  });
});
