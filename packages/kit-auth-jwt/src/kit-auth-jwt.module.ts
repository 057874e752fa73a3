import { Module } from '@nestjs/common';
import { AUTH_PROVIDER } from 'kit-auth';
import { CommandHooks } from 'kit-auth/feature';
import { JwtTokensModule } from './jwt-tokens.module.js';
import { JwtAuthProvider } from './jwt.provider.js';

/**
 * Stateless JWTs, signed with a secret or a ring of keys. The options `kit.auth.jwt.*` belong to `KitAuthModule`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET, expireMinutes: 60 } }),
 *     KitAuthJwtModule,
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Module({
  imports: [JwtTokensModule],
  providers: [{ provide: AUTH_PROVIDER, useExisting: JwtAuthProvider }],
})
export class KitAuthJwtModule {}
