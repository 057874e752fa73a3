import type { DynamicModule } from '@nestjs/common';
import { KitAuthOidcModule, type OidcProvider } from 'kit-auth-oidc';
import { MEMBER } from '../notes/note-roles.js';

/** Logins with a provider. Whoever has a verified address there gets an account. */
export function providerModules(provider: OidcProvider | undefined, url: string): DynamicModule[] {
  return provider === undefined
    ? []
    : [
        KitAuthOidcModule.forRoot({
          providers: [provider],
          redirectBase: url,
          returnTo: [`${url}/`],
          signUp: 'open',
          roles: [MEMBER],
        }),
      ];
}
