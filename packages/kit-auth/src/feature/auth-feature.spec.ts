import { describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Header, HttpCode, Module, type Type } from '@nestjs/common';
import { AUTH_PROVIDER } from '../contract/auth-provider.js';
import { KitAuthController } from '../endpoints/controller.js';
import { Endpoint, endpoints } from '../endpoints/endpoint.js';
import { object, TEXT, value } from '../endpoints/schema.js';
import { KitAuthModule } from '../kit-auth.module.js';
import { documentKitAuth } from '../openapi.js';
import { Public } from '../routes/require.decorators.js';
import { CapableUsersModule, PlainUsersModule, testApp, type TestAppOptions } from 'test-support';
import { authFeature, type FeatureDefinition } from './auth-feature.js';

const api = endpoints({
  'GET notes': { id: 'appNotes', summary: 'Counts the notes', answer: object({ id: TEXT }) },
});

@KitAuthController()
class NotesController {
  @Endpoint(api, 'GET notes')
  count() {
    return { id: '7' };
  }
}

@KitAuthController()
class OtherNotesController extends NotesController {}

@KitAuthController()
class BetterNotesController extends NotesController {
  @Endpoint(api, 'GET notes')
  override count() {
    return { id: '8' };
  }
}

@KitAuthController()
class SilentNotesController extends NotesController {
  override count() {
    return { id: '9' };
  }
}

function start(definition: FeatureDefinition, options: TestAppOptions = {}) {
  class NotesModule extends authFeature('app-notes', definition) {}
  const imports = [NotesModule, ...(options.imports ?? [])];
  return testApp({ database: false, core: coreWith(CapableUsersModule), ...options, imports });
}

const coreWith = (users: Type, enabled = true) => KitAuthModule.forRoot({ users, enabled });

const HANDLED = "exactly one method of its controllers must have @Endpoint(..., 'GET notes')";

