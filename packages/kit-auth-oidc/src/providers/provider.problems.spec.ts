import { describe, expect, it } from '@jest/globals';
import { pairOf } from 'test-support';
import type { OidcProvider } from './provider.options.js';
import { providersProblem } from './provider.problems.js';

const SECRET = 'a-secret-4711';
const PROVIDER: OidcProvider = {
  name: 'company',
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: SECRET,
};

describe('the option providers', () => {
  it.each<[string, object]>([
    ['name must be 1 to 32 characters', { name: 'Company' }],
    ['name must not be exchange', { name: 'exchange' }],
    ['issuer must be an absolute URL', { issuer: 'login.example.com' }],
    ['issuer must be an https URL', { issuer: 'http://login.example.com' }],
    ['clientId must be a string', { clientId: '' }],
    ['clientSecret must be a string', { clientSecret: undefined }],
    ['clientSecret must be a string', { clientSecret: ' ', authMethod: 'client_secret_post' }],
    ['privateKey must be a private RSA or EC key', { authMethod: 'private_key_jwt', privateKey: SECRET }],
    [
      'privateKey must be a private RSA or EC key',
      { authMethod: 'private_key_jwt', privateKey: pairOf('ES256').publicKey },
    ],
    ['authMethod must be client_secret_basic', { authMethod: 'client_secret_jwt' }],
    ['subject must be a string', { subject: 7 }],
    ['scopes must be a string', { scopes: [] }],
    ['scopes must include openid', { scopes: 'email' }],
    ['emailVerified must be claim, always, never', { emailVerified: true }],
    ['audiences must be a list of strings', { audiences: 'api' }],
    ['mfa must be a list of strings', { mfa: [1] }],
    ['fresh must be true or false', { fresh: 'yes' }],
    ['params must not have client_id', { params: { state: 'x' } }],
    ['params must be an object with strings', { params: { x: 1 } }],
    ['authorization must be', { oauth2: { authorization: 'x', token: PROVIDER.issuer, profile: () => 1 } }],
    ['oauth2.token must be', { oauth2: { authorization: PROVIDER.issuer, token: 'x', profile: () => 1 } }],
    ['oauth2.profile must be', { oauth2: { authorization: PROVIDER.issuer, token: PROVIDER.issuer } }],
    ['authorization must be', { oauth2: null }],
  ])('may not have a provider whose %s', (problem, wrong) => {
    const found = providersProblem([
      { ...PROVIDER, name: 'other' },
      { ...PROVIDER, ...wrong },
    ]);
    expect(found).toMatch(/^has a provider at position 2 .*that cannot be used: /);
    expect(found).toContain(problem);
    expect(found).not.toContain(SECRET);
  });

  it.each([[[]], ['x'], [undefined]])('is a list, and not %j', (list) => {
    expect(providersProblem(list)).toBe(
      'must be a list of providers, such as google({ clientId, clientSecret })',
    );
  });

  it.each([[null], ['google']])('has objects, and not %j', (entry) => {
    expect(providersProblem([entry])).toContain('has a provider at position 1 that cannot be used: ');
  });

  it('may have private keys, public clients and providers of OAuth 2', () => {
    const { privateKey } = pairOf('ES256');
    const oauth2 = { authorization: PROVIDER.issuer, token: PROVIDER.issuer, profile: () => 1 };
    const providers = [
      { ...PROVIDER, clientSecret: undefined, authMethod: 'private_key_jwt', privateKey },
      { ...PROVIDER, name: 'app', clientSecret: undefined, authMethod: 'none' },
      { ...PROVIDER, name: 'plain', scopes: 'read:user', oauth2 },
    ];
    expect(providersProblem(providers)).toBeUndefined();
  });

  it('has each name once, and one way to identify the users of an issuer', () => {
    expect(providersProblem([PROVIDER, PROVIDER])).toBe(
      'has a provider at position 2 (company) that cannot be used: name must be unique',
    );
    expect(providersProblem([PROVIDER, { ...PROVIDER, name: 'other', subject: 'email' }])).toBe(
      'has two providers with the same issuer, company and other, whose subject differs',
    );
  });
});
