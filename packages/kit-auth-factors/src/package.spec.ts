import { expect, it } from '@jest/globals';
import { describePackage, totpCode } from 'test-support';
import * as api from './api.js';
import { factorsOptions } from './factors.options.js';
import * as index from './index.js';
import * as testing from './testing.js';
import * as typeorm from './typeorm.js';

const KEY = 'k'.repeat(32);
const OPTIONS = { keys: [KEY], issuer: 'App' };
const MISSING = [
  'kit.auth.factors.keys is missing: at least one secret of 32 bytes or more, such as the output of npx kit-auth secret',
  'kit.auth.factors.issuer is missing: the name of your application, which authenticator apps show',
] as const;

describePackage({
  at: import.meta.url,
  entries: { '': index, api, testing, typeorm },
  module: index.KitAuthFactorsModule,
  definition: factorsOptions,
  options: OPTIONS,
  defaults: { ...OPTIONS, requiredFor: [], totp: { window: 1 } },
  wrong: [
    [{}, ...MISSING],
    [{ keys: [] }, ...MISSING],
    [
      { keys: [KEY, 'too-short'], issuer: 'A:B', requiredFor: [' '], totp: { window: 3 } },
      'kit.auth.factors.keys must have at least 32 bytes of UTF-8 in each string: number 2 does not',
      'kit.auth.factors.issuer must not contain colons or control characters',
      'kit.auth.factors.requiredFor must be a list of role codes',
      'kit.auth.factors.totp.window must be a whole number from 0 to 2',
    ],
    [{ ...OPTIONS, issuer: 'x'.repeat(65) }, 'kit.auth.factors.issuer must have at most 64 characters'],
    [{ ...OPTIONS, keys: KEY }, 'kit.auth.factors.keys must be a list of strings'],
    [{ ...OPTIONS, keys: [32] }, 'kit.auth.factors.keys must be a list of strings: number 1 is not a string'],
    [
      { ...OPTIONS, keys: [KEY, undefined] },
      'kit.auth.factors.keys must be a list of strings: number 2 is undefined',
    ],
    [
      { ...OPTIONS, keys: [`${KEY}\ud800`] },
      'kit.auth.factors.keys must have at least 32 bytes of UTF-8 in each string: number 1 does not',
    ],
    [{ ...OPTIONS, keys: [KEY, KEY] }, 'kit.auth.factors.keys must not contain a secret twice'],
  ],
  environment: [
    [
      {
        KIT_AUTH_FACTORS_KEYS: `${KEY}, ${'o'.repeat(40)}`,
        KIT_AUTH_FACTORS_ISSUER: 'App',
        KIT_AUTH_FACTORS_REQUIRED_FOR: 'admin,auditor',
        KIT_AUTH_FACTORS_TOTP_WINDOW: '0',
      },
      {
        keys: [KEY, 'o'.repeat(40)],
        issuer: 'App',
        requiredFor: ['admin', 'auditor'],
        totp: { window: 0 },
      },
    ],
  ],
  needs: {
    proof: true,
    store: ['findByUsername', 'stampOf'],
    tables: /the table auth_(one_time|totp|recovery_code) is missing/,
    once: /There is more than one KitAuthFactorsModule\.forRoot\(\)/,
  },
  open: ['POST login/factor'],
  requests: async (app, check) => {
    const { id: userId, username } = await app.user();
    const before = await app.tokenOf(username);
    check('POST factors/totp', await app.call(before, 'POST', 'factors/totp', { name: 'Phone' }));
    const { id, code, recoveryCodes } = await testing.enrolFactor(app.nest, userId);
    const confirm = 'POST factors/totp/{id}/confirm';
    const { token } = (await app.call(before, 'POST', 'fresh', { factor: 'totp', code: await code() })).json;
    const added = (await app.call(token, 'POST', 'factors/totp', { name: 'Tablet' })).json;
    const answer = (shown: string) =>
      app.call(token, 'POST', `factors/totp/${added.id}/confirm`, { code: shown });
    check(confirm, await answer('000000'));
    const list = check('GET factors', await app.call(token, 'GET', 'factors'));
    expect(list.json).toEqual({
      factors: [
        {
          id,
          kind: 'totp',
          name: expect.any(String),
          createdAt: expect.any(String),
          lastUsedAt: expect.any(String),
        },
      ],
      recoveryCodesLeft: recoveryCodes.length,
    });
    const challenged = check('POST login', await app.login(username));
    expect(challenged.json.code).toBe(40112);
    const shown = { challenge: challenged.json.challenge, factor: 'totp', code: await code() };
    const login = check('POST login/factor', await app.call(undefined, 'POST', 'login/factor', shown));
    expect(login.status).toBe(200);
    check('POST login/factor', await app.call(undefined, 'POST', 'login/factor', shown));
    const fresh = { factor: 'totp', code: await code() };
    expect(check('POST fresh', await app.call(token, 'POST', 'fresh', fresh)).status).toBe(200);
    expect(check('POST fresh', await app.call(token, 'POST', 'fresh', fresh)).status).toBe(401);
    const other = await app.tokenOf(await app.user());
    const { id: first, secret } = (await app.call(other, 'POST', 'factors/totp', { name: 'Phone' })).json;
    const confirmed = await app.call(other, 'POST', `factors/totp/${first}/confirm`, {
      code: totpCode(secret),
    });
    expect(check(confirm, confirmed).json.recoveryCodes).toHaveLength(10);
    check('POST factors/recovery', await app.call(token, 'POST', 'factors/recovery'));
    check('DELETE factors/{id}', await app.call(token, 'DELETE', `factors/${id}`));
    const admin = await app.adminToken();
    check('GET users/{id}/factors', await app.call(admin, 'GET', `users/${userId}/factors`));
    const { userId: otherId } = confirmed.json.user;
    const removed = await app.call(admin, 'DELETE', `users/${otherId}/factors`);
    expect(check('DELETE users/{id}/factors', removed).status).toBe(204);
  },
});

it('count the bytes of keys, not the characters', () => {
  expect(factorsOptions.resolve({ keys: ['é'.repeat(16)], issuer: 'App' }).problems).toEqual([]);
});
