import { Module } from '@nestjs/common';
import { JwtModule, type JwtModuleOptions } from '@nestjs/jwt';
import { AUTH_PROVIDER, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { hs256, JwtCodec } from './jwt.codec.js';
import { JwtAuthProvider } from './jwt.provider.js';
import { signingKey } from './signing-key.js';

/** Stateless HS256 tokens. Reads `kit.auth.jwt.*` from the core's settings and has none of its own. */
@Module({
  imports: [
    JwtModule.registerAsync({
      inject: [{ token: KIT_AUTH_SETTINGS, optional: true }],
      useFactory: (settings?: KitAuthSettings): JwtModuleOptions =>
        settings === undefined ? {} : hs256(signingKey(settings)),
    }),
  ],
  providers: [JwtCodec, JwtAuthProvider, { provide: AUTH_PROVIDER, useExisting: JwtAuthProvider }],
})
export class KitAuthJwtModule {}
