import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, type DynamicModule, Get, Injectable, Module, Scope, type Type } from '@nestjs/common';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import {
  AUTH_PROVIDER,
  type AuthProvider,
  IllegalStateException,
  RouteAccessReport,
  KitAuthModule,
  Public,
  RequireRoles,
} from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { database } from './databases.js';
import { bearer } from './login.js';
import { BOTH, type Running, start } from './platforms.js';
import { request } from './raw-http.js';

type AnyMethod = (...parts: unknown[]) => unknown;

/** As many decorators do: replaces the method and leaves its metadata behind. */
const Timed = (): MethodDecorator => (_target, _name, descriptor) => {
  const original = descriptor.value as AnyMethod;
  descriptor.value = function (this: unknown, ...parts: unknown[]) {
    return original.apply(this, parts);
  } as never;
};

@Public()
@Controller('v1/wrapped')
class WrappedController {
  @Get('once')
  @Timed()
  @RequireRoles('editor')
  once() {
    return 'secret';
  }

  @Get('between')
  @RequireRoles('reader')
  @Timed()
  @RequireRoles('editor')
  between() {
    return 'secret';
  }

  @Get('closed')
  @Timed()
  @Public(false)
  closed() {
    return 'secret';
  }

  @Get('open')
  @Timed()
  open() {
    return 'open';
  }
}

@Controller('v1/plain')
class PlainController {
  @Get('secret')
  @RequireRoles('editor')
  secret() {
    return 'secret';
  }

  @Get('open')
  @Public()
  open() {
    return 'open';
  }

  @Get('guarded')
  guarded() {
    return 'guarded';
  }
}

@Controller('v1/overriding')
class OverridingController extends PlainController {
  @Get('secret')
  @RequireRoles('reader')
  override secret() {
    return super.secret();
  }
}

