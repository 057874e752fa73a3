import { describe, expect, it } from '@jest/globals';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { documentKitAuth } from 'kit-auth/openapi';
import { sharedTestApp } from 'test-support';
import { fakeIssuer, IssuersApp } from './app.js';

/** A name in `components` (OpenAPI 3.1, section 4.8.7). */
const COMPONENT = /^[a-zA-Z0-9._-]+$/;

describe('the OpenAPI document of an application with another issuer', () => {
  const { options } = fakeIssuer({ user: () => undefined });
  const app = sharedTestApp(
    new IssuersApp({ issuers: { issuers: [options], resource: 'https://api.example.com' } }),
  );

  it('lists its tokens where they are accepted, under a name that documents can have', () => {
    const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    documentKitAuth(document, app.nest);
    const schemes = Object.keys(document.components?.securitySchemes ?? {});
    const name = 'issuer-login.example.com-realms-company';
    expect(schemes).toEqual(['bearer', name]);
    expect(schemes.every((scheme) => COMPONENT.test(scheme))).toBe(true);
    const of = (path: string, method: 'get' | 'post') => document.paths[path]?.[method]?.security;
    expect(of('/v1/notes', 'get')).toEqual([{ bearer: [] }, { [name]: [] }]);
    expect(of('/v1/api/auth/me', 'get')).toEqual([{ bearer: [] }, { [name]: [] }]);
    expect(of('/v1/api/auth/logout', 'post')).toEqual([{ bearer: [] }]);
    expect(of('/.well-known/oauth-protected-resource', 'get')).toEqual([]);
  });
});
