import { ConfigurableModuleBuilder, type DynamicModule, forwardRef, Global, Module } from '@nestjs/common';
import { AuthErrorCode, AUTH_PROVIDER, KitAuthContext } from 'kit-auth';
import { ActiveUserStore, CommandHooks, declareReasons, DOCTOR_CHECK } from 'kit-auth/feature';
import { LoginEnds } from 'kit-auth/login';
import {
  type KitAuthSessionOptions,
  type ResolvedSessionOptions,
  sessionOptions,
} from './session.options.js';
import { Lookup, UserCache } from './modes/lookup.js';
import { SESSION_MODE, type SessionMode } from './modes/session-mode.js';
import { StatefulMode } from './modes/stateful.mode.js';
import { StatelessMode } from './modes/stateless.mode.js';
import { Realm } from './realm.js';
import { SessionCleaner } from './session.cleaner.js';
import { SessionManager } from './session.manager.js';
import { SessionAuthProvider } from './session.provider.js';
import { MemorySessionStore, NoDatabaseSessionStore } from './stores/memory.session-store.js';
import { DATABASE_SESSION_STORE, SESSION_STORE, type SessionStore } from './stores/session-store.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthSessionOptions>().setClassMethodName('forRoot').build();

/**
 * Session tokens, which can be revoked. Import the class itself, or `forRoot()` or `forRootAsync()` to pass options, once:
 * `SessionManager` can be injected everywhere.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot(),
 *     KitAuthSessionModule.forRoot({ idleMinutes: 30, maxPerUser: 5 }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
// Not an authFeature(): it must load without KitAuthModule, whose absence SessionAuthProvider reports.
@CommandHooks()
@Global()
@Module({
  imports: [forwardRef(databaseSessions)],
  providers: [
    sessionOptions.provider(MODULE_OPTIONS_TOKEN),
    {
      provide: SESSION_STORE,
      useFactory: (
        { settings: { store } }: ResolvedSessionOptions,
        database?: () => SessionStore,
      ): SessionStore => {
        switch (store) {
          case 'memory':
            return new MemorySessionStore();
          case 'database':
            return database?.() ?? new NoDatabaseSessionStore();
          default:
            return store;
        }
      },
      inject: [sessionOptions.token, { token: DATABASE_SESSION_STORE, optional: true }],
    },
    {
      provide: UserCache,
      useFactory: ({ settings }: ResolvedSessionOptions) => new UserCache(settings.userCacheSeconds * 1000),
      inject: [sessionOptions.token],
    },
    {
      provide: SESSION_MODE,
      useFactory: (
        { settings }: ResolvedSessionOptions,
        store: SessionStore,
        cache: UserCache,
        users?: ActiveUserStore,
        context?: KitAuthContext,
        ends?: LoginEnds,
      ): SessionMode => {
        const lookup = new Lookup(store, cache, users as ActiveUserStore);
        return settings.mode === 'stateless'
          ? new StatelessMode(settings, store, lookup)
          : new StatefulMode(settings, store, lookup, context as KitAuthContext, ends as LoginEnds);
      },
      inject: [
        sessionOptions.token,
        SESSION_STORE,
        UserCache,
        ...[ActiveUserStore, KitAuthContext, LoginEnds].map((token) => ({ token, optional: true })),
      ],
    },
    Realm,
    { provide: DOCTOR_CHECK, useExisting: Realm },
    SessionAuthProvider,
    { provide: AUTH_PROVIDER, useExisting: SessionAuthProvider },
    SessionManager,
    SessionCleaner,
    declareReasons({
      [AuthErrorCode.TOKEN_INVALID]: ['malformed', 'expired', 'idle', 'disabled'],
      [AuthErrorCode.FORBIDDEN]: ['session-limit'],
    }),
  ],
  exports: [SessionManager],
})
export class KitAuthSessionModule extends ConfigurableModuleClass {}

class NoDatabaseModule {}

let loaded: Promise<DynamicModule> | undefined;

/**
 * Loads the database store and TypeORM, if it is installed. Nest calls this when an application is created: the entity
 * must be registered before the data source exists, and the options are not known yet.
 */
function databaseSessions(): Promise<DynamicModule> {
  loaded ??= import('./stores/database-sessions.module.js').then(
    ({ DatabaseSessionsModule: module }) => ({ module }),
    (error: unknown) => {
      if (isTypeOrmMissing(error as NodeJS.ErrnoException)) {
        return { module: NoDatabaseModule };
      }
      throw error;
    },
  );
  return loaded;
}

/** The error code depends on the loader: Node or a test runner, with `import` or `require`. */
function isTypeOrmMissing({ code = '', message }: NodeJS.ErrnoException): boolean {
  return /^(ERR_)?MODULE_NOT_FOUND$/.test(code) && /'(@nestjs\/)?typeorm'/.test(message);
}
