import { type DynamicModule, Module } from '@nestjs/common';
import {
  AUTH_PROVIDER,
  AUTH_USER_STORE,
  KitAuthModule,
  type KitAuthModuleExtras,
  type KitAuthOptions,
} from 'kit-auth';
import { defaultUsersModule } from 'kit-auth/extend';
import { TestAuthProvider } from './test-auth.provider.js';
import { TestUserStore } from './test-user.store.js';

/** The options of `KitAuthModule`, for tests that need those of the application, and two of the test. */
export interface KitAuthTestingOptions extends KitAuthOptions, KitAuthModuleExtras {
  /** The type of the user ids. Default: `number`. */
  idType?: 'number' | 'string' | undefined;
}

/** The part of `TestingModuleBuilder` that is used. This package does not import `@nestjs/testing`. */
interface ModuleBuilder {
  overrideModule(module: never): { useModule(replacement: never): unknown };
  overrideProvider(token: unknown): {
    useValue(value: unknown): unknown;
    useFactory(options: { factory: () => unknown }): unknown;
  };
}

/** The store of the sessions in `kit-auth-session`, which an application need not have installed. */
const SESSION_STORE = Symbol.for('kit-auth-session.store');

/**
 * An implementation for tests. Its tokens are for `actingAs()`; it needs no password hash and no database.
 *
 * `forRoot()` brings `KitAuthModule` too, with users in memory: for tests of one module of your application.
 * `replaceIn()` replaces the implementation and the default users of a whole application. The class itself is the
 * implementation alone: `overrideModule(KitAuthJwtModule).useModule(KitAuthTestingModule)` keeps the users.
 *
 * @example
 * ```ts
 * const module = await Test.createTestingModule({ imports: [NotesModule, KitAuthTestingModule.forRoot()] }).compile();
 * ```
 */
@Module({
  providers: [TestAuthProvider, { provide: AUTH_PROVIDER, useExisting: TestAuthProvider }],
})
export class KitAuthTestingModule {
  /** Tests a module without the module that imports `KitAuthModule`. */
  static forRoot(options: KitAuthTestingOptions = {}): DynamicModule {
    const { idType, users = testUsers(idType), ...core } = options;
    return { module: KitAuthTestingModule, imports: [KitAuthModule.forRoot({ ...core, users })] };
  }

  /**
   * Replaces the implementation of a whole application, and its users if it has those of TypeORM. Sessions are in
   * memory. Users of the application's own stay.
   *
   * @param builder what `Test.createTestingModule()` returns
   * @returns the same builder
   *
   * @example
   * ```ts
   * const builder = Test.createTestingModule({ imports: [AppModule] });
   * const module = await KitAuthTestingModule.replaceIn(builder).compile();
   * ```
   */
  static replaceIn<Builder extends ModuleBuilder>(builder: Builder): Builder {
    builder.overrideProvider(AUTH_PROVIDER).useValue(new TestAuthProvider());
    builder.overrideProvider(SESSION_STORE).useFactory({ factory: newSessionStore });
    const defaultUsers = defaultUsersModule();
    if (defaultUsers !== undefined) {
      builder.overrideModule(defaultUsers as never).useModule(testUsers() as never);
    }
    return builder;
  }
}

class TestUsersModule {}

function testUsers(idType?: 'number' | 'string'): DynamicModule {
  return {
    module: TestUsersModule,
    providers: [{ provide: AUTH_USER_STORE, useValue: new TestUserStore(idType) }],
  };
}

/** Called by applications that import `kit-auth-session` only. */
async function newSessionStore(): Promise<unknown> {
  const { MemorySessionStore } = await import('kit-auth-session');
  return new MemorySessionStore();
}
