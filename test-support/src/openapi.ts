import { expect } from '@jest/globals';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { documentKitAuth } from 'kit-auth/openapi';
import type { Answer } from './raw-http.js';
import type { TestApp } from './test-app.js';

interface ObjectSchema {
  properties?: Record<string, { readonly enum?: string[] }>;
  required?: string[];
  items?: ObjectSchema;
}

export interface Described {
  operationId: string;
  summary?: string;
  security: object[];
  requestBody?: { content: { 'application/json': { schema: ObjectSchema } } };
  responses: Record<
    string,
    { description: string; content?: { 'application/json': { schema: ObjectSchema } } }
  >;
}

const OURS = '/v1/api/auth/';

/** What an application says of itself, to be compared with what it does. */
export class OpenApi {
  private readonly document: OpenAPIObject;

  constructor({ nest }: TestApp) {
    this.document = documentKitAuth(SwaggerModule.createDocument(nest, new DocumentBuilder().build()), nest);
  }

  /** All operations of our packages by their names, such as `GET keys`. */
  get ours(): Map<string, Described> {
    return new Map(
      Object.entries(this.document.paths)
        .filter(([path]) => path.startsWith(OURS))
        .flatMap(([path, item]) =>
          Object.entries(item as unknown as Record<string, Described>).map(
            ([method, operation]) =>
              [`${method.toUpperCase()} ${path.slice(OURS.length)}`, operation] as const,
          ),
        ),
    );
  }

  /** An operation by its name, such as `GET keys`, or `GET /v1/notes` for one of the application. */
  operation(name: string): Described {
    const [method, path] = name.split(' ') as [string, string];
    const item = this.document.paths[path.startsWith('/') ? path : OURS + path];
    return (item as unknown as Record<string, Described>)[method.toLowerCase()]!;
  }

  /** That an answer is as it is described: no member is missing, and none is new. */
  expectDescribed(name: string, { status, json }: Answer): void {
    const response = this.ours.get(name)?.responses[status];
    expect([name, status, response === undefined ? 'is not described' : 'is described']).toEqual([
      name,
      status,
      'is described',
    ]);
    const schema = response?.content?.['application/json'].schema;
    if (status >= 400) {
      expect(response?.description).toContain(String(json.code));
    }
    const isList = Array.isArray(json);
    for (const value of isList ? json : [json]) {
      const described = isList ? schema?.items : schema;
      const known = Object.keys(described?.properties ?? {});
      expect(Object.keys(value ?? {}).filter((member) => !known.includes(member))).toEqual([]);
      expect(Object.keys(value ?? {})).toEqual(expect.arrayContaining(described?.required ?? []));
    }
  }
}
