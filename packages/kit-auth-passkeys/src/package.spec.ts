import { expect } from '@jest/globals';
import { describePackage } from 'test-support';
import * as api from './api.js';
import * as client from './client.js';
import * as index from './index.js';
import { passkeysOptions } from './passkeys.options.js';
import * as testing from './testing.js';
import * as typeorm from './typeorm.js';

const OPTIONS = { rpId: 'example.com', rpName: 'Example' };

describePackage({
  at: import.meta.url,
  entries: { '': index, api, client, testing, typeorm },
  module: index.KitAuthPasskeysModule,
  definition: passkeysOptions,
  options: OPTIONS,
  defaults: {
    ...OPTIONS,
    origins: [],
    maxPerUser: 20,
    secondFactor: false,
    counters: 'strict',
    related: false,
  },
  wrong: [
    [
      {},
      'kit.auth.passkeys.rpId is missing: the domain of your site, such as example.com',
      'kit.auth.passkeys.rpName is missing: the name of your application, which authenticators show',
    ],
    [
      {
        rpId: 'Example.com',
        rpName: 'x'.repeat(65),
        origins: [],
        maxPerUser: 101,
        secondFactor: 1,
        counters: 'off',
        related: 'yes',
      },
      'kit.auth.passkeys.rpId must be a domain in lower case, such as example.com: without scheme, port and path, and no IP ' +
        'address',
      'kit.auth.passkeys.rpName must have at most 64 characters, and no control characters',
      'kit.auth.passkeys.origins must be a list of origins, such as https://example.com',
      'kit.auth.passkeys.maxPerUser must be a whole number from 1 to 100',
      'kit.auth.passkeys.secondFactor must be the boolean true or false',
      "kit.auth.passkeys.counters must be 'strict' or 'note'",
      'kit.auth.passkeys.related must be the boolean true or false',
    ],
    [
      { ...OPTIONS, origins: ['https://example.com', 'https://example.org'] },
      'kit.auth.passkeys.origins must have hosts that are example.com or end with .example.com: number 2 does not. ' +
        'Browsers refuse passkeys of example.com there. For other domains of yours, set kit.auth.passkeys.related',
    ],
    [{ ...OPTIONS, rpId: 7 }, 'kit.auth.passkeys.rpId must be a non-blank string'],
    [
      { ...OPTIONS, rpName: 'Exa\0mple' },
      'kit.auth.passkeys.rpName must have at most 64 characters, and no control characters',
    ],
  ],
  environment: [
    [
      {
        KIT_AUTH_PASSKEYS_RP_ID: 'example.com',
        KIT_AUTH_PASSKEYS_RP_NAME: 'Example',
        KIT_AUTH_PASSKEYS_ORIGINS: 'https://example.com, https://example.org',
        KIT_AUTH_PASSKEYS_MAX_PER_USER: '3',
        KIT_AUTH_PASSKEYS_SECOND_FACTOR: 'true',
        KIT_AUTH_PASSKEYS_COUNTERS: 'note',
        KIT_AUTH_PASSKEYS_RELATED: 'true',
      },
      {
        ...OPTIONS,
        origins: ['https://example.com', 'https://example.org'],
        maxPerUser: 3,
        secondFactor: true,
        counters: 'note',
        related: true,
      },
    ],
  ],
  needs: {
    proof: true,
    store: ['stampOf'],
    tables: /the table auth_(one_time|passkey|passkey_user) is missing/,
    once: /There is more than one KitAuthPasskeysModule\.forRoot\(\)/,
  },
  open: [
    'POST login/factor',
    'POST login/factor/options',
    'POST login/passkey',
    'POST login/passkey/options',
  ],
  requests: async (app, check) => {
    const user = await app.user();
    const post = (path: string, body: object, as?: string) => app.call(as, 'POST', path, body);
    const before = await app.tokenOf(user);
    const begun = check('POST passkeys/options', await post('passkeys/options', {}, before)).json;
    const passkey = testing.fakePasskey({ origin: 'https://example.com' });
    const created = { ceremony: begun.ceremony, response: passkey.create(begun.options) };
    const added = check('POST passkeys', await post('passkeys', created, before));
    expect(added.status).toBe(201);
    const { id, token } = added.json;
    expect(check('GET passkeys', await app.call(token, 'GET', 'passkeys')).json).toHaveLength(1);
    check('PATCH passkeys/{id}', await app.call(token, 'PATCH', `passkeys/${id}`, { name: 'Phone' }));
    const options = check('POST login/passkey/options', await post('login/passkey/options', {})).json;
    const shown = { ceremony: options.ceremony, response: passkey.get(options.options) };
    expect(check('POST login/passkey', await post('login/passkey', shown)).status).toBe(200);
    expect(check('POST login/passkey', await post('login/passkey', shown)).status).toBe(401);
    const fresh = check('POST fresh/options', await post('fresh/options', { factor: 'passkey' }, token)).json;
    const confirmed = { factor: 'passkey', ceremony: fresh.ceremony, response: passkey.get(fresh.options) };
    expect(check('POST fresh', await post('fresh', confirmed, token)).status).toBe(200);
    const ended = { challenge: 'kato_x', factor: 'passkey' };
    check('POST login/factor/options', await post('login/factor/options', ended));
    check('POST login/factor', await post('login/factor', { ...ended, ...shown }));
    check('DELETE passkeys/{id}', await app.call(token, 'DELETE', 'passkeys/unknown'));
    const admin = await app.adminToken();
    const path = `users/${user.id}/passkeys`;
    expect(check('GET users/{id}/passkeys', await app.call(admin, 'GET', path)).json).toHaveLength(1);
    const one = await app.call(admin, 'DELETE', `${path}/${id}`);
    expect(check('DELETE users/{id}/passkeys/{passkeyId}', one).status).toBe(204);
    check('DELETE users/{id}/passkeys', await app.call(admin, 'DELETE', path));
  },
});
