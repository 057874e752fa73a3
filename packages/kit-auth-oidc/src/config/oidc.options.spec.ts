import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { OidcProvider } from '../contract/provider.options.js';
import { oidcOptions } from './oidc.options.js';
import { github, google, microsoft } from './presets.js';
import { isAllowed } from './return-to.js';

const SECRET = 'a-secret-4711';
const PROVIDER: OidcProvider = {
  name: 'company',
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: SECRET,
};
const RIGHT = {
  providers: [PROVIDER],
  redirectBase: 'https://api.example.com',
  returnTo: ['https://app.example.com/login'],
};
const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

const before = process.env['NODE_ENV'];
afterEach(() => {
  process.env['NODE_ENV'] = before;
});

describe('the options', () => {
  it('need providers and URLs', () => {
    expect(oidcOptions.resolve({}).problems).toEqual([
      'kit.auth.oidc.providers is missing: such as [google({ clientId, clientSecret })]',
      'kit.auth.oidc.redirectBase is missing: the URL of your API, such as https://api.example.com',
      'kit.auth.oidc.returnTo is missing: the URLs of your pages, such as [https://app.example.com/login]',
    ]);
    expect(oidcOptions.resolve(RIGHT)).toMatchObject({
      problems: [],
      settings: { signUp: 'off', roles: [], secondFactor: 'ask', timeoutMs: 5000 },
    });
  });

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  it.each<[string, object]>([
    ['name must be', { name: 'Company' }],
    ['name must not be exchange', { name: 'exchange' }],
    ['issuer must be an absolute URL', { issuer: 'login.example.com' }],
    ['issuer must be an https URL', { issuer: 'http://login.example.com' }],
    ['clientId must be', { clientId: '' }],
    ['clientSecret must be', { clientSecret: undefined }],
    ['privateKey must be', { authMethod: 'private_key_jwt', privateKey: SECRET }],
    ['authMethod must be', { authMethod: 'client_secret_jwt' }],
    ['scopes must include openid', { scopes: 'email' }],
    ['emailVerified must be', { emailVerified: true }],
    ['params must not have', { params: { state: 'x' } }],
    ['params must be an object', { params: { x: 1 } }],
    ['oauth2.token must be', { oauth2: { authorization: PROVIDER.issuer, token: 'x', profile: () => 1 } }],
    ['oauth2.profile must be', { oauth2: { authorization: PROVIDER.issuer, token: PROVIDER.issuer } }],
  ])('say of a provider: %s', (problem, wrong) => {
    const [found = '', ...others] = oidcOptions.resolve({
      ...RIGHT,
      providers: [{ ...PROVIDER, ...wrong }],
    }).problems;
    expect(found).toMatch(/^kit\.auth\.oidc\.providers has a provider at position 1/);
    expect(found).toContain(problem);
    expect(found).not.toContain(SECRET);
    expect(others).toEqual([]);
  });

  it('take a private key, and public clients', () => {
    const providers = [
      { ...PROVIDER, clientSecret: undefined, authMethod: 'private_key_jwt', privateKey },
      { ...PROVIDER, name: 'app', clientSecret: undefined, authMethod: 'none' },
    ];
    expect(oidcOptions.resolve({ ...RIGHT, providers }).problems).toEqual([]);
    const mixed = { ...RIGHT, providers: [PROVIDER, { ...PROVIDER, name: 'other', subject: 'email' }] };
    expect(oidcOptions.resolve(mixed).problems).toEqual([
      'kit.auth.oidc.providers has two providers with the same issuer, company and other, whose subject differs',
    ]);
    const twice = { ...RIGHT, providers: [PROVIDER, PROVIDER] };
    expect(oidcOptions.resolve(twice).problems).toEqual([expect.stringContaining('name must be unique')]);
  });

  it.each([
    ['redirectBase', 'http://api.example.com', 'must be an https URL (http only for localhost)'],
    ['redirectBase', 'https://api.example.com/', 'must not have a query, or end with a slash'],
    ['redirectBase', 'https://ada:pw@api.example.com', 'must not contain credentials'],
    ['returnTo', [], 'must be a list of the URLs of your own pages'],
    ['returnTo', ['/login'], 'has at position 1 a URL that must be absolute'],
    ['returnTo', ['https://b\u00fccher.example'], 'written as browsers do: https://xn--bcher-kva.example/'],
    ['returnTo', ['https://app.example.com/?x'], 'has at position 1 a URL that must not have a query'],
    ['returnTo', ['javascript:alert(1)'], 'must have https, or the scheme of your own app'],
    ['signUp', 'everybody', "must be 'off', 'open' or a class"],
    ['roles', 'member', 'must be a list of role codes'],
    ['onLogin', 'x', 'must be a function'],
  ])('say what is wrong with %s %j', (key, value, problem) => {
    const [found] = oidcOptions.resolve({ ...RIGHT, [key]: value }).problems;
    expect(found).toContain(`kit.auth.oidc.${key}`);
    expect(found).toContain(problem);
  });

  it('allow http for localhost, but not in production', () => {
    const local = { ...RIGHT, redirectBase: 'http://localhost:3000', returnTo: ['http://localhost:3000'] };
    expect(oidcOptions.resolve(local).problems).toEqual([]);
    process.env['NODE_ENV'] = 'production';
    expect(oidcOptions.resolve(local).problems).toEqual([
      'kit.auth.oidc.redirectBase must be an https URL in production',
      'kit.auth.oidc.returnTo has at position 1 a URL that must be an https URL in production',
    ]);
  });
});

