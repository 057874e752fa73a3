import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import { AuthErrorCode, AUTH_COMMAND, AUTH_CREDENTIAL, AUTH_EVENT_SINK, type AuthCommand } from 'kit-auth';
import { AUTH_OPERATIONS, CommandHooks, declareReasons } from 'kit-auth/extend';
import { KitAuthUserKeysController } from './administration/user-keys.controller.js';
import { UserKeys } from './administration/user-keys.js';
import { KeysEndCommand } from './command-line/keys-end.command.js';
import { KeysListCommand } from './command-line/keys-list.command.js';
import { type KitAuthKeysOptions, keysOptions } from './config/keys.options.js';
import { KitAuthKeysController } from './endpoints/keys.controller.js';
import { ApiKeyCredential } from './keys/api-key.credential.js';
import { ApiKeys } from './keys/api-keys.js';
import { KeyCache } from './keys/key-cache.js';
import { KeyCreation } from './keys/key-creation.js';
import { KeyUses } from './keys/key-uses.js';
import { KeyEnds } from './keys/key.ends.js';
import { keyOperations } from './operations.js';
import { KeysStoreModule } from './stores/keys-store.module.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<KitAuthKeysOptions>()
  .setClassMethodName('forRoot')
  .build();

/**
 * API keys for scripts and services. A key acts for its owner, within the abilities that the owner gave it. Import the
 * class itself, or `forRoot()` or `forRootAsync()` to pass options, once.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthKeysModule.forRoot({ defaultDays: 30 }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Module({
  imports: [KeysStoreModule],
  controllers: [KitAuthKeysController, KitAuthUserKeysController],
  providers: [
    keysOptions.provider(MODULE_OPTIONS_TOKEN),
    ApiKeys,
    KeyCreation,
    KeyCache,
    KeyUses,
    ApiKeyCredential,
    { provide: AUTH_CREDENTIAL, useExisting: ApiKeyCredential },
    KeyEnds,
    { provide: AUTH_EVENT_SINK, useExisting: KeyEnds },
    UserKeys,
    { provide: AUTH_OPERATIONS, useValue: keyOperations },
    KeysListCommand,
    KeysEndCommand,
    {
      provide: AUTH_COMMAND,
      useFactory: (...commands: AuthCommand[]) => commands,
      inject: [KeysListCommand, KeysEndCommand],
    },
    declareReasons({ [AuthErrorCode.TOKEN_INVALID]: ['malformed', 'expired', 'disabled'] }),
  ],
})
export class KitAuthKeysModule extends ConfigurableModuleClass {
  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthKeysOptions = {}): DynamicModule {
    return super.forRoot(options);
  }
}
