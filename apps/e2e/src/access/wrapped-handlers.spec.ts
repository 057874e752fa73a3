import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Scope, type Type } from '@nestjs/common';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import { IllegalStateException, Public, RequireRoles, RouteAccessReport } from 'kit-auth';
import { sharedTestApp, testApp } from 'test-support';

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

describe('wrapped handlers', () => {
  describe('of the application', () => {
    const app = sharedTestApp({ controllers: [WrappedController, ScopedProxiedController] });

    const codesOf = async (path: string) => {
      const codes = [await app.codeOf(undefined, path)];
      for (const roles of [[], ['editor'], ['editor', 'reader']]) {
        codes.push(await app.codeOf(await app.issueToken({ roles }), path));
      }
      return codes;
    };

    it('keep the decorators below one that replaces the method', async () => {
      expect(await codesOf('/v1/wrapped/once')).toEqual([40100, 40300, 200, 200]);
      expect(await codesOf('/v1/wrapped/between')).toEqual([40100, 40300, 40300, 200]);
      expect(await codesOf('/v1/wrapped/closed')).toEqual([40100, 200, 200, 200]);
      expect(await codesOf('/v1/wrapped/open')).toEqual([200, 200, 200, 200]);
    });

    it('are reported with their names and decorators', () => {
      const routes = app.get(RouteAccessReport).routes();
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
      expect(app.logs.all()).toContain('The handler of /v1/scoped-proxy is not a method of a controller');
    });
  });

  it.each<[string, string, Type[], Type[]]>([
    ['a controller hides its class', 'ProxiedController', [ProxiedController], []],
    ['a provider with decorators hides its class', 'ProxiedProvider', [], [ProxiedProvider]],
    ['an accessor gives another handler', 'AccessorController.secret', [AccessorController], []],
  ])('end start-up where %s', async (_name, culprit, controllers, providers) => {
    const attempt = testApp({ controllers, providers });
    await expect(attempt).rejects.toThrow(IllegalStateException);
    await expect(attempt).rejects.toThrow(culprit);
  });
});

describe('traced handlers', () => {
  const prototype = RouterExecutionContext.prototype as unknown as Record<'create', AnyMethod>;
  const create = prototype.create;
  beforeAll(() => {
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
  });
  const app = sharedTestApp({
    controllers: [PlainController, OverridingController, WrappedController],
  });
  afterAll(() => {
    prototype.create = create;
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
    const tokens = [undefined, await app.issueToken(), await app.issueToken({ roles: ['editor'] })];
    expect(await Promise.all(tokens.map((token) => app.codeOf(token, path)))).toEqual(expected);
  });
});
