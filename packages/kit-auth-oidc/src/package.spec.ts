import { hash } from 'node:crypto';
import { expect } from '@jest/globals';
import { describePackage } from 'test-support';
import * as api from './api.js';
import * as client from './client.js';
import { oidcOptions } from './oidc.options.js';
import * as index from './index.js';
import * as testing from './testing.js';
import * as typeorm from './typeorm.js';

const APP_URL = 'com.example.app:/login';
const OPTIONS = {
  providers: [index.google({ clientId: 'app', clientSecret: 'secret' })],
  redirectBase: 'https://api.example.com',
  returnTo: [APP_URL],
};

describePackage({
  at: import.meta.url,
  entries: { '': index, api, client, testing, typeorm },
  module: index.KitAuthOidcModule,
  definition: oidcOptions,
  options: OPTIONS,
  defaults: { ...OPTIONS, signUp: 'off', roles: [], secondFactor: 'ask', timeoutMs: 5000 },
  wrong: [
    [
      {},
      'kit.auth.oidc.providers is missing: such as [google({ clientId, clientSecret })]',
      'kit.auth.oidc.redirectBase is missing: the URL of your API, such as https://api.example.com',
      'kit.auth.oidc.returnTo is missing: the URLs of your pages, such as [https://app.example.com/login]',
    ],
    [
      {
        providers: [{ ...OPTIONS.providers[0], clientId: '' }],
        redirectBase: 'http://api.example.com',
        returnTo: ['/login'],
        signUp: 'everybody',
        roles: 'member',
        secondFactor: 'never',
        timeoutMs: 99,
        onLogin: 'x',
      },
      'kit.auth.oidc.providers has a provider at position 1 (google) that cannot be used: clientId must be a string that ' +
        'is not empty',
      'kit.auth.oidc.redirectBase must be an https URL (http only for localhost)',
      'kit.auth.oidc.returnTo has at position 1 a URL that must be absolute',
      "kit.auth.oidc.signUp must be 'off', 'open' or a class that implements SignUpPolicy",
      'kit.auth.oidc.roles must be a list of role codes',
      "kit.auth.oidc.secondFactor must be 'ask' or 'trust'",
      'kit.auth.oidc.timeoutMs must be a whole number from 100 to 60000',
      'kit.auth.oidc.onLogin must be a function',
    ],
    [
      { ...OPTIONS, redirectBase: 'https://api.example.com/' },
      'kit.auth.oidc.redirectBase must not have a query, or end with a slash',
    ],
    [
      { ...OPTIONS, redirectBase: 'https://api.example.com?x' },
      'kit.auth.oidc.redirectBase must not have a query, or end with a slash',
    ],
    [
      { ...OPTIONS, redirectBase: 'https://ada:pw@api.example.com' },
      'kit.auth.oidc.redirectBase must not contain credentials',
    ],
    [{ ...OPTIONS, roles: [' '] }, 'kit.auth.oidc.roles must be a list of role codes'],
  ],
  environment: [
    [
      {
        KIT_AUTH_OIDC_REDIRECT_BASE: 'https://example.com/api',
        KIT_AUTH_OIDC_RETURN_TO: 'https://example.com, com.example.app:/login',
        KIT_AUTH_OIDC_SIGN_UP: 'open',
        KIT_AUTH_OIDC_ROLES: 'member,reader',
        KIT_AUTH_OIDC_SECOND_FACTOR: 'trust',
        KIT_AUTH_OIDC_TIMEOUT_MS: '100',
      },
      {
        redirectBase: 'https://example.com/api',
        returnTo: ['https://example.com', 'com.example.app:/login'],
        signUp: 'open',
        roles: ['member', 'reader'],
        secondFactor: 'trust',
        timeoutMs: 100,
      },
    ],
  ],
  needs: {
    proof: true,
    store: ['stampOf'],
    tables: /the table auth_(identity|identity_login|identity_logout|one_time) is missing/,
    once: /There is more than one KitAuthOidcModule\.forRoot\(\)/,
  },
  requests: async (app, check) => {
    const fake = new testing.FakeProvider();
    const connections = app.get(testing.ProviderConnections);
    for (const method of ['authorizationUrl', 'redeem', 'logoutUrl', 'readLogoutToken'] as const) {
      Object.assign(connections, { [method]: fake[method].bind(fake) });
    }
    const verifier = 'v'.repeat(43);
    const challenge = hash('sha256', verifier, 'base64url');
    const user = await app.user();
    const link = (subject: string) =>
      app.get(index.UserIdentities).link(user.id, { provider: 'google', subject });
    await link('ada');
    const post = (path: string, body: object, as?: string) => app.call(as, 'POST', path, body);
    const get = (path: string, as?: string) => app.call(as, 'GET', path);

    expect(check('GET oidc', await get('oidc')).json).toEqual([{ name: 'google', title: 'Google' }]);
    const query = new URLSearchParams({ challenge }).toString();
    const begun = await get(`oidc/google/start?${query}`);
    expect(begun.status).toBe(302);
    const cookie = begun.cookies.map((line) => line.split(';')[0]).join('; ');
    const callback = fake.logIn(begun.headers['location'] as string, { sub: 'ada' });
    const back = await app.request(callback, { headers: [`Cookie: ${cookie}`] });
    const fragment = new URLSearchParams(new URL(back.headers['location'] as string).hash.slice(1));
    const exchanged = { code: fragment.get('code'), verifier };
    const { token } = check('POST oidc/exchange', await post('oidc/exchange', exchanged)).json;
    expect(token).toEqual(expect.any(String));
    expect(check('POST oidc/exchange', await post('oidc/exchange', exchanged)).status).toBe(401);
    check('POST oidc/complete', await post('oidc/complete', { token: 'kato_x' }));
    const prefetched = { headers: ['Purpose: prefetch'] };
    for (const path of ['start', 'callback']) {
      const refused = await app.request(`/v1/api/auth/oidc/google/${path}`, prefetched);
      expect(check(`GET oidc/{name}/${path}`, refused).status).toBe(401);
    }

    const own = await app.tokenOf(user);
    const wanted = { challenge };
    check('POST oidc/{name}/link', await post('oidc/google/link', wanted, own));
    check('POST oidc/{name}/fresh', await post('oidc/google/fresh', wanted, own));
    // Tokens without sessions: no single login can be ended.
    const logout = await app.request('/v1/api/auth/oidc/google/backchannel-logout', {
      method: 'POST',
      headers: ['Content-Type: application/x-www-form-urlencoded'],
      body: 'logout_token=a.b.c',
    });
    expect(check('POST oidc/{name}/backchannel-logout', logout).json.code).toBe(50100);
    const { json: identities } = check('GET identities', await get('identities', own));
    expect(identities).toHaveLength(1);
    const remove = await app.call(own, 'DELETE', `identities/${identities[0].id}`);
    expect(check('DELETE identities/{id}', remove).status).toBe(204);
    check('POST oidc/logout', await post('oidc/logout', {}, token));

    await link('ada');
    const [admin, path] = [await app.adminToken(), `users/${user.id}/identities`];
    const { json: listed } = check('GET users/{id}/identities', await get(path, admin));
    const one = await app.call(admin, 'DELETE', `${path}/${listed[0].id}`);
    expect(check('DELETE users/{id}/identities/{identityId}', one).status).toBe(204);
    await link('ada');
    const all = await app.call(admin, 'DELETE', path);
    expect(check('DELETE users/{id}/identities', all).status).toBe(204);
  },
});
