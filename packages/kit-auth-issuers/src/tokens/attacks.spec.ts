import { describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import fc from 'fast-check';
import { AUTH_USER_STORE, AuthException, type AuthUserStore, KitAuthModule, type LoginUser } from 'kit-auth';
import { TokenResolver } from 'kit-auth/login';
import { IssuerKey, JWKS_PATH, pairOf, sharedJwksServer, sharedTestApp, type TokenParts } from 'test-support';
import { KitAuthIssuersModule } from '../index.js';

const SIGNATURE = '40101 signature';
const MALFORMED = '40101 malformed';

const claims = {
  roles: { fromClaim: 'realm_access.roles', map: { 'app-editor': 'editor' } },
  permissions: { fromScope: { 'notes.read': ['note:read'] } },
};

/** Users with ids that are strings, as users from claims have. */
@Injectable()
class StringUsers implements AuthUserStore {
  readonly idType = 'string';

  async loadLoginUser(): Promise<LoginUser | undefined> {
    return undefined;
  }
}

@Module({ providers: [{ provide: AUTH_USER_STORE, useClass: StringUsers }] })
class StringUsersModule {}

describe('tokens that attackers send', () => {
  const company = sharedJwksServer();
  const partner = sharedJwksServer('/realms/one');
  const stranger = sharedJwksServer();
  const rsa = new IssuerKey('rsa', 'RS256', pairOf('RS256'));
  const issuers = () => [
    company.settings({ name: 'company', user: { claims }, jwks: { keys: [company.key.jwk, rsa.jwk] } }),
    partner.settings({ name: 'partner', user: { claims }, claims: { azp: 'web' }, typ: 'at+jwt' }),
  ];
  const app = sharedTestApp({
    database: false,
    core: KitAuthModule.forRoot({ users: StringUsersModule }),
    imports: [KitAuthIssuersModule.forRootAsync({ useFactory: () => ({ issuers: issuers() }) })],
  });
  /** As the guard asks it, because the platform does not decide what a token is. */
  const resolve = async (token: string) => app.get(TokenResolver).resolve(token);
  /** `live`, or the code and the reason of the refusal. */
  const stateOf = (token: string) =>
    resolve(token).then(
      () => 'live',
      (error: unknown) => {
        expect(error).toBeInstanceOf(AuthException);
        return `${(error as AuthException).code} ${(error as AuthException).reason}`;
      },
    );
  const userOf = async (token: string) => {
    const { scheme, user } = await resolve(token);
    return { scheme, ...user };
  };
  const partners = (parts: TokenParts = {}) =>
    partner.token({ ...parts, claims: { azp: 'web', ...(parts.claims as object) } });

  it('are refused, unless they are honest', async () => {
    const [one, two] = [await userOf(company.token()), await userOf(partners())];
    expect([one.scheme, two.scheme]).toEqual(['issuer:company', 'issuer:partner']);
    expect(await stateOf(company.token({ key: rsa }))).toBe('live');
    expect([one.userId, two.userId]).toEqual([
      expect.stringMatching(/^ext_[a-z2-7]{26}$/),
      expect.stringMatching(/^ext_[a-z2-7]{26}$/),
    ]);
    // The same sub at two issuers.
    expect(one.userId).not.toBe(two.userId);
    expect((await userOf(company.token())).userId).toBe(one.userId);
  });

  describe('with another issuer', () => {
    it('that did not sign them are refused', async () => {
      const swapped = [
        company.token({ claims: { iss: partner.issuer, azp: 'web' } }),
        partners({ claims: { iss: company.issuer } }),
        company.token({ key: new IssuerKey('one') }),
        partners({ key: company.key }),
        company.token({ key: partner.key }),
      ];
      expect(await Promise.all(swapped.map((token) => stateOf(token)))).toEqual(swapped.map(() => SIGNATURE));
    });

    it.each<[string, (issuer: string) => unknown]>([
      ['in upper case', (issuer) => issuer.replace('http', 'HTTP')],
      ['of strangers', () => stranger.issuer],
    ])('%s are those of the application, which refuses them', async (_how, iss) => {
      expect(await stateOf(company.token({ claims: { iss: iss(company.issuer) } }))).toBe(MALFORMED);
      expect(stranger.calls).toEqual({});
    });
  });

  describe('with a key of their own', () => {
    it.each(['jku', 'x5u', 'jwk', 'x5c', 'x5t', 'x5t#S256', 'kid', 'iss'])(
      'in %s are refused, and no request is made',
      async (name) => {
        const url = stranger.origin + JWKS_PATH;
        const values: Record<string, unknown> = { jwk: stranger.key.jwk, x5c: ['MIIB'] };
        const header = { [name]: values[name] ?? url };
        for (const more of [{}, { kid: undefined }, { kid: 'unknown' }]) {
          const token = company.token({ header: { ...more, ...header }, key: stranger.key });
          expect(await stateOf(token)).toMatch(/^40101 (malformed|signature)$/);
        }
        expect(stranger.calls).toEqual({});
      },
    );
  });

  it('are refused or accepted, but never an error, whatever their claims are', async () => {
    const names = 'iss sub aud exp nbf iat auth_time azp scope scp realm_access name'.split(' ');
    const odd = fc.constantFrom(0, -0, 2 ** 53, 1e308, '', [], {});
    const values = fc.oneof(fc.jsonValue({ maxDepth: 3 }), odd);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), values), async (more) => {
        expect(await stateOf(company.token({ claims: more }))).toMatch(
          /^(live|40101 (malformed|signature|expired))$/,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('leave nothing in the logs', () => {
    expect(app.logs.all()).not.toMatch(/eyJ/);
  });
});
