import { type DynamicModule, Module } from '@nestjs/common';
import {
  AUTH_PROVIDER,
  AUTH_USER_STORE,
  type AuthUserStore,
  KitAuthModule,
  type KitAuthModuleExtras,
  type KitAuthOptions,
} from 'kit-auth';
import { defaultUsersModule } from 'kit-auth/tools';
import { TestAuthProvider } from './test-auth.provider.js';
import { TestUserStore } from './test-user.store.js';

/** The options of `KitAuthModule`, if a test needs those of the application, and options for tests. */
export interface KitAuthTestingOptions extends KitAuthOptions, KitAuthModuleExtras {
  /** The type of the user ids. Default: `number`. */
  idType?: 'number' | 'string' | undefined;
  /**
   * Loads `request.user`, like `requestUser` of your user store. Default: it is the `LoginUser`. With `users`, that store
   * decides.
   */
  requestUser?: AuthUserStore['requestUser'];
}

/** The part of `TestingModuleBuilder` that this package uses. It does not import `@nestjs/testing`. */
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
 * An implementation for tests. Its tokens are for `actingAs()`. It needs neither password hashes nor a database.
 *
 * Use `forRoot()` to test one module of your application: it includes `KitAuthModule`, with users in memory. Use
 * `replaceIn()` to replace the implementation and the default users of a whole application. The class itself is only
 * the implementation: `overrideModule(KitAuthJwtModule).useModule(KitAuthTestingModule)` keeps the users.
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
    const { idType, requestUser, users = testUsers(idType, requestUser), ...core } = options;
    return { module: KitAuthTestingModule, imports: [KitAuthModule.forRoot({ ...core, users })] };
  }

  /**
   * Replaces the implementation of a whole application, and the default users, if it has them. Sessions are in memory.
   * A user store of the application stays.
   *
   * @param builder the result of `Test.createTestingModule()`
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

function testUsers(idType?: 'number' | 'string', requestUser?: AuthUserStore['requestUser']): DynamicModule {
  const useValue = Object.assign(new TestUserStore(idType), requestUser && { requestUser });
  return { module: TestUsersModule, providers: [{ provide: AUTH_USER_STORE, useValue }] };
}

/** Called by applications that import `kit-auth-session` only. */
async function newSessionStore(): Promise<unknown> {
  const { MemorySessionStore } = await import('kit-auth-session');
  return new MemorySessionStore();
}
