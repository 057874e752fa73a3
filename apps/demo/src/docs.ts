import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { documentKitAuth } from 'kit-auth/openapi';

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
  const document = documentKitAuth(SwaggerModule.createDocument(app, config), app);
  const login = document.paths['/v1/api/auth/login']?.post?.requestBody as RequestBodyObject | undefined;
  Object.assign(login?.content['application/json'] ?? {}, {
    example: { username: 'admin', password: 'admin' },
  });
  SwaggerModule.setup('docs', app, document);
}

interface RequestBodyObject {
  content: Record<string, object>;
}
