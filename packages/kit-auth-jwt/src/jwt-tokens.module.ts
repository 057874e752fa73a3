import { Module } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { CommandHooks } from 'kit-auth/extend';
import { JwtCodec } from './jwt.codec.js';
import { JwtAuthProvider } from './jwt.provider.js';
import { SIGNING_KEY, signingKey } from './signing-key.js';

/**
 * Provides `JwtAuthProvider` to your own `AUTH_PROVIDER`, for example one that also accepts tokens of another system.
 * Import this module instead of `KitAuthJwtModule`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [JwtTokensModule],
 *   providers: [{ provide: AUTH_PROVIDER, useClass: OldAndNewTokens }], // injects JwtAuthProvider
 * })
 * export class OldAndNewTokensModule {}
 * ```
 */
@CommandHooks()
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
  ],
  exports: [JwtAuthProvider],
})
export class JwtTokensModule {}
