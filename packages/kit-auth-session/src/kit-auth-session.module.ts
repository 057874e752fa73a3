import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_PROVIDER, KitAuthContext } from 'kit-auth';
import { AccountChanges, LoginUserLoader } from 'kit-auth/typeorm';
import { ActiveUserStore } from 'kit-auth/extend';
import type { DataSource } from 'typeorm';
import {
  type KitAuthSessionOptions,
  type ResolvedSessionOptions,
  sessionOptions,
} from './config/session.options.js';
import { SESSION_MODE, SESSION_STORE } from './config/tokens.js';
import { Lookup } from './modes/lookup.js';
import type { SessionMode } from './modes/session-mode.js';
import { StatefulMode } from './modes/stateful.mode.js';
import { StatelessMode } from './modes/stateless.mode.js';
import { SessionCleaner } from './session.cleaner.js';
import { SessionManager } from './session.manager.js';
import { SessionAuthProvider } from './session.provider.js';
import { AuthSession } from './stores/auth-session.entity.js';
import { DatabaseSessionStore } from './stores/database.session-store.js';
import { MemorySessionStore } from './stores/memory.session-store.js';
import type { SessionStore } from './stores/session-store.js';
import { UserCache } from './user-cache.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthSessionOptions>().setClassMethodName('forRoot').build();

/** Tokens that name a session, and can be ended. Works bare; `forRoot()` and `forRootAsync()` take its settings. */
@Module({
  imports: [TypeOrmModule.forFeature([AuthSession])],
  providers: [
    sessionOptions.provider(MODULE_OPTIONS_TOKEN),
    {
      provide: SESSION_STORE,
      useFactory: (
        { settings: { store } }: ResolvedSessionOptions,
        dataSource: DataSource,
        users?: LoginUserLoader,
        changes?: AccountChanges,
      ) =>
        store === 'memory'
          ? new MemorySessionStore()
          : store === 'database'
            ? new DatabaseSessionStore(dataSource, users as LoginUserLoader, changes)
            : store,
      inject: [
        ...[sessionOptions.token, getDataSourceToken()],
        ...[LoginUserLoader, AccountChanges].map((token) => ({ token, optional: true })),
      ],
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
      ): SessionMode => {
        const lookup = new Lookup(store, cache, users as ActiveUserStore);
        return settings.mode === 'stateless'
          ? new StatelessMode(settings, store, lookup)
          : new StatefulMode(settings, store, lookup, context as KitAuthContext);
      },
      inject: [
        ...[sessionOptions.token, SESSION_STORE, UserCache],
        ...[ActiveUserStore, KitAuthContext].map((token) => ({ token, optional: true })),
      ],
    },
    SessionAuthProvider,
    { provide: AUTH_PROVIDER, useExisting: SessionAuthProvider },
    SessionManager,
    SessionCleaner,
  ],
  exports: [SessionManager],
})
export class KitAuthSessionModule extends ConfigurableModuleClass {}
