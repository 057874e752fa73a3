import { describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { CurrentUser, type LoginUser, Public, RequireRoles, RequireToken } from 'kit-auth';
import { KitAuthController } from 'kit-auth/feature';
import { BOTH, EVERYWHERE, sharedTestApp, type TestApp } from 'test-support';

// All patterns are in packages/kit-auth/src/routes/path-rules.spec.ts, all warnings in route-report/route-warnings.spec.ts.

@Controller('orders')
class OrdersController {
  @Get() list(@CurrentUser() user?: LoginUser) {
    return { user: user?.username ?? null };
  }
  @Get('health') @Public() health() {}
  @Get(':id') get() {}
  @Get(':id/info') info() {}
  @Get('private/token') @RequireToken() token() {}
}
@Controller('staff')
@RequireRoles('editor')
class StaffController {
  @Get() list() {}
  @Get('open') @Public() open() {}
}
@Controller('pages')
@Public()
class PagesController {
  @Get() list() {}
  @Get('own') @Public(false) own() {}
}
@Controller(':tenant/files')
class FilesController {
  @Get(':name') get() {}
}
/** Of a package that extends the core. */
@KitAuthController('keys')
class KeysController {
  @Get() list() {}
  @Get('open') @Public() open() {}
}

const controllers = [OrdersController, StaffController, PagesController, FilesController, KeysController];
const PATHS = [
  ['/orders', '/orders/health', '/orders/7', '/orders/7/info', '/orders/private/token'],
  ['/staff', '/staff/open', '/pages', '/pages/own', '/acme/files/a'],
  ['/v1/api/auth/me', '/v1/api/auth/keys', '/v1/api/auth/keys/open', '/v1/api/auth/users'],
];

async function openOf(app: TestApp, paths: readonly string[]) {
  const answers = await Promise.all(paths.map((path) => app.request(path)));
  expect(answers.filter(({ status }) => ![200, 401].includes(status))).toEqual([]);
  return paths.filter((_path, i) => answers[i]!.status === 200);
}
const allOpenOf = (app: TestApp) => Promise.all(PATHS.map((paths) => openOf(app, paths)));
const warningsOf = (app: TestApp) =>
  app.logs.ours().filter((line) => line.startsWith('warn') && !line.includes('built-in default'));

describe.each(EVERYWHERE)("protect: ['/**'] on $platform with $provider", (where) => {
  const options = { protect: ['/**'], whiteList: ['/*/info', '/orders/*/info'] };
  const app = sharedTestApp({ ...where, options, controllers, admin: true });

  it('protects every route without a decorator or a pattern that opens it', async () => {
    expect(await allOpenOf(app)).toEqual([
      ['/orders/health', '/orders/7/info'],
      ['/staff/open', '/pages'],
      ['/v1/api/auth/keys/open'],
    ]);
    expect(await openOf(app, ['/orders/7%2f8/info', '/orders/;7/info'])).toEqual([]);
    expect((await app.request('/ORDERS/7')).status).toBe(where.platform === 'express' ? 401 : 404);
    expect(warningsOf(app)).toEqual([]);
  });

  it('lets a token through, and gives the handler its user', async () => {
    const token = await app.adminToken();
    expect((await app.request('/orders', { token })).json).toEqual({ user: 'admin' });
    expect((await app.request('/acme/files/a', { token })).status).toBe(200);
    expect((await app.request('/v1/api/auth/keys', { token })).status).toBe(200);
  });
});

describe.each(BOTH)('patterns of their own on %s', (platform) => {
  const options = { protect: ['/orders/*/info', '/acme/**'] };
  const app = sharedTestApp({ platform, options, controllers, admin: true });

  it('protect what they cover and the endpoints of the packages, and nothing else', async () => {
    expect(await allOpenOf(app)).toEqual([
      ['/orders', '/orders/health', '/orders/7'],
      ['/staff/open', '/pages', '/pages/own'],
      ['/v1/api/auth/keys/open'],
    ]);
    const paths = ['/ACME/files/a', '/%61cme/files/a', '/acme;x/files/a', '/x/files/a%2fb', '/other/files/a'];
    expect(await openOf(app, paths)).toEqual(['/other/files/a']);
  });
});

describe.each(EVERYWHERE)("protect: 'decorated' on $platform with $provider", (where) => {
  const options = { protect: 'decorated', whiteList: ['/pages/own'] } as const;
  const app = sharedTestApp({ ...where, options, controllers, admin: true });

  it('protects what a decorator protects, and nothing else', async () => {
    expect(await allOpenOf(app)).toEqual([
      ['/orders', '/orders/health', '/orders/7', '/orders/7/info'],
      ['/staff/open', '/pages', '/acme/files/a'],
      ['/v1/api/auth/keys/open'],
    ]);
    expect(await openOf(app, ['/x/files/a%2fb;c'])).toHaveLength(1);
    const token = await app.adminToken();
    expect((await app.request('/orders/private/token', { token })).status).toBe(200);
  });

  it('reads no token on open routes, not even a wrong one', async () => {
    for (const token of [await app.adminToken(), 'wrong']) {
      expect((await app.request('/orders', { token })).json).toEqual({ user: null });
    }
  });
});
