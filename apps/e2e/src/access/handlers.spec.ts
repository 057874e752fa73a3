import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Scope, type Type } from '@nestjs/common';
import { IllegalStateException, Public, RequireRoles, RouteAccessReport } from 'kit-auth';
import { sharedTestApp, type TestApp, testApp } from 'test-support';

// How the decorators of a handler are found is in packages/kit-auth/src/routes/require.decorators.spec.ts.

type AnyMethod = (...parts: unknown[]) => unknown;

class Answering {
  @Get('open') @Public() open() {
    return 'open';
  }
  @Get('secret') @RequireRoles('editor') secret() {
    return 'secret';
  }
}

@Controller('v1/bound')
class BoundController extends Answering {
  constructor() {
    super();
    this.secret = this.secret.bind(this);
    this.open = this.open.bind(this);
    this.wrapped = () => 'secret';
  }
  @Get('wrapped') @RequireRoles('editor') wrapped() {
    return '';
  }
}
@Controller('outside')
class InheritingController extends BoundController {}

@Controller({ path: 'v1/scoped', scope: Scope.REQUEST })
class ScopedController extends BoundController {}

/** As many decorators do: replaces the method and leaves its metadata behind. */
const Timed = (): MethodDecorator => (_target, _name, descriptor) => {
  const original = descriptor.value as AnyMethod;
  descriptor.value = function (this: unknown, ...parts: unknown[]) {
    return original.apply(this, parts);
  } as never;
};

@Public()
@Controller('v1/timed')
class TimedController {
  @Get('once') @Timed() @RequireRoles('editor') once() {}
  @Get('between') @RequireRoles('reader') @Timed() @RequireRoles('editor') between() {}
  @Get('closed') @Timed() @Public(false) closed() {}
  @Get('open') @Timed() open() {}
}

/** Binds whatever is read from an instance, its `constructor` included. */
const bindingProxy = <T extends object>(instance: T): T =>
  new Proxy(instance, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

@Controller('v1/proxied')
class ProxiedController extends Answering {
  constructor() {
    super();
    return bindingProxy(this);
  }
}
@Controller({ path: 'v1/scoped-proxy', scope: Scope.REQUEST })
class ScopedProxiedController extends ProxiedController {}

@RequireRoles('editor')
@Injectable()
class ProxiedProvider {
  constructor() {
    return bindingProxy(this);
  }
}

@Controller('v1/shared')
class SharedController extends Answering {
  constructor() {
    super();
    Object.assign(this, { secret: Reflect.get(this, 'open') });
  }
}
@Controller('v1/accessor')
class AccessorController extends Answering {
  constructor() {
    super();
    Object.defineProperty(this, 'secret', { get: () => Reflect.get(this, 'open') });
  }
}

/** The answers to nobody, a user without roles, an editor, and an editor who is a reader. */
async function codesOf(app: TestApp, path: string): Promise<number[]> {
  const codes = [await app.codeOf(undefined, path)];
  for (const roles of [[], ['editor'], ['editor', 'reader']]) {
    codes.push(await app.codeOf(await app.issueToken({ roles }), path));
  }
  return codes;
}

const OPEN = [200, 200, 200, 200];
const FOR_EDITORS = [40100, 40300, 200, 200];
const FOR_BOTH_ROLES = [40100, 40300, 40300, 200];

describe('handlers', () => {
  const app = sharedTestApp({
    controllers: [
      BoundController,
      InheritingController,
      ScopedController,
      TimedController,
      ScopedProxiedController,
    ],
    configure: (nest) =>
      nest.use((incoming: { raw?: unknown }, _response: unknown, next: () => void) => {
        incoming.raw = { not: 'a request' };
        next();
      }),
  });

  it.each([
    ['/v1/bound/open', OPEN],
    ['/v1/bound/secret', FOR_EDITORS],
    ['/v1/bound/wrapped', FOR_EDITORS],
    ['/outside/wrapped', FOR_EDITORS],
    ['/v1/scoped/secret', FOR_EDITORS],
    ['/v1/timed/open', OPEN],
    ['/v1/timed/once', FOR_EDITORS],
    ['/v1/timed/between', FOR_BOTH_ROLES],
    ['/v1/timed/closed', [40100, 200, 200, 200]],
  ])('%s keeps its decorators though the method is replaced', async (path, expected) => {
    expect(await codesOf(app, path)).toEqual(expected);
  });

  it.each([
    ['/v1/scoped/wrapped', 'ScopedController replaces one of its handlers'],
    ['/v1/scoped-proxy/secret', 'The handler of /v1/scoped-proxy/secret is not a method of a controller'],
  ])('never run where a request-scoped instance hides what they are: %s', async (path, line) => {
    expect(await codesOf(app, path)).toEqual([500, 500, 500, 500]);
    expect(app.logs.all()).toContain(line);
  });

  it('are reported with their names and decorators', () => {
    const routes = app.get(RouteAccessReport).routes();
    const role = (name: string) => ({ kind: 'role', names: [name], mode: 'all' });
    expect(routes.find(({ path }) => path === '/outside/wrapped')?.requires).toEqual([role('editor')]);
    expect(routes.find(({ path }) => path === '/v1/timed/between')).toMatchObject({
      handler: 'TimedController.between',
      requires: [role('reader'), role('editor')],
    });
  });

  it.each<[string, string, Type[], Type[]]>([
    ['one function replaces several methods', 'SharedController.secret', [SharedController], []],
    ['a controller hides its class', 'ProxiedController', [ProxiedController], []],
    ['a provider with decorators hides its class', 'ProxiedProvider', [], [ProxiedProvider]],
    ['an accessor gives another handler', 'AccessorController.secret', [AccessorController], []],
  ])('end start-up where %s', async (_name, culprit, controllers, providers) => {
    const attempt = testApp({ controllers, providers });
    await expect(attempt).rejects.toThrow(IllegalStateException);
    await expect(attempt).rejects.toThrow(culprit);
  });
});
