import { afterEach, describe, expect, it } from '@jest/globals';
import { publicJwkOf } from 'kit-auth/tools';
import { pairOf } from 'test-support';
import type { Issuer } from './issuer.js';
import { settingsOf } from './issuer.js';
import { issuersOptions } from './issuers.options.js';

const ISSUER: Issuer = {
  issuer: 'https://login.example.com',
  audience: 'notes-api',
  user: 'linked',
};
const CLAIMS = (claims: object) => ({ user: { claims } });

const before = process.env['NODE_ENV'];
afterEach(() => {
  process.env['NODE_ENV'] = before;
});

describe('the options', () => {
  it('have defaults for each issuer', () => {
    const { settings } = issuersOptions.resolve({ issuers: [ISSUER] });
    expect(settings.issuers.map(settingsOf)).toEqual([
      {
        ...ISSUER,
        audience: ['notes-api'],
        name: 'login.example.com',
        algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
        typ: 'any',
        bound: 'refuse',
        maxAgeMinutes: 720,
        clockSkewSeconds: 5,
        claims: {},
        fresh: false,
        mfa: [],
        cacheSeconds: 5,
      },
    ]);
  });

  it.each<[string, object]>([
    ['issuer must be an absolute URL', { issuer: 'login.example.com' }],
    ['issuer must be an https URL', { issuer: 'http://login.example.com' }],
    ['issuer must not have a query', { issuer: 'https://login.example.com?x' }],
    ['issuer must not contain credentials', { issuer: 'https://a:b@login.example.com' }],
    ['audience must be', { audience: '' }],
    ['audience must be', { audience: ['a', 1] }],
    ["user must be 'linked'", { user: undefined }],
    ["user must be 'linked'", { user: 'claims' }],
    ['name must be 1 to 32 characters', { name: 'Company' }],
    ['jwks must be an absolute URL', { jwks: '/jwks' }],
    ['jwks must be an https URL', { jwks: 'http://login.example.com/jwks' }],
    ['jwks must be a URL, or { keys', { jwks: { keys: 'x' } }],
    ['algorithms must be a list of asymmetric', { algorithms: ['HS256'] }],
    ['algorithms must be a list of asymmetric', { algorithms: [] }],
    ["typ must be 'any' or 'at+jwt'", { typ: 'JWT' }],
    ["bound must be 'refuse' or 'ignore'", { bound: false }],
    ['maxAgeMinutes must be a whole number from 1 to 525600', { maxAgeMinutes: 0 }],
    ['clockSkewSeconds must be a whole number from 0 to 60', { clockSkewSeconds: 61 }],
    ['cacheSeconds must be a whole number from 0 to 3600', { cacheSeconds: 3601 }],
    ['claims must be an object with strings', { claims: { azp: ['web'] } }],
    ['fresh must be true or false', { fresh: 'yes' }],
    ['mfa must be a list of values of acr or amr that stand for a second factor', { mfa: 'mfa' }],
    ['mfa must be a list of values of acr or amr that stand for a second factor', { mfa: [] }],
    ['algorithm is not an option: it has issuer, audience, user, name', { algorithm: 'RS256' }],
    ['user.claims.scopes is not an option: it has username', CLAIMS({ scopes: {} })],
    ['user.claims.username must be the name of a claim', CLAIMS({ username: 1 })],
    ['user.claims.roles.fromClaim must be', CLAIMS({ roles: { map: {} } })],
    ['user.claims.roles.map must have your role', CLAIMS({ roles: { fromClaim: 'roles', map: { a: 1 } } })],
    ['user.claims.roles.map must not name', CLAIMS({ roles: { fromClaim: 'r', map: { a: 'SUPER_ADMIN' } } })],
    ['user.claims.permissions.fromScope must have lists', CLAIMS({ permissions: {} })],
    ['user.claims.permissions.fromScope must have lists', CLAIMS({ permissions: { fromScope: { a: 'b' } } })],
    ...['auth', 'auth:*', 'auth:user:read', '*', '*:read'].map((it): [string, object] => [
      `user.claims.permissions.fromScope must not grant ${it}`,
      CLAIMS({ permissions: { fromScope: { a: ['note:read', it] } } }),
    ]),
  ])('say of an issuer: %s', (problem, wrong) => {
    const [found = '', ...others] = issuersOptions.resolve({ issuers: [{ ...ISSUER, ...wrong }] }).problems;
    expect(found).toMatch(/^kit\.auth\.issuers\.issuers has an issuer at position 1/);
    expect(found).toContain(`that cannot be used: ${problem}`);
    expect(others).toEqual([]);
  });

  it('refuse keys that verify nothing', () => {
    const jwk = { ...publicJwkOf(pairOf('EdDSA').privateKey) };
    const withKeys = (...keys: object[]) =>
      issuersOptions.resolve({ issuers: [{ ...ISSUER, jwks: { keys } }] }).problems;
    expect(withKeys(jwk)).toEqual([]);
    expect(withKeys({ ...jwk, use: 'enc' })[0]).toContain('jwks has no key for RS256, PS256, ES256, EdDSA');
  });

  it('name the issuer, unless it is wrong itself', () => {
    const problemOf = (wrong: object) =>
      issuersOptions.resolve({ issuers: [{ ...ISSUER, ...wrong }] }).problems[0];
    expect(problemOf({ typ: 'x' })).toContain('at position 1 (https://login.example.com) that cannot');
    expect(problemOf({ issuer: 'x' })).toContain('at position 1 that cannot');
  });

  it('refuse a name that is there twice', () => {
    const named = [
      { ...ISSUER, name: 'a' },
      { ...ISSUER, issuer: 'https://other.example', name: 'a' },
    ];
    expect(issuersOptions.resolve({ issuers: named }).problems).toEqual([
      'kit.auth.issuers.issuers has two issuers with the name a: each needs its own',
    ]);
  });

  it('allow http for localhost, but not in production', () => {
    const local = { issuers: [{ ...ISSUER, issuer: 'http://localhost:4000' }] };
    expect(issuersOptions.resolve(local).problems).toEqual([]);
    process.env['NODE_ENV'] = 'production';
    expect(issuersOptions.resolve(local).problems[0]).toContain('issuer must be an https URL in production');
  });

  it.each([
    ['api.example.com', 'must be an absolute URL'],
    ['https://api.example.com/', 'must not end with a slash'],
    ['https://api.example.com?x', 'must not have a query'],
    ['https://api.example.com/"', 'must be in the characters of URLs'],
    ['https://api.example.com/a/b/c/d/e', 'must have at most 4 parts in its path'],
  ])('say of resource %s: it %s', (resource, problem) => {
    const [found] = issuersOptions.resolve({ issuers: [ISSUER], resource }).problems;
    expect(found).toContain(`kit.auth.issuers.resource ${problem}`);
  });
});
