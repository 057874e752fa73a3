import { AuthErrorCode } from 'kit-auth';
import { authFeature } from 'kit-auth/feature';
import { keysApi } from './keys.api.js';
import { KitAuthKeysController } from './keys.controller.js';
import { type KitAuthKeysOptions, keysOptions } from './keys.options.js';
import { ApiKeyCredential } from './keys/api-key.credential.js';
import { ApiKeys } from './keys/api-keys.js';
import { KeyCache } from './keys/key-cache.js';
import { KeyCreation } from './keys/key-creation.js';
import { KeyUses } from './keys/key-uses.js';
import { ownedKeys } from './owned-keys.js';
import { KeyStore } from './stores/key.store.js';

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
export class KitAuthKeysModule extends authFeature<KitAuthKeysOptions>('kit-auth-keys', {
  options: keysOptions,
  needs: { many: true }, // The check of prefixes reports a second import, and says more.
  reasons: { [AuthErrorCode.TOKEN_INVALID]: ['malformed', 'expired', 'disabled'] },
  endpoints: keysApi,
  controllers: [KitAuthKeysController],
  owned: ownedKeys,
  credentials: [ApiKeyCredential],
  sinks: [KeyCache],
  providers: [ApiKeys, KeyCreation, KeyUses, KeyStore],
}) {}
