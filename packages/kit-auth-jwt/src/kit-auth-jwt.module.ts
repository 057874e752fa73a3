import { Module } from '@nestjs/common';
import { AUTH_PROVIDER, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { JwtCodec } from './jwt.codec.js';
import { JwtAuthProvider } from './jwt.provider.js';
import { SIGNING_KEY, signingKey } from './signing-key.js';

/**
 * Stateless HS256 tokens. The options `kit.auth.jwt.*` belong to `KitAuthModule`.
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
@Module({
  providers: [
    {
      provide: SIGNING_KEY,
      inject: [{ token: KIT_AUTH_SETTINGS, optional: true }],
      // Without the core there is no key, and the provider fails at start-up.
      useFactory: (settings?: KitAuthSettings) => settings && signingKey(settings),
    },
    JwtCodec,
    JwtAuthProvider,
    { provide: AUTH_PROVIDER, useExisting: JwtAuthProvider },
  ],
})
export class KitAuthJwtModule {}
