import { Module } from '@nestjs/common';
import { AUTH_PROVIDER, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { JwtCodec } from './jwt.codec.js';
import { JwtAuthProvider } from './jwt.provider.js';
import { SIGNING_KEY, signingKey } from './signing-key.js';

/** Stateless HS256 tokens. Reads `kit.auth.jwt.*` from the core's settings and has none of its own. */
@Module({
  providers: [
    {
      provide: SIGNING_KEY,
      inject: [{ token: KIT_AUTH_SETTINGS, optional: true }],
      // Without the core there is no key; the provider says so at start-up.
      useFactory: (settings?: KitAuthSettings) => settings && signingKey(settings),
    },
    JwtCodec,
    JwtAuthProvider,
    { provide: AUTH_PROVIDER, useExisting: JwtAuthProvider },
  ],
})
export class KitAuthJwtModule {}
