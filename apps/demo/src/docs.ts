import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { RouteAccessReport, type LoginResult } from 'kit-auth';
import { documentAccess, documentKitAuth } from 'kit-auth/openapi';
import { documentKitAuthAdmin } from 'kit-auth-admin/openapi';

/** Swagger UI at `/docs`. A login that is tried on the page is used for the calls that follow. */
export function setupDocs(app: INestApplication): void {
  const config = new DocumentBuilder()
    .setTitle('kit-auth demo')
    .setDescription('Try POST /v1/api/auth/login first: the page then sends the token with every call.')
    .addBearerAuth()
    .build();
  const document = documentKitAuthAdmin(documentKitAuth(SwaggerModule.createDocument(app, config)));
  documentAccess(document, app.get(RouteAccessReport).routes());
  const login = document.paths['/v1/api/auth/login']?.post?.requestBody as RequestBodyObject | undefined;
  Object.assign(login?.content['application/json'] ?? {}, {
    example: { username: 'admin', password: 'admin' },
  });
  SwaggerModule.setup('docs', app, document, {
    swaggerOptions: { persistAuthorization: true, responseInterceptor: useTokenOfLogin },
  });
}

interface RequestBodyObject {
  content: Record<string, object>;
}

interface SwaggerUi {
  authActions: { authorizeWithPersistOption(authorization: object): void };
}

/** Runs in the browser: Swagger UI is given its source text. */
function useTokenOfLogin(response: { url: string; ok: boolean; body: LoginResult }): unknown {
  if (response.ok && response.url.endsWith('/v1/api/auth/login')) {
    const { ui } = globalThis as unknown as { ui: SwaggerUi };
    const schema = { type: 'http', scheme: 'bearer' };
    ui.authActions.authorizeWithPersistOption({
      bearer: { name: 'bearer', schema, value: response.body.token },
    });
  }
  return response;
}
