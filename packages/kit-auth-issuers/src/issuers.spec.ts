import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { AUTH_PROVIDER, KitAuthModule } from 'kit-auth';
import { AUTH_IDENTITIES } from 'kit-auth/feature';
import { CapableUsersModule, PlainProvider, testApp, type TestAppOptions } from 'test-support';
import { type Issuer, KitAuthIssuersModule } from './index.js';
import { FakeIssuer } from './testing.js';

const ISS = 'https://login.example.com/realms/company';
const { jwks } = new FakeIssuer({ issuer: ISS, audience: 'api' });

const start = (user: Issuer['user'], { imports = [], ...rest }: TestAppOptions = {}) =>
  testApp({
    database: false,
    core: KitAuthModule.forRoot({ users: CapableUsersModule }),
    ...rest,
    imports: [
      KitAuthIssuersModule.forRoot({ issuers: [{ issuer: ISS, audience: 'a', jwks, user }] }),
      ...imports,
    ],
  });

const OtherIssuers = KitAuthIssuersModule.forRoot({
  issuers: [{ issuer: 'https://other.example', audience: 'api', jwks, user: () => undefined }],
});

@Module({ providers: [{ provide: AUTH_IDENTITIES, useValue: { find: () => undefined } }] })
class HalfIdentitiesModule {}

class IssuingProvider extends PlainProvider {
  readonly issuer = ISS;
}
@Module({ providers: [{ provide: AUTH_PROVIDER, useClass: IssuingProvider }] })
class IssuingProviderModule {}

describe('the users of an issuer', () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'of claims where ids are numbers',
      () => start({ claims: {} }),
      /user\.claims for https:.* but ids of the user store are numbers\. Use user: 'linked', a function, or a user store/,
    ],
    [
      'linked where nothing knows their identities',
      () => start('linked'),
      /user: 'linked' for https:.* Import KitAuthOidcModule of 'kit-auth-oidc'/,
    ],
    [
      'linked where the identities lack the method',
      () => start('linked', { imports: [HalfIdentitiesModule] }),
      /does not implement AuthIdentities: it lacks userOf/,
    ],
    [
      'of our own issuer',
      () => start(() => undefined, { provider: IssuingProviderModule }),
      /"plain" and the credential "issuer:.*" both resolve tokens of the issuer "https:/,
    ],
    [
      'in two modules, of different issuers',
      () => start(() => undefined, { imports: [OtherIssuers] }),
      /There is more than one KitAuthIssuersModule\.forRoot\(\)/,
    ],
  ])('cannot be %s', async (_which, starting, message) => {
    await expect(starting()).rejects.toThrow(message);
  });
});
