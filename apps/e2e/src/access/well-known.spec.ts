import { describe, expect, it } from '@jest/globals';
import { type INestApplication, Controller, Get, VersioningType } from '@nestjs/common';
import { RouteAccessReport } from 'kit-auth';
import { WellKnownController } from 'kit-auth/feature';
import { BOTH, TestApp, testApp, type TestAppOptions } from 'test-support';
import { RouteExplorer } from '../../../../packages/kit-auth/src/route-report/route.explorer.js';

@WellKnownController('shop.json')
class ShopController {
  @Get(['', 'deep']) about() {
    return { shop: 'open' };
  }
}
@Controller('.well-known')
class OwnController {
  @Get('own') own() {}
}
const controllers = [ShopController, OwnController];

describe.each(BOTH)('an endpoint under /.well-known on %s', (platform) => {
  const start = (configure: (nest: INestApplication) => void, more: TestAppOptions = {}) =>
    testApp({ platform, controllers, configure, ...more });

  it.each<[string, (nest: INestApplication) => void]>([
    ['no global prefix', () => undefined],
    ['a global prefix', (nest) => nest.setGlobalPrefix('api')],
    ['a global prefix with exclusions', (nest) => nest.setGlobalPrefix('api', { exclude: ['health'] })],
    [
      'a global prefix and versions in paths',
      (nest) =>
        nest.setGlobalPrefix('api').enableVersioning({ type: VersioningType.URI, defaultVersion: '2' }),
    ],
  ])('has its path with %s, and is open', async (_name, configure) => {
    const app = await start(configure, { options: { protect: ['/**'] } });
    for (const path of ['/.well-known/shop.json', '/.well-known/shop.json/deep']) {
      expect(await app.request(path)).toMatchObject({ status: 200, json: { shop: 'open' } });
      const routes = app.get(RouteAccessReport).routes();
      expect(routes.find((route) => route.path === path)?.decision).toBe('open by @Public');
    }
  });

  it('has its path also where no route is registered, as in commands', async () => {
    const configure = (nest: INestApplication) => nest.setGlobalPrefix('api');
    const app = await new TestApp({ platform, controllers, configure }).create();
    const paths = app.get(RouteExplorer).explore();
    expect(paths.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/.well-known/shop.json', '/api/.well-known/own']),
    );
  });

  it('leaves other endpoints below the prefix', async () => {
    const app = await start((nest) => nest.setGlobalPrefix('api'));
    const paths = ['/api/.well-known/own', '/.well-known/own', '/api/.well-known/shop.json'];
    const answers = await Promise.all(paths.map((path) => app.request(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404]);
  });

  it('answers 404 while kit.auth.enabled is false', async () => {
    const app = await start(() => undefined, { options: { enabled: false } });
    expect((await app.request('/.well-known/shop.json')).status).toBe(404);
  });
});