describe('the presets', () => {
  it('hide their traps', () => {
    const client = { clientId: 'app', clientSecret: SECRET };
    const providers = [
      google(client),
      microsoft({ ...client, tenant: TENANT.toUpperCase() }),
      github(client),
    ];
    expect(oidcOptions.resolve({ ...RIGHT, providers }).problems).toEqual([]);
    expect(providers.map(({ issuer }) => issuer)).toEqual([
      'https://accounts.google.com',
      `https://login.microsoftonline.com/${TENANT}/v2.0`,
      'https://github.com/login/oauth',
    ]);
    expect(providers[1]).toMatchObject({ subject: 'oid', emailVerified: 'never' });
  });

  it.each(['common', 'organizations', 'consumers', 'example.onmicrosoft.com', ''])(
    'refuse the tenant %j',
    (tenant) => {
      expect(() => microsoft({ tenant, clientId: 'app' })).toThrow(
        /must be the directory \(tenant\) id, a uuid/,
      );
    },
  );

  it('know users of GitHub by their number, and only the primary address', async () => {
    const answers: Record<string, unknown> = {
      'https://api.github.com/user': { id: 4711, login: 'ada', name: null },
      'https://api.github.com/user/emails': [
        { email: 'other@example.com', primary: false, verified: true },
        { email: 'ada@example.com', primary: true, verified: false },
      ],
    };
    const fetched: unknown[] = [];
    const profile = await github({ clientId: 'app' }).oauth2?.profile('token', async (url, init) => {
      fetched.push(new Headers(init?.headers).get('authorization'));
      return Response.json(answers[url]);
    });
    expect(profile).toEqual({ subject: '4711', address: 'ada@example.com', verified: false, name: 'ada' });
    expect(fetched).toEqual(['Bearer token', 'Bearer token']);
  });
});

describe('returnTo', () => {
  const LIST = ['https://app.example.com/login', 'https://app.example.com/area/', 'com.example.app:/login'];

  it.each([
    'https://app.example.com/login',
    'https://app.example.com/login/done?x=1',
    'https://app.example.com/login?next=%2Fnotes',
    'https://app.example.com/area/',
    'https://app.example.com/area/x',
    'com.example.app:/login',
  ])('may be %s', (url) => {
    expect(isAllowed(url, LIST)).toBe(true);
  });

  it.each([
    '',
    '/login',
    '//evil.example/login',
    'https://app.example.com/',
    'https://app.example.com/loginx',
    'https://app.example.com/login/../x',
    'https://app.example.com/login/%2e%2e/x',
    'https://app.example.com/login/%2E%2E/x',
    'https://app.example.com/login/%2e%2e%2fx',
    'https://app.example.com/login/..%2F..%2Fx',
    'https://app.example.com/login/..%5cx',
    'https://app.example.com/login?\\',
    'https://app.example.com/login#x',
    'https://app.example.com/login\\@evil.example',
    'https:\\\\app.example.com\\login',
    'https://app.example.com/login\r\nx: y',
    'https://app.example.com /login',
    'https://app.example.com.evil.example/login',
    'https://app.example.com@evil.example/login',
    'https://ada@app.example.com/login',
    'https://app.example.com:8443/login',
    'https://APP.example.com/login',
    'http://app.example.com/login',
    'javascript:alert(1)//https://app.example.com/login',
    'com.example.app:/login/x',
    'com.example.app:/login?x',
    'com.example.other:/login',
    'com.example.app://login',
    `https://app.example.com/login?${'x'.repeat(1024)}`,
  ])('must not be %j', (url) => {
    expect(isAllowed(url, LIST)).toBe(false);
  });
});
