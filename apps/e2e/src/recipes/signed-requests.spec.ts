import { beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { AuthManager, KitAuthContext, OptionalUser } from 'kit-auth';
import { documentKitAuth } from 'kit-auth/openapi';
import { type CallParts, EVERYWHERE, sharedTestApp } from 'test-support';
import { signatureOf, SignedRequestsModule } from './signed-requests.module.js';

@Controller('v1/orders')
class OrdersController {
  constructor(private readonly context: KitAuthContext) {}

  @Get()
  list() {
    const { scheme, user } = this.context.principal()!;
    return { scheme, userId: user.userId };
  }

  @Post()
  create(@Body() body: object) {
    return body;
  }

  @Get('public')
  @OptionalUser()
  public() {
    return { userId: this.context.get()?.userId ?? null };
  }
}

describe.each(EVERYWHERE)('signed requests on $platform with $provider', (where) => {
  const app = sharedTestApp({
    ...where,
    imports: [SignedRequestsModule],
    controllers: [OrdersController],
    nest: { rawBody: true },
  });
  beforeAll(() => app.user({ id: 7 }));

  interface Signed extends CallParts {
    client?: string;
    secret?: string;
    at?: number;
    scheme?: string;
  }
  const tokenFor = (target: string, { method = 'GET', json, ...how }: Signed = {}): string => {
    const { client = 'shop', secret = 'a secret that only the shop has', at = Date.now() / 1000 } = how;
    const time = String(Math.floor(at));
    const rawBody = json === undefined ? {} : { rawBody: Buffer.from(JSON.stringify(json)) };
    return `${client}:${time}:${signatureOf(secret, time, { method, url: target, ...rawBody })}`;
  };
  const header = (token: string, scheme = 'HMAC-SHA256') => `Authorization: ${scheme} ${token}`;
  const send = (target: string, how: Signed = {}) =>
    app.request(target, { ...how, headers: [header(tokenFor(target, how), how.scheme)] });

  it('are of the user of the client', async () => {
    const { status, json } = await send('/v1/orders?page=2');
    expect([status, json]).toEqual([200, { scheme: 'signed', userId: 7 }]);
    expect((await send('/v1/orders', { scheme: 'hmac-sha256' })).status).toBe(200);
    const posted = await send('/v1/orders', { method: 'POST', json: { article: 'é' } });
    expect([posted.status, posted.json]).toEqual([201, { article: 'é' }]);
    expect((await send('/v1/orders/public')).json).toEqual({ userId: 7 });
    expect((await app.request('/v1/orders/public')).json).toEqual({ userId: null });
  });

  it('are refused where they were changed, or are too old', async () => {
    const refused = { status: 401, json: { code: 40101 } };
    const json = { article: 1 };
    const token = tokenFor('/v1/orders', { method: 'POST', json });
    const post = (body: object, target = '/v1/orders') =>
      app.request(target, { method: 'POST', json: body, headers: [header(token)] });
    expect((await post(json)).status).toBe(201);
    expect(await post({ article: 2 })).toMatchObject(refused);
    expect(await post(json, '/v1/orders?again')).toMatchObject(refused);
    expect(await app.request('/v1/orders', { headers: [header(token)] })).toMatchObject(refused);
    expect(await send('/v1/orders', { at: Date.now() / 1000 - 100 })).toMatchObject(refused);
    expect(await send('/v1/orders', { secret: 'another' })).toMatchObject(refused);
    expect(await send('/v1/orders', { client: 'nobody' })).toMatchObject(refused);
    for (const junk of ['x', '::', 'shop:1', `shop:NaN:${'é'.repeat(64)}`, '__proto__:1:2']) {
      expect(await app.request('/v1/orders', { headers: [header(junk)] })).toMatchObject(refused);
    }
    expect(await send('/v1/orders/public', { secret: 'another' })).toMatchObject(refused);
  });

  it('are in documents with their scheme', () => {
    const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    const { paths, components } = documentKitAuth(document, app.nest);
    expect(paths['/v1/orders']?.get?.security).toEqual([{ bearer: [] }, { signed: [] }]);
    expect(components?.securitySchemes).toMatchObject({ signed: { type: 'http', scheme: 'hmac-sha256' } });
  });

  it('have their token after their scheme alone', async () => {
    const token = tokenFor('/v1/orders');
    expect(await app.codeOf(token, '/v1/orders')).toBe(40101);
    await expect(app.get(AuthManager).getLoginUser(token, { credentials: true })).rejects.toMatchObject({
      code: 40101,
    });
  });
});
