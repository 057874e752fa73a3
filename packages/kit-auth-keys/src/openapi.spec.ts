import { describe, expect, it } from '@jest/globals';
import { documentAccess } from 'kit-auth/openapi';
import { documentKitAuthKeys } from './openapi.js';

describe('documentKitAuthKeys()', () => {
  it('describes the creation of a key', () => {
    const document = documentKitAuthKeys({ paths: { '/v1/api/auth/keys': { post: {} as any } } });
    const { requestBody, responses } = document.paths['/v1/api/auth/keys'].post;
    expect(requestBody.content['application/json'].schema.required).toEqual(['name', 'abilities']);
    expect(responses['201'].content['application/json'].schema.required).toContain('key');
    expect(responses['401'].description).toContain('40120 FRESH_LOGIN_REQUIRED');
  });

  it('leaves which routes a key may call to documentAccess()', () => {
    const document = {
      paths: { '/v1/notes': { get: {} as { security?: object[] }, post: {} as { security?: object[] } } },
      components: { securitySchemes: { 'api-key': {} } },
    };
    documentAccess(documentKitAuthKeys(document), [
      { method: 'GET', path: '/v1/notes', decision: 'token', credentials: ['api-key'] },
      { method: 'POST', path: '/v1/notes', decision: 'token' },
    ]);
    expect(document.paths['/v1/notes'].get.security).toEqual([{ bearer: [] }, { 'api-key': [] }]);
    expect(document.paths['/v1/notes'].post.security).toEqual([{ bearer: [] }]);
  });

  it('leaves other documents as they are', () => {
    expect(documentKitAuthKeys({ paths: { '/v1/notes': { get: {} } } })).toEqual({
      paths: { '/v1/notes': { get: {} } },
    });
  });
});
