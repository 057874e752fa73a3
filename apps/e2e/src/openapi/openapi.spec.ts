import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Post } from '@nestjs/common';
import {
  DocumentBuilder,
  type OpenAPIObject,
  type SwaggerDocumentOptions,
  SwaggerModule,
} from '@nestjs/swagger';
import { documentKitAuth } from 'kit-auth/openapi';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { sharedTestApp, testApp } from 'test-support';

/** The names that an application is most likely to have already. */
@Controller('auth')
class AuthController {
  @Post('login')
  login() {}

  @Get('me')
  me() {}
}

@Controller('account')
class AccountController {
  @Post('password')
  password() {}
}

@Controller('users')
class UserController {
  @Get()
  find() {}
}

@Controller('roles')
class RoleController {
  @Get()
  list() {}
}

describe('the OpenAPI document of an application with controllers of its own', () => {
  const controllers = [AuthController, AccountController, UserController, RoleController];
  const app = sharedTestApp({ admin: true, controllers });

  /** The id of each operation that has a path of the application, or of the packages. */
  function operationIds(options?: SwaggerDocumentOptions, describeOurs = false) {
    const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build(), options);
    if (describeOurs) {
      documentKitAuth(document, app.nest);
    }
    const ids = { ours: [] as string[], own: [] as string[] };
    for (const [path, item] of Object.entries(document.paths)) {
      const operations = Object.values(item) as { operationId: string }[];
      (path.startsWith('/v1/api/auth/') ? ids.ours : ids.own).push(
        ...operations.map((operation) => operation.operationId),
      );
    }
    return ids;
  }

  it('has every operation id once', () => {
    const { ours, own } = operationIds();
    expect(own).toContain('AuthController_login');
    expect(new Set([...ours, ...own]).size).toBe(ours.length + own.length);
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.filter((id) => !/^KitAuth\w+Controller_/.test(id))).toEqual([]);
  });

  it('has every operation id once if the application names operations by the method alone', () => {
    const { ours, own } = operationIds({ operationIdFactory: (_controller, method) => method }, true);
    expect(own).toEqual(['login', 'me', 'password', 'find', 'list']);
    expect(new Set([...ours, ...own]).size).toBe(ours.length + own.length);
    expect(ours).toContain('kitAuthLogin');
    expect(ours.filter((id) => !/^kitAuth[A-Z]/.test(id))).toEqual([]);
  });

  /** The schemes of a document that requests need, and those that it has. */
  function schemesOf({ paths, components = {} }: OpenAPIObject) {
    const operations = Object.values(paths).flatMap(
      (item) => Object.values(item) as { security?: object[] }[],
    );
    const needed = operations.flatMap(({ security = [] }) =>
      security.flatMap((requirement) => Object.keys(requirement)),
    );
    return { needed: [...new Set(needed)], schemes: components.securitySchemes ?? {} };
  }

  it.each<[object, string]>([
    [{}, 'bearer'],
    [{ security: 'token' }, 'token'],
  ])('has every security scheme that it names with %j', (options, name) => {
    const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    const { needed, schemes } = schemesOf(documentKitAuth(document, app.nest, options));
    expect([needed, schemes]).toEqual([[name], { [name]: { type: 'http', scheme: 'bearer' } }]);
  });

  it('keeps the security schemes of the application', () => {
    const own = new DocumentBuilder().addBearerAuth({ type: 'http', description: 'Ours' }).build();
    const document = documentKitAuth(SwaggerModule.createDocument(app.nest, own), app.nest);
    expect(schemesOf(document)).toEqual({
      needed: ['bearer'],
      schemes: { bearer: { scheme: 'bearer', bearerFormat: 'JWT', type: 'http', description: 'Ours' } },
    });
  });

  it('gets no scheme where nothing needs one', () => {
    const paths = { '/v1/api/auth/login': { post: {} }, '/own': { get: {} } };
    expect(documentKitAuth({ paths }, app.nest)).not.toHaveProperty('components');
  });

  it('is described alike without the global prefix, and when it is described again', async () => {
    const prefixed = await testApp({ admin: true, configure: (nest) => nest.setGlobalPrefix('api') });
    const create = (ignoreGlobalPrefix: boolean) =>
      SwaggerModule.createDocument(prefixed.nest, new DocumentBuilder().build(), { ignoreGlobalPrefix });
    const document = documentKitAuth(create(true), prefixed.nest);
    const described = JSON.stringify(document);
    expect(JSON.stringify(documentKitAuth(create(false), prefixed.nest))).toBe(
      described.replaceAll('"/v1/api/auth/', '"/api/v1/api/auth/'),
    );
    expect(described).toContain('kitAuthFindUsers');
    expect(JSON.stringify(documentKitAuth(document, prefixed.nest))).toBe(described);
  });
});

describe('the OpenAPI document of an application with cookies', () => {
  const app = sharedTestApp({
    imports: [KitAuthBrowserModule.forRoot({ name: 'shop' })],
    options: { tokenHeader: 'X-Token', tokenPrefix: '' },
  });

  it('has the cookie and the token header as ways to authenticate', () => {
    const created = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    const document = documentKitAuth(created, app.nest, { security: 'token', cookie: 'browser' });
    const operation = (path: string, method: 'get' | 'post') =>
      document.paths[`/v1/api/auth/${path}`]![method] as any;
    expect(operation('me', 'get').security).toEqual([{ token: [] }, { browser: [] }]);
    expect(document.components?.securitySchemes).toEqual({
      token: { type: 'apiKey', in: 'header', name: 'X-Token' },
      browser: { type: 'apiKey', in: 'cookie', name: '__Host-shop' },
    });
    expect(operation('me', 'get').responses['403']).toBeUndefined();
    expect(operation('logout', 'post').responses['403'].description).toBe('40302 CROSS_ORIGIN');
    const login = operation('login', 'post');
    const { properties, required } = login.requestBody.content['application/json'].schema;
    expect([properties.remember, required]).toEqual([{ type: 'boolean' }, ['username', 'password']]);
    expect(login.responses['200'].content['application/json'].schema.required).toEqual(['user']);
    expect(login.security).toEqual([]);
  });
});
