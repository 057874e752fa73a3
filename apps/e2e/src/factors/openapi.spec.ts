import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { RequirePermissions } from 'kit-auth';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { KitAuthPasskeysModule } from 'kit-auth-passkeys';
import { OpenApi, sharedTestApp } from 'test-support';
import { FactorsApp } from './app.js';

@Controller('v1/reports')
class ReportsController {
  @Get()
  @RequirePermissions('report:read')
  list() {}

  @Get('own')
  own() {}
}

describe('the OpenAPI document of an application with second factors, passkeys and API keys', () => {
  const passkeys = KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' });
  const app = sharedTestApp(
    new FactorsApp({ imports: [passkeys, KitAuthKeysModule], controllers: [ReportsController] }),
  );
  let api: OpenApi;
  beforeAll(() => {
    api = new OpenApi(app);
  });

  it('says which routes need no token, and which a key may call', () => {
    const [bearer, key] = [{ bearer: [] }, { 'api-key': [] }];
    for (const [name, security] of [
      ['GET /v1/reports', [bearer, key]],
      ['GET /v1/reports/own', [bearer]],
      ['GET me', [bearer]],
      ['POST fresh/options', [bearer]],
      ['POST login/factor', []],
    ] as const) {
      expect([name, api.operation(name).security]).toEqual([name, security]);
    }
  });

  it.each([
    ['POST login/factor', ['passkey', 'recovery', 'totp'], ['challenge', 'factor']],
    ['POST fresh', ['passkey', 'totp'], undefined],
  ])('has the factors of all packages in the body of %s', (name, names, required) => {
    const { schema } = api.operation(name).requestBody!.content['application/json'];
    expect(schema.properties?.['factor']?.enum?.toSorted()).toEqual(names);
    expect(Object.keys(schema.properties ?? {})).toEqual(
      expect.arrayContaining(['code', 'ceremony', 'response', ...(required ?? ['password'])]),
    );
    expect(schema.required).toEqual(required);
  });

  it('has the second step in the answers of the core', () => {
    expect(api.operation('POST fresh').responses['401']!.description).toContain(
      '40111 USER_DISABLED, 40113 FACTOR_FAILED',
    );
    const { 401: failed } = api.operation('POST login').responses;
    expect(failed!.description).toBe('40110 LOGIN_FAILED, 40111 USER_DISABLED, 40112 SECOND_FACTOR_REQUIRED');
    expect(Object.keys(failed!.content!['application/json'].schema.properties ?? {})).toEqual(
      expect.arrayContaining(['challenge', 'factors', 'expiresAt']),
    );
  });
});
