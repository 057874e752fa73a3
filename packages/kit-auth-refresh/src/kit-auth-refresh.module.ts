import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Global,
  Inject,
  Logger,
  Module,
  type OnModuleInit,
} from '@nestjs/common';
import {
  AuthErrorCode,
  AUTH_LOGINS,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
} from 'kit-auth';
import { AUTH_OPERATIONS, CommandHooks, declareReasons } from 'kit-auth/extend';
import {
  type KitAuthRefreshOptions,
  type ResolvedRefreshOptions,
  refreshOptions,
} from './config/refresh.options.js';
import { KitAuthTokenController } from './endpoints/token.controller.js';
import { LoginCleaner } from './login.cleaner.js';
import { AccessTokens } from './logins/access.tokens.js';
import { LoginCheck } from './logins/login.check.js';
import { LoginCache } from './logins/login.cache.js';
import { LoginRenewal } from './logins/login.renewal.js';
import { RefreshLogins } from './logins/refresh.logins.js';
import { RefreshTokens } from './logins/refresh.tokens.js';
import { refreshOperations } from './operations.js';
import { DatabaseLoginsModule } from './stores/database-logins.module.js';
import { FamilySeal } from './tokens/refresh-token.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthRefreshOptions>().setClassMethodName('forRoot').build();

const UNSEALED =
  'kit.auth.jwt.secret is missing, with which kit-auth-refresh seals a column of auth_login, also where kit.auth.jwt.keys sign ' +
  'tokens. Keep the secret that signed tokens before, or set one that "npx kit-auth secret" prints.';

/**
 * Refresh tokens for an implementation without sessions, such as `KitAuthJwtModule`: access tokens of ten minutes, and
 * logins of thirty days that can be listed and ended. Import the class itself, or `forRoot()` or `forRootAsync()` to pass
 * options, once. `@Inject(AUTH_LOGINS) logins: AuthLogins` works in every module.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthRefreshModule.forRoot({ lifetimeDays: 90 }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Global()
@Module({
  imports: [DatabaseLoginsModule],
  controllers: [KitAuthTokenController],
  providers: [
    refreshOptions.provider(MODULE_OPTIONS_TOKEN),
    {
      provide: LoginCache,
      useFactory: ({ settings }: ResolvedRefreshOptions) => new LoginCache(settings.checkSeconds),
      inject: [refreshOptions.token],
    },
    {
      provide: FamilySeal,
      useFactory: ({ jwt }: KitAuthSettings) => new FamilySeal(jwt.secret ?? ''),
      inject: [KIT_AUTH_SETTINGS],
    },
    AccessTokens,
    LoginCheck,
    LoginRenewal,
    RefreshTokens,
    RefreshLogins,
    { provide: AUTH_LOGINS, useExisting: RefreshLogins },
    LoginCleaner,
    { provide: AUTH_OPERATIONS, useValue: refreshOperations },
    declareReasons({
      [AuthErrorCode.TOKEN_INVALID]: ['malformed', 'expired', 'revoked', 'replaced', 'reused'],
      [AuthErrorCode.FORBIDDEN]: ['session-limit'],
    }),
  ],
  exports: [AUTH_LOGINS],
})
export class KitAuthRefreshModule extends ConfigurableModuleClass implements OnModuleInit {
  constructor(@Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings) {
    super();
  }

  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthRefreshOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws IllegalStateException with `kit.auth.strict`, when nothing seals the families of logins */
  onModuleInit(): void {
    const { enabled, strict, jwt } = this.core;
    if (!enabled || jwt.keys === undefined || jwt.secret !== undefined) {
      return;
    }
    if (strict === true) {
      throw new IllegalStateException(`kit.auth.strict refuses this: ${UNSEALED}`);
    }
    new Logger('KitAuth').warn(`[refresh] ${UNSEALED}`);
  }
}
