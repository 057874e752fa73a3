import { Module } from '@nestjs/common';
import { AuthErrorCode, KIT_AUTH_SETTINGS } from 'kit-auth';
import { AUTH_OPERATIONS, CommandHooks, declareReasons, endpointsIf } from 'kit-auth/feature';
import {
  JwksAnswer,
  KitAuthJwksController,
  KitAuthWellKnownJwksController,
  publishesKeys,
  publishesWellKnown,
} from './jwks.controller.js';
import { jwtApi } from './jwt.api.js';
import { JwtCodec } from './jwt.codec.js';
import { JwtKeys } from './jwt.keys.js';
import { JwtAuthProvider } from './jwt.provider.js';

const SETTINGS = [{ token: KIT_AUTH_SETTINGS, optional: true }];

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
// Not an authFeature(): it has no options, and must load without KitAuthModule, whose absence JwtAuthProvider reports.
@CommandHooks()
@Module({
  controllers: [KitAuthJwksController, KitAuthWellKnownJwksController],
  providers: [
    JwtKeys,
    JwtCodec,
    JwtAuthProvider,
    JwksAnswer,
    endpointsIf(KitAuthJwksController, SETTINGS, publishesKeys),
    endpointsIf(KitAuthWellKnownJwksController, SETTINGS, publishesWellKnown),
    { provide: AUTH_OPERATIONS, useValue: { name: 'kit-auth-jwt', endpoints: jwtApi } },
    declareReasons({ [AuthErrorCode.TOKEN_INVALID]: ['malformed', 'signature', 'expired', 'revoked'] }),
  ],
  exports: [JwtAuthProvider],
})
export class JwtTokensModule {}
