import { describe, expect, it } from '@jest/globals';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { documentKitAuth } from 'kit-auth/openapi';
import { BOTH, sharedTestApp } from 'test-support';
import { ConsoleApp } from './app.js';

describe.each(BOTH)('the OpenAPI document of an application with a console on %s', (platform) => {
  const app = sharedTestApp(new ConsoleApp({ platform }));

  it('describes the endpoint, and leaves out the page', async () => {
    const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    documentKitAuth(document, app.nest);
    expect(Object.keys(document.paths).filter((path) => path.includes('console'))).toEqual([
      '/v1/api/auth/console',
      '/v1/api/auth/console/users/{id}',
    ]);
    const operation = document.paths['/v1/api/auth/console']!.get!;
    expect(operation).toMatchObject({ operationId: 'kitAuthConsole' });
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '401', '403']));
    const content = (operation.responses['200'] as { content: Record<string, { schema: object }> }).content;
    const { properties, required } = content['application/json']!.schema as {
      properties: object;
      required: string[];
    };
    const { json } = await app.call(await app.adminToken(), 'GET', 'console');
    expect(Object.keys(properties)).toEqual(Object.keys(json));
    expect(required).toEqual(Object.keys(json));
  });
});
