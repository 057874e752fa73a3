import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { RouteAccessReport } from 'kit-auth';
import { documentAccess, documentKitAuth } from 'kit-auth/openapi';
import { documentKitAuthAdmin } from 'kit-auth-admin/openapi';
import { documentKitAuthEmail } from 'kit-auth-email/openapi';
import { documentKitAuthFactors } from 'kit-auth-factors/openapi';
import { documentKitAuthKeys } from 'kit-auth-keys/openapi';
import { documentKitAuthRefresh } from 'kit-auth-refresh/openapi';
import { documentKitAuthRegistration } from 'kit-auth-registration/openapi';

/** Swagger UI at `/docs`. A login that is tried on the page sets cookies, which the calls that follow send. */
export function setupDocs(app: INestApplication): void {
  const config = new DocumentBuilder()
    .setTitle('kit-auth demo')
    .setDescription(
      'Try POST /v1/api/auth/login first: the page then has cookies. Other clients get a token.',
    )
    .addBearerAuth()
    .addBearerAuth({ type: 'http', description: 'What an API key may call: make one at /' }, 'api-key')
    .build();
  const document = documentKitAuth(SwaggerModule.createDocument(app, config));
  documentKitAuthFactors(document);
  documentKitAuthKeys(document);
  documentKitAuthEmail(document);
  documentKitAuthRegistration(document);
  documentKitAuthAdmin(document);
  documentKitAuthRefresh(document);
  documentAccess(document, app.get(RouteAccessReport).routes());
  const login = document.paths['/v1/api/auth/login']?.post?.requestBody as RequestBodyObject | undefined;
  Object.assign(login?.content['application/json'] ?? {}, {
    example: { username: 'admin', password: 'admin' },
  });
  SwaggerModule.setup('docs', app, document);
}

interface RequestBodyObject {
  content: Record<string, object>;
}
