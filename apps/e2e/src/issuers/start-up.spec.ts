import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import { AUTH_IDENTITIES } from 'kit-auth/extend';
import { AUTH_PROVIDER, KitAuthModule } from 'kit-auth';
import { type Issuer, KitAuthIssuersModule, type KitAuthIssuersOptions } from 'kit-auth-issuers';
import { PlainProvider, testApp, type TestAppOptions } from 'test-support';
import { COMPANY, fakeIssuer, IssuersApp } from './app.js';
import { OwnUsersModule } from '../users/own-users.js';

const { fake, options: ISSUER } = fakeIssuer({ user: () => undefined });
const withIssuers = (issuers: KitAuthIssuersOptions, rest: TestAppOptions = {}) =>
  testApp({ ...rest, imports: [KitAuthIssuersModule.forRoot(issuers), ...(rest.imports ?? [])] });
const withIssuer = (issuer: Partial<Issuer>, rest?: TestAppOptions) =>
  withIssuers({ issuers: [{ ...ISSUER, ...issuer }] }, rest);

@Module({ providers: [{ provide: AUTH_IDENTITIES, useValue: { find: () => undefined } }] })
class HalfIdentitiesModule {}

class IssuingProvider extends PlainProvider {
  readonly issuer = COMPANY;
}
@Module({ providers: [{ provide: AUTH_PROVIDER, useClass: IssuingProvider }] })
class IssuingProviderModule {}

describe('start-up with kit-auth-issuers', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['without issuers', () => withIssuers({}), /kit\.auth\.issuers\.issuers is missing/],
    [
      'without an audience',
      () => withIssuer({ audience: '' }),
      /kit\.auth\.issuers\.issuers has an issuer at position 1 \(https:.*audience must be the "aud"/,
    ],
    [
      'with a mapping that makes administrators',
      () => withIssuer({ user: { claims: { roles: { fromClaim: 'roles', map: { a: 'SUPER_ADMIN' } } } } }),
      /must not name SUPER_ADMIN/,
    ],
    [
      'with users of claims where ids are numbers',
      () => withIssuer({ user: { claims: {} } }),
      /user\.claims for https:.* but ids of the user store are numbers\. Use user: 'linked', a function, or a user store/,
    ],
    [
      'with linked users where nothing knows their identities',
      () => withIssuer({ user: 'linked' }),
      /user: 'linked' for https:.* Import KitAuthOidcModule of 'kit-auth-oidc'/,
    ],
    [
      'with identities that lack the method',
      () => withIssuer({ user: 'linked' }, { imports: [HalfIdentitiesModule] }),
      /does not implement AuthIdentities: it lacks userOf/,
    ],
    [
      'with two imports',
      () =>
        withIssuer(
          {},
          {
            imports: [
              KitAuthIssuersModule.forRoot({ issuers: [{ ...ISSUER, issuer: 'https://other.example' }] }),
            ],
          },
        ),
      /There is more than one KitAuthIssuersModule\.forRoot\(\)/,
    ],
    [
      'with the own issuer',
      () => withIssuer({}, { provider: IssuingProviderModule }),
      /"plain" and the credential "issuer:.*" both resolve tokens of the issuer "https:/,
    ],
  ])('fails %s', async (_how, start, message) => {
    await expect(start()).rejects.toThrow(message);
  });

  it('needs no issuer that answers, and says so', async () => {
    const fetching = jest
      .spyOn(globalThis, 'fetch')
      .mockRejectedValue(
        Object.assign(new TypeError('fetch failed'), { cause: new Error('connect ECONNREFUSED') }),
      );
    const { jwks: _, ...remote } = ISSUER;
    const app = await new IssuersApp({ issuers: { issuers: [remote] } }).start();
    expect(await app.codeOf(await app.tokenOf(await app.user()))).toBe(200);
    expect(await app.stateOf(fake.token({ sub: 'ada' }))).toBe('50300 undefined');
    expect(fetching).toHaveBeenCalledTimes(1);
    expect(app.logs.all()).toContain(
      `[issuers] no keys from ${COMPANY.slice(8)}: Error: connect ECONNREFUSED`,
    );
    expect(app.heard('issuer-unavailable')).toEqual([
      expect.objectContaining({
        success: false,
        actorId: null,
        address: null,
        detail: expect.stringContaining('ECONNREFUSED'),
      }),
    ]);
  });

  it('takes its options from forRootAsync, and from the options of KitAuthModule', async () => {
    const issuers = { issuers: [{ ...ISSUER, user: () => ada.id }] };
    const app = await testApp({
      imports: [KitAuthIssuersModule.forRootAsync({ useFactory: async () => issuers })],
    });
    const ada = await app.user();
    expect(await app.stateOf(fake.token({ sub: 'ada' }))).toBe('live');
    const other = await testApp({ options: { issuers }, imports: [KitAuthIssuersModule.forRoot()] });
    await other.user();
    await other.user();
    expect(await other.stateOf(fake.token({ sub: 'ada' }))).toBe('live');
  });

  it('does nothing while kit.auth.enabled is false', async () => {
    const fetching = jest.spyOn(globalThis, 'fetch');
    const { jwks: _, ...remote } = ISSUER;
    const app = await testApp({
      provider: false,
      options: { enabled: false },
      imports: [KitAuthIssuersModule.forRoot({ issuers: [remote], resource: 'https://api.example.com' })],
    });
    expect((await app.request('/.well-known/oauth-protected-resource')).status).toBe(404);
    expect(fetching).not.toHaveBeenCalled();
  });

  it('takes users of claims where ids are texts', async () => {
    const user = {
      claims: {
        roles: { fromClaim: 'realm_access.roles', map: { 'app-editor': 'editor' } },
        permissions: { fromScope: { 'notes.read': ['note:read'] } },
      },
    };
    const other = fakeIssuer({ user }, 'https://other.example');
    const app = await new IssuersApp({
      admin: false,
      core: KitAuthModule.forRoot({ users: OwnUsersModule }),
      issuers: { issuers: [{ ...ISSUER, user }, other.options], resource: 'https://api.example.com' },
    }).start();
    const claims = {
      sub: '4711',
      name: 'Ada',
      scope: 'openid notes.read',
      realm_access: { roles: ['app-editor'] },
    };
    const { json } = await app.request('/v1/notes/mine', { token: fake.token(claims) });
    expect(json.user).toEqual({
      userId: expect.stringMatching(/^ext_[a-z2-7]{26}$/),
      username: '4711',
      nickname: 'Ada',
      superAdmin: false,
      roles: ['editor'],
      permissions: ['note:read'],
    });
    const elsewhere = await app.request('/v1/notes/mine', { token: other.fake.token(claims) });
    expect(elsewhere.json.user.userId).not.toBe(json.user.userId);
    const codes = ['/v1/notes', '/v1/notes/drafts', '/v1/api/auth/me'].map((path) =>
      app.codeOf(fake.token(claims), path),
    );
    expect(await Promise.all(codes)).toEqual([200, 200, 200]);
    const bare = fake.token({ sub: '4711' });
    expect([await app.codeOf(bare, '/v1/notes'), await app.codeOf(bare, '/v1/notes/drafts')]).toEqual([
      40300, 40300,
    ]);
    const metadata = await app.request('/.well-known/oauth-protected-resource');
    expect(metadata.json.scopes_supported).toEqual(['notes.read']);
  });
});
