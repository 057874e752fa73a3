import { AUTH_LOGINS, AuthErrorCode, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { authFeature } from 'kit-auth/feature';
import { AccessTokens } from './logins/access.tokens.js';
import { LoginCache } from './logins/login.cache.js';
import { LoginCheck } from './logins/login.check.js';
import { LoginRenewal } from './logins/login.renewal.js';
import { RefreshLogins } from './logins/refresh.logins.js';
import { RefreshTokens } from './logins/refresh.tokens.js';
import { loginMembers, refreshApi } from './refresh.api.js';
import { KitAuthTokenController } from './refresh.controller.js';
import {
  type KitAuthRefreshOptions,
  refreshOptions,
  type ResolvedRefreshOptions,
} from './refresh.options.js';
import { databaseLogins } from './stores/database.login-store.js';
import { FamilySeal } from './tokens/refresh-token.js';
import { SealCheckModule } from './tokens/seal-check.module.js';

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
export class KitAuthRefreshModule extends authFeature<KitAuthRefreshOptions>('kit-auth-refresh', {
  isGlobal: true,
  options: refreshOptions,
  needs: { many: true }, // A second import provides AUTH_LOGINS again, and the core refuses that.
  reasons: {
    [AuthErrorCode.TOKEN_INVALID]: ['malformed', 'expired', 'revoked', 'replaced', 'reused'],
    [AuthErrorCode.FORBIDDEN]: ['session-limit'],
  },
  imports: [SealCheckModule],
  endpoints: refreshApi,
  login: loginMembers,
  controllers: [KitAuthTokenController],
  providers: [
    databaseLogins,
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
  ],
  exports: [AUTH_LOGINS],
}) {}
