import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { AuthErrorCode, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { Factors, FreshOptionsModule } from 'kit-auth/login';
import { authFeature } from 'kit-auth/feature';
import { OneTimeModule, SecondFactorModule, SecondFactorStep } from 'kit-auth/store';
import { OwnPasskeys } from './account/own-passkeys.js';
import { ownedPasskeys } from './account/owned-passkeys.js';
import { UserPasskeys } from './account/user-passkeys.js';
import { Ceremonies } from './ceremonies/ceremonies.js';
import { PasskeyCheck } from './ceremonies/passkey.check.js';
import { PasskeyLimits } from './ceremonies/passkey.limits.js';
import { WebAuthn } from './ceremonies/web-authn.js';
import { PasskeyFactor } from './login/passkey.factor.js';
import { PasskeyLogin } from './login/passkey.login.js';
import { passkeyAdditions, passkeysApi } from './passkeys.api.js';
import {
  KitAuthPasskeyLoginController,
  KitAuthPasskeysController,
  KitAuthRelatedOriginsController,
} from './passkeys.controller.js';
import { type KitAuthPasskeysOptions, passkeysOptions, RelyingParty } from './passkeys.options.js';
import { PasskeyStore } from './stores/passkey.store.js';

@Injectable()
class RecoveryWarning implements OnApplicationBootstrap {
  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly core: Pick<KitAuthSettings, 'enabled'>,
    private readonly factors: Factors,
  ) {}

  onApplicationBootstrap(): void {
    if (this.core.enabled && !this.factors.names().includes('recovery')) {
      new Logger('KitAuth').warn('[passkeys] a user who loses every passkey needs an administrator');
    }
  }
}

/**
 * Passkeys: users log in with a fingerprint, a face or the PIN of a device, without a password. Import it once, with
 * `forRoot()` or `forRootAsync()`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthPasskeysModule extends authFeature<KitAuthPasskeysOptions>('kit-auth-passkeys', {
  isGlobal: true,
  options: passkeysOptions,
  needs: { proof: true, store: ['stampOf'] },
  reasons: {
    [AuthErrorCode.BAD_REQUEST]: ['not-discoverable'],
    [AuthErrorCode.TOKEN_INVALID]: ['revoked'],
    [AuthErrorCode.FACTOR_FAILED]: ['challenge-ended'],
    [AuthErrorCode.CONFLICT]: ['last'],
  },
  imports: [OneTimeModule, SecondFactorModule, FreshOptionsModule],
  endpoints: passkeysApi,
  additions: passkeyAdditions,
  controllers: [KitAuthPasskeyLoginController, KitAuthPasskeysController, KitAuthRelatedOriginsController],
  owned: ownedPasskeys,
  steps: [SecondFactorStep], // It runs where this module stands among the imports.
  factors: [PasskeyFactor],
  providers: [
    RelyingParty,
    WebAuthn,
    Ceremonies,
    PasskeyCheck,
    PasskeyLimits,
    PasskeyLogin,
    OwnPasskeys,
    UserPasskeys,
    PasskeyStore,
    RecoveryWarning,
  ],
  exports: [UserPasskeys],
}) {}
