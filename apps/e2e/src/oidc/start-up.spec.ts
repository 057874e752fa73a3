import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { AUTH_ADDRESSES, KitAuthModule } from 'kit-auth';
import { KitAuthEmailModule } from 'kit-auth-email';
import { google, KitAuthOidcModule, type KitAuthOidcOptions, type SignUpPolicy } from 'kit-auth-oidc';
import {
  CapableUsersModule,
  type Import,
  PlainProviderModule,
  PlainUsersModule,
  testApp,
  type TestAppOptions,
} from 'test-support';
import { API, OidcApp, PAGE } from './app.js';

const PROVIDERS = [google({ clientId: 'app', clientSecret: 'secret' })];
const OPTIONS: KitAuthOidcOptions = { providers: PROVIDERS, redirectBase: API, returnTo: [PAGE] };
const EMAIL: Import = KitAuthEmailModule.forRoot({
  links: { reset: 'https://app.example/reset#{token}', verify: 'https://app.example/verify#{token}' },
  mailer: { send: () => Promise.resolve() },
});
const withOidc = (oidc: KitAuthOidcOptions, rest: TestAppOptions = {}) =>
  testApp({ ...rest, imports: [KitAuthOidcModule.forRoot(oidc), ...(rest.imports ?? [])] });

class NotProvided implements SignUpPolicy {
  decide() {
    return undefined;
  }
}

@Module({
  providers: [{ provide: AUTH_ADDRESSES, useValue: { addressOf: () => Promise.resolve(undefined) } }],
})
class HalfAddressesModule {}

describe('start-up with kit-auth-oidc', () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'without providers',
      () => withOidc({}),
      /kit\.auth\.oidc\.providers is missing.*redirectBase is missing/,
    ],
    [
      'with tokens that keep no proof',
      () => withOidc(OPTIONS, { provider: PlainProviderModule }),
      /kit-auth-oidc cannot be used with plain: its tokens do not record/,
    ],
    [
      'with a user store without stamps',
      () => withOidc(OPTIONS, { core: KitAuthModule.forRoot({ users: PlainUsersModule }) }),
      /kit-auth-oidc needs a user store with the method stampOf, which PlainUsers lacks/,
    ],
    [
      'with two imports',
      () => withOidc(OPTIONS, { imports: [KitAuthOidcModule.forRoot(OPTIONS)] }),
      /There is more than one KitAuthOidcModule\.forRoot\(\)/,
    ],
    [
      'with sign-ups where nobody knows whose an address is',
      () => withOidc({ ...OPTIONS, signUp: 'open' }),
      /kit\.auth\.oidc\.signUp must not be 'open' .* Import KitAuthEmailModule, provide AUTH_ADDRESSES, or use a policy/,
    ],
    [
      'with sign-ups into a store that creates no users',
      () =>
        withOidc(
          { ...OPTIONS, signUp: 'open' },
          { imports: [EMAIL], core: KitAuthModule.forRoot({ users: CapableUsersModule }) },
        ),
      /kit\.auth\.oidc\.signUp needs a user store with the method createUser/,
    ],
    [
      'with a policy that no module provides',
      () => withOidc({ ...OPTIONS, signUp: NotProvided }),
      /kit\.auth\.oidc\.signUp names the class NotProvided, which no module provides/,
    ],
    [
      'with a role that does not exist',
      () => withOidc({ ...OPTIONS, signUp: 'open', roles: ['member'] }, { imports: [EMAIL] }),
      /kit\.auth\.oidc\.roles names the role member, which does not exist/,
    ],
    [
      'with a role that makes administrators',
      () => withOidc({ ...OPTIONS, signUp: 'open', roles: ['SUPER_ADMIN'] }, { imports: [EMAIL] }),
      /kit\.auth\.oidc\.roles names the role SUPER_ADMIN, which grants everything/,
    ],
    [
      'with addresses that lack a method',
      () => withOidc(OPTIONS, { imports: [HalfAddressesModule] }),
      /AuthAddresses.*(ownerOf|keepVerified)/,
    ],
  ])('fails %s', async (_how, start, message) => {
    await expect(start()).rejects.toThrow(message);
  });

  it('needs no provider that answers', async () => {
    const app = await new OidcApp({ oidc: { providers: PROVIDERS } }).start();
    expect((await app.call(undefined, 'GET', 'oidc')).json).toEqual([{ name: 'google', title: 'Google' }]);
    expect(app.logs.all()).not.toContain('discovery');
  });

  it('takes its options from forRootAsync, and from the options of KitAuthModule', async () => {
    const app = await testApp({
      imports: [KitAuthOidcModule.forRootAsync({ useFactory: async () => OPTIONS })],
    });
    expect((await app.call(undefined, 'GET', 'oidc')).status).toBe(200);
    const other = await testApp({ options: { oidc: OPTIONS }, imports: [KitAuthOidcModule.forRoot()] });
    expect((await other.call(undefined, 'GET', 'oidc')).status).toBe(200);
  });

  it('answers 404 while kit.auth.enabled is false', async () => {
    const app = await testApp({
      provider: false,
      options: { enabled: false },
      imports: [KitAuthOidcModule.forRoot(OPTIONS)],
    });
    expect((await app.request('/v1/api/auth/oidc')).status).toBe(404);
    expect((await app.request('/v1/api/auth/oidc/google/start')).status).toBe(404);
  });
});
