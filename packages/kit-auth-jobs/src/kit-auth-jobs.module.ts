import { AUTH_MESSAGES, AuthErrorCode } from 'kit-auth';
import { authFeature } from 'kit-auth/feature';
import { CarriedTokens } from './carrying/carried.tokens.js';
import { CarriedCredential, CarriedUsers } from './carrying/carried.users.js';
import { UserCarrier } from './carrying/user.carrier.js';
import { CarriedHandlers } from './handlers/carried.handlers.js';
import { jobsOptions, type KitAuthJobsOptions } from './jobs.options.js';
import { messageInterceptors } from './messages/message.interceptor.js';
import { RpcMessages } from './messages/rpc.messages.js';

/**
 * The user in jobs and messages: carries the current user to workers and microservices, signed and for a limited time.
 * Import it once, with `forRoot()` or `forRootAsync()`, in the applications that send and in those that receive.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthJobsModule.forRoot({ keys: [process.env.JOBS_KEY], audiences: { reports: { hours: 24 } } }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthJobsModule extends authFeature<KitAuthJobsOptions>('kit-auth-jobs', {
  options: jobsOptions,
  reasons: {
    [AuthErrorCode.TOKEN_INVALID]: [
      'malformed',
      'signature',
      'expired',
      'audience',
      'name',
      'data',
      'logged-out',
      'disabled',
    ],
  },
  credentials: [CarriedCredential],
  providers: [
    CarriedTokens,
    CarriedUsers,
    UserCarrier,
    CarriedHandlers,
    RpcMessages,
    { provide: AUTH_MESSAGES, useExisting: RpcMessages },
    messageInterceptors,
  ],
  exports: [UserCarrier],
  isGlobal: true,
}) {}
