import { authFeature } from 'kit-auth/feature';
import { SecondFactorModule, SecondFactorStep } from 'kit-auth/store';
import { Enrolment } from './account/enrolment.js';
import { FactorCleanup } from './account/factor.cleanup.js';
import { FactorReset } from './account/factor.reset.js';
import { OwnFactors } from './account/own-factors.js';
import { UserFactors } from './account/user-factors.js';
import { CodeFactors } from './codes/code.factors.js';
import { DeviceCodes } from './codes/device.codes.js';
import { SecretSealer } from './secrets/secret.sealer.js';
import { factorAdditions, factorsApi } from './factors.api.js';
import { KitAuthFactorsController, KitAuthUserFactorsController } from './factors.controller.js';
import { factorsOptions, type KitAuthFactorsOptions } from './factors.options.js';
import { FactorStore } from './stores/factor.store.js';

/**
 * A second factor: codes of authenticator apps, and recovery codes. Users who have added one need it at every login.
 * Import it once, with `forRoot()` or `forRootAsync()`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthFactorsModule.forRoot({ keys: [process.env.FACTOR_KEY], issuer: 'App', requiredFor: ['admin'] }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthFactorsModule extends authFeature<KitAuthFactorsOptions>('kit-auth-factors', {
  isGlobal: true,
  options: factorsOptions,
  needs: { proof: true, store: ['findByUsername', 'stampOf'] },
  imports: [SecondFactorModule],
  endpoints: factorsApi,
  additions: factorAdditions,
  controllers: [KitAuthFactorsController, KitAuthUserFactorsController],
  steps: [SecondFactorStep], // It runs where this module stands among the imports.
  factors: [CodeFactors],
  sinks: [FactorCleanup],
  providers: [FactorStore, SecretSealer, DeviceCodes, Enrolment, OwnFactors, UserFactors, FactorReset],
  exports: [UserFactors],
}) {}