describe('a feature', () => {
  it('starts if each endpoint has one handler', async () => {
    const app = await start({ endpoints: api, controllers: [NotesController] });
    expect((await app.call(undefined, 'GET', 'notes')).json.code).toBe(40100);
  });

  it('may override the handler of a base class', async () => {
    const app = await start({ endpoints: api, controllers: [BetterNotesController] });
    expect((await app.call(undefined, 'GET', 'notes')).json.code).toBe(40100);
  });

  it.each<[string, FeatureDefinition]>([
    ['an endpoint without a handler', { endpoints: api }],
    [
      'an overridden handler, which Nest does not route',
      { endpoints: api, controllers: [SilentNotesController] },
    ],
    ['a handler without a declaration', { controllers: [NotesController] }],
    ['two handlers', { endpoints: api, controllers: [NotesController, OtherNotesController] }],
  ])('does not start with %s', async (_, definition) => {
    await expect(start(definition)).rejects.toThrow(`app-notes: ${HANDLED}`);
  });

  it.each<[string, MethodDecorator]>([
    ['a route', Get('more')],
    ['a status', HttpCode(202)],
    ['a header', Header('Cache-Control', 'public')],
    ['access', Public()],
  ])('does not start with a decorator of %s beside @Endpoint()', async (_, decorator) => {
    @KitAuthController()
    class AboveController {
      @decorator
      @Endpoint(api, 'GET notes')
      count() {
        return { id: '7' };
      }
    }
    @KitAuthController()
    class BelowController {
      @Endpoint(api, 'GET notes')
      @decorator
      count() {
        return { id: '7' };
      }
    }
    for (const controller of [AboveController, BelowController]) {
      await expect(start({ endpoints: api, controllers: [controller] })).rejects.toThrow(
        `app-notes: ${controller.name}.count has @Endpoint() and another decorator of a route, an answer or access. ` +
          'Declare it in endpoints() instead.',
      );
    }
  });

  it('does not start with an endpoint in another controller, where no token would be needed', async () => {
    @Controller()
    class OpenController {
      @Endpoint(api, 'GET notes')
      count() {
        return { id: '7' };
      }
    }
    const message =
      'OpenController.count has @Endpoint(), but its controller lacks @KitAuthController(), which requires tokens.';
    await expect(start({ endpoints: api, controllers: [OpenController] })).rejects.toThrow(message);
    @Module({ controllers: [OpenController] })
    class OrdinaryModule {}
    await expect(start({}, { imports: [OrdinaryModule] })).rejects.toThrow(message);
  });

  it('makes JSON schemas for OpenAPI documents only', async () => {
    const json = jest.fn(() => ({ type: 'string' }));
    const lazy = endpoints({
      'GET notes': {
        id: 'appNotes',
        summary: 'Counts the notes',
        answer: object({ id: value<string>(json) }),
      },
    });
    @KitAuthController()
    class LazyController {
      @Endpoint(lazy, 'GET notes')
      count() {
        return { id: '7' };
      }
    }
    const app = await start({ endpoints: lazy, controllers: [LazyController] });
    expect(json).not.toHaveBeenCalled();
    const paths = { '/v1/api/auth/notes': { get: {} } };
    expect(documentKitAuth({ paths }, app.nest).paths['/v1/api/auth/notes']).toMatchObject({
      get: { tags: ['app-notes'], operationId: 'appNotes' },
    });
    expect(json).toHaveBeenCalled();
  });

  it('does not start with an id of another package', async () => {
    const taken = endpoints({ 'GET notes': { id: 'kitAuthMe', summary: 'Counts the notes' } });
    @KitAuthController()
    class TakenController {
      @Endpoint(taken, 'GET notes')
      async count(): Promise<void> {
        await Promise.resolve();
      }
    }
    await expect(start({ endpoints: taken, controllers: [TakenController] })).rejects.toThrow(
      "The id 'kitAuthMe' belongs to GET me of kit-auth and to GET notes of app-notes, but an OpenAPI document can have it only " +
        'once. Change one of them in endpoints(), for example by a prefix of its own.',
    );
  });

  it('does not start without what it needs', async () => {
    const core = coreWith(PlainUsersModule);
    await expect(start({ needs: { store: ['findByUsername', 'createUser'] } }, { core })).rejects.toThrow(
      'app-notes needs a user store with the method findByUsername, createUser, which PlainUsers lacks.',
    );
    const extensionName = 'kit-auth-forgetful';
    const useValue = {
      extensionName,
      issueToken: async () => 'x',
      resolveToken: async () => undefined,
      invalidate: async () => {},
    };
    @Module({ providers: [{ provide: AUTH_PROVIDER, useValue }] })
    class ForgetfulModule {}
    await expect(start({ needs: { proof: true } }, { provider: ForgetfulModule })).rejects.toThrow(
      'app-notes cannot be used with kit-auth-forgetful: its tokens do not record how the user logged in.',
    );
  });

  it('is imported once, unless it may be imported more often', async () => {
    class OnceModule extends authFeature('app-notes', {}) {}
    class OftenModule extends authFeature('app-notes', { needs: { many: true } }) {}
    const twice = (module: typeof OnceModule) =>
      testApp({
        database: false,
        core: coreWith(CapableUsersModule),
        imports: [module.forRoot(), module.forRoot({ x: 1 } as never)],
      });
    await expect(twice(OnceModule)).rejects.toThrow(
      'There is more than one OnceModule.forRoot(). Import the module once in the application.',
    );
    await expect(twice(OftenModule)).resolves.toBeDefined();
  });

  it('is imported twice if two copies of its package are, but not beside another module of its name', async () => {
    const copy = () => {
      class TwinModule extends authFeature('app-notes', {}) {}
      return TwinModule;
    };
    const other = () => {
      @Module({})
      class TwinModule {}
      return TwinModule;
    };
    const core = coreWith(CapableUsersModule);
    const together = (...imports: Type[]) => testApp({ database: false, core, imports });
    await expect(together(copy(), copy())).rejects.toThrow('There is more than one TwinModule.forRoot().');
    await expect(together(copy(), other())).resolves.toBeDefined();
  });

  it('needs nothing while kit.auth.enabled is false', async () => {
    const app = await start(
      { endpoints: api, needs: { proof: true, store: ['findByUsername'] } },
      { core: coreWith(PlainUsersModule, false), provider: false },
    );
    expect((await app.call(undefined, 'GET', 'notes')).status).toBe(404);
  });
});
