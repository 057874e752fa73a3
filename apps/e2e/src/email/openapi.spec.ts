import { describe, expect, it } from '@jest/globals';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { documentKitAuth } from 'kit-auth/openapi';
import { sharedTestApp } from 'test-support';
import { EmailApp } from './app.js';

interface Described {
  operationId: string;
  security?: object[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: { required?: string[] } }> };
  responses: Record<string, { description: string }>;
}

describe('the OpenAPI document of kit-auth-email', () => {
  const app = sharedTestApp(new EmailApp());

  it('describes every endpoint', () => {
    const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    documentKitAuth(document, app.nest);
    const of = (method: 'get' | 'post' | 'delete', path: string) => {
      const item = document.paths[`/v1/api/auth/${path}`] as unknown as Record<string, Described>;
      return item[method]!;
    };
    const operations = [
      of('post', 'password/forgot'),
      of('post', 'password/reset'),
      of('get', 'email'),
      of('post', 'email'),
      of('delete', 'email/pending'),
      of('post', 'email/verify'),
      of('post', 'email/confirm'),
      of('post', 'users/{id}/reset-link'),
    ];
    expect(
      operations.map(({ operationId, responses }) => [operationId, Object.keys(responses).join()]),
    ).toEqual([
      ['kitAuthForgotPassword', '202,400,429,503'],
      ['kitAuthResetPassword', '204,400,503'],
      ['kitAuthGetEmail', '200,401,403,503'],
      ['kitAuthChangeEmail', '202,400,401,403,409,429,503'],
      ['kitAuthEndEmailChange', '204,401,403,503'],
      ['kitAuthVerifyEmail', '202,401,403,409,429,503'],
      ['kitAuthConfirmEmail', '204,400,401,403,409,503'],
      ['kitAuthSendResetLink', '202,401,403,404,409,429,503'],
    ]);
    const isOpen = operations.map(({ security }) => (security ?? []).length === 0);
    expect(isOpen).toEqual([true, true, false, false, false, false, true, false]);
    expect(of('post', 'users/{id}/reset-link').parameters).toEqual([
      expect.objectContaining({ name: 'id', in: 'path' }),
    ]);
    const body = of('post', 'password/reset').requestBody?.content['application/json'];
    expect(body?.schema.required).toEqual(['token', 'newPassword']);
  });
});
