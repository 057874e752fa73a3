import type { ModuleMetadata } from '@nestjs/common';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthConsoleModule } from 'kit-auth-console';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { google, KitAuthOidcModule } from 'kit-auth-oidc';
import { KitAuthPasskeysModule } from 'kit-auth-passkeys';
import { KEY } from '../factors/app.js';

/** Modules of packages for an application with as many endpoints as it can have, besides those of `RegistrationApp`. */
export function modulesWithEndpoints(): NonNullable<ModuleMetadata['imports']> {
  return [
    KitAuthBrowserModule,
    KitAuthConsoleModule,
    KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'Example' }),
    KitAuthKeysModule,
    KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' }),
    KitAuthOidcModule.forRoot({
      providers: [google({ clientId: 'app', clientSecret: 'secret' })],
      redirectBase: 'https://api.example.com',
      returnTo: ['https://api.example.com/login'],
    }),
  ];
}
