import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { RequirePermissions, RequireRoles } from 'kit-auth';
import { documentKitAuth } from 'kit-auth/openapi';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { type Answer, freezeDate, sharedTestApp } from 'test-support';
import { codeOf, type Enrolment, FactorsApp, wrongCodeOf } from './app.js';

interface ObjectSchema {
  properties: Record<string, object>;
  required?: string[];
}

interface Content {
  content?: { 'application/json': { schema: ObjectSchema & { items?: ObjectSchema } } };
}

interface Described {
  operationId: string;
  security: object[];
  requestBody?: Content;
  responses: Record<string, Content & { description: string }>;
}

@Controller('v1/reports')
class ReportsController {
  @Get()
  @RequirePermissions('report:read')
  list() {}

  @Get('own')
  own() {}

  @Get('all')
  @RequireRoles('auditor')
  all() {}
}

describe('the OpenAPI document of an application with second factors and API keys', () => {
  const app = sharedTestApp(
    new FactorsApp({
      imports: [KitAuthKeysModule, KitAuthRefreshModule],
      controllers: [ReportsController],
    }),
  );

  function documentOf() {
    const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    return documentKitAuth(document, app.nest);
  }

  function operation(name: string): Described {
    const [method, path] = name.split(' ') as [string, string];
    const ours = path.startsWith('/') ? path : `/v1/api/auth/${path}`;
    return (documentOf().paths[ours] as unknown as Record<string, Described>)[method.toLowerCase()]!;
  }

  /** That an answer is as it is described: no member is missing, and none is new. */
  function expectDescribed(name: string, { status, json }: Answer): void {
    const response = operation(name).responses[status]!;
    const schema = response.content?.['application/json'].schema;
    if (status >= 400) {
      expect(response.description).toContain(String(json.code));
    }
    for (const [value, described] of Array.isArray(json)
      ? json.map((item) => [item, schema?.items] as const)
      : [[json, schema] as const]) {
      const known = Object.keys(described?.properties ?? {});
      expect(Object.keys(value ?? {}).filter((member) => !known.includes(member))).toEqual([]);
      expect(Object.keys(value ?? {})).toEqual(expect.arrayContaining(described?.required ?? []));
    }
  }

  it('describes every endpoint', () => {
    const ours = Object.entries(documentOf().paths)
      .filter(([path]) => path.startsWith('/v1/api/auth/'))
      .flatMap(([, item]) => Object.values(item) as unknown as Described[]);
    expect(ours.map(({ operationId }) => operationId).filter((id) => !/^kitAuth[A-Z]/.test(id))).toEqual([]);
    expect(new Set(ours.map(({ operationId }) => operationId)).size).toBe(ours.length);
  });

  it('says which routes a key may call', () => {
    const [bearer, key] = [{ bearer: [] }, { 'api-key': [] }];
    expect(operation('GET /v1/reports').security).toEqual([bearer, key]);
    for (const closed of ['GET /v1/reports/own', 'GET /v1/reports/all', 'GET me', 'POST keys', 'GET users']) {
      expect([closed, operation(closed).security]).toEqual([closed, [bearer]]);
    }
    expect(operation('POST login/factor').security).toEqual([]);
  });

  it('has the second factor in the endpoints of the core', () => {
    const { requestBody, responses } = operation('POST fresh');
    const { properties, required } = requestBody!.content!['application/json'].schema;
    expect([Object.keys(properties), required]).toEqual([['password', 'factor', 'code'], undefined]);
    expect(responses['401']!.description).toContain('40111 USER_DISABLED, 40113 FACTOR_FAILED');
    const { 401: failed } = operation('POST login').responses;
    expect(failed!.description).toBe('40110 LOGIN_FAILED, 40111 USER_DISABLED, 40112 SECOND_FACTOR_REQUIRED');
    expect(Object.keys(failed!.content!['application/json'].schema.properties)).toEqual(
      expect.arrayContaining(['challenge', 'factors', 'expiresAt']),
    );
  });

  describe('is true of', () => {
    let token: string;
    let enrolment: Enrolment;
    beforeAll(async () => {
      freezeDate();
      await app.role({ code: 'reader', permissions: ['report:read'] });
      token = await app.tokenOf(await app.user({ username: 'ada', roles: ['reader'] }));
    });
    afterAll(() => void jest.useRealTimers());

    it('second factors and logins with them', async () => {
      const added = await app.call(token, 'POST', 'factors/totp', { name: 'Phone' });
      expectDescribed('POST factors/totp', added);
      const wrong = await app.confirm(token, added.json, wrongCodeOf(added.json));
      expectDescribed('POST factors/totp/{id}/confirm', wrong);
      const confirmed = await app.confirm(token, added.json, codeOf(added.json, -1));
      expectDescribed('POST factors/totp/{id}/confirm', confirmed);
      enrolment = {
        device: added.json,
        recoveryCodes: confirmed.json.recoveryCodes,
        token: confirmed.json.token,
      };
      expectDescribed('GET factors', await app.call(token, 'GET', 'factors'));
      const { json } = await app.call(token, 'GET', 'factors');
      const { factors } = operation('GET factors').responses['200']!.content!['application/json'].schema
        .properties as { factors: { items: ObjectSchema } };
      expect(Object.keys(json.factors[0])).toEqual(factors.items.required);

      const refused = await app.login('ada');
      expect(refused.json.code).toBe(40112);
      expectDescribed('POST login', refused);
      const login = await app.answer(refused.json.challenge, codeOf(enrolment.device));
      expect(login.status).toBe(200);
      expectDescribed('POST login/factor', login);
      expectDescribed('POST login/factor', await app.answer(refused.json.challenge, '123456'));
      const fresh = await app.fresh(login.json.token, codeOf(enrolment.device, 1));
      expect(fresh.status).toBe(200);
      expectDescribed('POST fresh', fresh);
      expectDescribed('POST fresh', await app.fresh(login.json.token, codeOf(enrolment.device, 1)));
      expectDescribed('POST factors/recovery', await app.call(token, 'POST', 'factors/recovery'));
      const admin = await app.adminToken();
      const id = login.json.user.userId;
      expectDescribed('GET users/{id}/factors', await app.call(admin, 'GET', `users/${id}/factors`));
      const removed = await app.call(admin, 'DELETE', `users/${id}/factors`);
      expect(removed.status).toBe(204);
      expectDescribed('DELETE users/{id}/factors', removed);
    });

    it('API keys', async () => {
      const owner = await app.user({ roles: ['reader'] });
      const own = await app.tokenOf(owner);
      const body = { name: 'Script', abilities: ['report:read'] };
      expectDescribed('POST keys', await app.call(own, 'POST', 'keys', body));
      expectDescribed('POST keys', await app.call(own, 'POST', 'keys', { ...body, abilities: ['x:y'] }));
      expectDescribed('POST keys', await app.call(own, 'POST', 'keys', { ...body, days: 0 }));
      const list = await app.call(own, 'GET', 'keys');
      expect(list.json).toHaveLength(1);
      expectDescribed('GET keys', list);
      const admin = await app.adminToken();
      expectDescribed('GET users/{id}/keys', await app.call(admin, 'GET', `users/${owner.id}/keys`));
      expectDescribed('DELETE keys/{id}', await app.call(own, 'DELETE', 'keys/unknown'));
    });
  });
});