/** Binds whatever is read from an instance, its `constructor` included. */
function bindingProxy<T extends object>(instance: T): T {
  return new Proxy(instance, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

@Controller('v1/proxied')
class ProxiedController {
  constructor() {
    return bindingProxy(this);
  }

  @Get()
  @RequireRoles('editor')
  secret() {
    return 'secret';
  }
}

@RequireRoles('editor')
@Controller({ path: 'v1/scoped-proxy', scope: Scope.REQUEST })
class ScopedProxiedController {
  constructor() {
    return bindingProxy(this);
  }

  @Get()
  secret() {
    return 'secret';
  }
}

@RequireRoles('editor')
@Injectable()
class ProxiedProvider {
  constructor() {
    return bindingProxy(this);
  }
}

@Controller('v1/accessor')
class AccessorController {
  constructor() {
    Object.defineProperty(this, 'secret', { get: () => Reflect.get(this, 'open') });
  }

  @Get('secret')
  @RequireRoles('editor')
  secret() {
    return 'secret';
  }

  @Get('open')
  open() {
    return 'open';
  }
}

@Module({})
class AnyModule {}

function appOf(controllers: Type[], providers: Type[] = []): DynamicModule {
  return {
    module: AnyModule,
    imports: [database(), KitAuthModule.forRoot({ password: { cost: 10 } }), KitAuthJwtModule],
    controllers,
    providers,
  };
}

describe.each(BOTH)('wrapped handlers on %s', (platform) => {
  let running: Running;
  afterAll(() => running.app.close());

  const codesOf = async (path: string) => {
    const codes: unknown[] = [];
    for (const roles of [undefined, [], ['editor'], ['editor', 'reader']]) {
      const user = { userId: 7, username: 'u', nickname: 'u', superAdmin: false, permissions: [] };
      const headers =
        roles === undefined
          ? []
          : [bearer(await running.app.get<AuthProvider>(AUTH_PROVIDER).issueToken({ ...user, roles }))];
      const { status, json } = await request(running.port, path, { headers });
      codes.push(json?.code ?? status);
    }
    return codes;
  };

  describe('of the application', () => {
    beforeAll(async () => {
      running = await start(appOf([WrappedController, ScopedProxiedController]), { platform });
    });

    it('keep the decorators below one that replaces the method', async () => {
      expect(await codesOf('/v1/wrapped/once')).toEqual([40100, 40300, 200, 200]);
      expect(await codesOf('/v1/wrapped/between')).toEqual([40100, 40300, 40300, 200]);
      expect(await codesOf('/v1/wrapped/closed')).toEqual([40100, 200, 200, 200]);
      expect(await codesOf('/v1/wrapped/open')).toEqual([200, 200, 200, 200]);
    });

    it('are reported with their names and decorators', () => {
      const routes = running.app.get(RouteAccessReport).routes();
      const role = (name: string) => ({ kind: 'role', names: [name], mode: 'all' });
      expect(routes.find(({ path }) => path === '/v1/wrapped/once')).toMatchObject({
        handler: 'WrappedController.once',
        requires: [role('editor')],
      });
      expect(routes.find(({ path }) => path === '/v1/wrapped/between')).toMatchObject({
        handler: 'WrappedController.between',
        requires: [role('reader'), role('editor')],
      });
    });

    it('never run where a request-scoped instance hides its class', async () => {
      expect(await codesOf('/v1/scoped-proxy')).toEqual([500, 500, 500, 500]);
      expect(running.logger.all()).toContain('The handler of /v1/scoped-proxy is no method of a controller');
    });
  });

  it.each<[string, string, Type[], Type[]]>([
    ['a controller hides its class', 'ProxiedController', [ProxiedController], []],
    ['a provider with decorators hides its class', 'ProxiedProvider', [], [ProxiedProvider]],
    ['an accessor gives another handler', 'AccessorController.secret', [AccessorController], []],
  ])('end start-up where %s', async (_name, culprit, controllers, providers) => {
    const attempt = start(appOf(controllers, providers), { platform });
    await expect(attempt).rejects.toThrow(IllegalStateException);
    await expect(attempt).rejects.toThrow(culprit);
  });
});

describe.each(BOTH)('traced handlers on %s', (platform) => {
  const prototype = RouterExecutionContext.prototype as unknown as Record<'create', AnyMethod>;
  const create = prototype.create;
  let running: Running;
  beforeAll(async () => {
    // As OpenTelemetry's instrumentation does: a wrapper with the name and the metadata of each handler.
    prototype.create = function (instance, handler, ...rest) {
      const traced = function (this: unknown, ...parts: unknown[]) {
        return (handler as AnyMethod).apply(this, parts);
      };
      Object.defineProperty(traced, 'name', { value: (handler as AnyMethod).name });
      for (const key of Reflect.getMetadataKeys(handler as object) as unknown[]) {
        Reflect.defineMetadata(key, Reflect.getMetadata(key, handler as object), traced);
      }
      return create.call(this, instance, traced, ...rest);
    };
    running = await start(appOf([PlainController, OverridingController, WrappedController]), { platform });
  });
  afterAll(async () => {
    prototype.create = create;
    await running.app.close();
  });

  it.each([
    ['/v1/plain/secret', [40100, 40300, 200]],
    ['/v1/plain/guarded', [40100, 200, 200]],
    ['/v1/plain/open', [200, 200, 200]],
    ['/v1/overriding/secret', [40100, 40300, 40300]],
    ['/v1/overriding/open', [200, 200, 200]],
    ['/v1/wrapped/once', [40100, 40300, 200]],
    ['/v1/wrapped/open', [200, 200, 200]],
  ])('%s keeps its decorators', async (path, expected) => {
    const user = { userId: 7, username: 'u', nickname: 'u', superAdmin: false, permissions: [] };
    const issue = (roles: string[]) =>
      running.app.get<AuthProvider>(AUTH_PROVIDER).issueToken({ ...user, roles });
    const requests = [[], [bearer(await issue([]))], [bearer(await issue(['editor']))]];
    const answers = await Promise.all(requests.map((headers) => request(running.port, path, { headers })));
    expect(answers.map(({ status, json }) => json?.code ?? status)).toEqual(expected);
  });
});
