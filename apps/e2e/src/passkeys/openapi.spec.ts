import { describe, expect, it } from '@jest/globals';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { documentKitAuth } from 'kit-auth/openapi';
import { type Answer, sharedTestApp } from 'test-support';
import { PasskeysApp } from './app.js';

interface Described {
  readonly operationId: string;
  readonly security: object[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Record<string, { readonly content?: { 'application/json': { schema: Schema } } }>;
}

interface Schema {
  readonly properties: Record<string, { readonly enum?: string[] }>;
  readonly required?: string[];
  readonly items?: Schema;
}

describe('the OpenAPI document of an application with passkeys', () => {
  const factors = KitAuthFactorsModule.forRoot({ keys: ['k'.repeat(32)], issuer: 'Example' });
  const app = sharedTestApp(new PasskeysApp({ before: [factors] }));

  function operation(name: string): Described {
    const [method, path] = name.split(' ') as [string, string];
    const document = documentKitAuth(
      SwaggerModule.createDocument(app.nest, new DocumentBuilder().build()),
      app.nest,
    );
    const item = document.paths[`/v1/api/auth/${path}`] as unknown as Record<string, Described>;
    return item[method.toLowerCase()]!;
  }

  function expectDescribed(name: string, { status, json }: Answer): void {
    const schema = operation(name).responses[status]!.content!['application/json'].schema;
    const [value, described] = Array.isArray(json) ? [json[0], schema.items!] : [json, schema];
    const members = Object.keys(value);
    expect(members.filter((member) => !(member in described.properties))).toEqual([]);
    expect(members).toEqual(expect.arrayContaining(described.required ?? []));
  }

  it('is true of their answers', async () => {
    const user = await app.registered();
    const { token } = user;
    expectDescribed('POST passkeys/options', await app.call(token, 'POST', 'passkeys/options', {}));
    expectDescribed('POST passkeys', await app.add(token));
    expectDescribed('GET passkeys', await app.call(token, 'GET', 'passkeys'));
    const renamed = await app.call(token, 'PATCH', `passkeys/${user.passkeyId}`, { name: 'Phone' });
    expectDescribed('PATCH passkeys/{id}', renamed);
    const begun = await app.call(undefined, 'POST', 'login/passkey/options', {});
    expectDescribed('POST login/passkey/options', begun);
    expectDescribed('POST login/passkey', await app.logIn(user.passkey));
    const options = await app.call(token, 'POST', 'fresh/options', { factor: 'passkey' });
    expectDescribed('POST fresh/options', options);
    const admin = await app.adminToken();
    const list = await app.call(admin, 'GET', `users/${user.id}/passkeys`);
    expectDescribed('GET users/{id}/passkeys', list);
  });

  it('has passkeys beside the codes of other packages', () => {
    for (const [name, names, required] of [
      ['POST login/factor', ['passkey', 'recovery', 'totp'], ['challenge', 'factor']],
      ['POST fresh', ['passkey', 'totp'], undefined],
    ] as const) {
      const { schema } = operation(name).requestBody!.content['application/json'];
      expect(schema.properties['factor']!.enum!.toSorted()).toEqual(names);
      expect(Object.keys(schema.properties)).toEqual(
        expect.arrayContaining(['code', 'ceremony', 'response']),
      );
      expect(schema.required).toEqual(required);
    }
  });

  it('says which need no token', () => {
    const open = ['POST login/passkey', 'POST login/passkey/options', 'POST login/factor/options'];
    open.forEach((name) => expect(operation(name).security).toEqual([]));
    expect(operation('POST fresh/options').security).toEqual([{ bearer: [] }]);
  });
});
