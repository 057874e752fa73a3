import { afterEach, describe, expect, it } from '@jest/globals';
import { kitAuthConfig } from 'kit-auth';
import { passkeysOptions } from './passkeys.options.js';
import { RelyingParty } from './relying-party.js';

const NAMED = { rpId: 'example.com', rpName: 'Example' };
const problemsOf = (given: object) => passkeysOptions.resolve({ ...NAMED, ...given }).problems;

describe('the options', () => {
  const environment = process.env['NODE_ENV'];
  afterEach(() => {
    process.env['NODE_ENV'] = environment;
  });

  it('need a domain and a name, and nothing else', () => {
    const resolved = passkeysOptions.resolve(NAMED);
    expect(resolved.problems).toEqual([]);
    expect(resolved.settings).toEqual({
      ...NAMED,
      origins: [],
      maxPerUser: 20,
      secondFactor: false,
      counters: 'strict',
      related: false,
    });
    expect(new RelyingParty(resolved)).toEqual({
      id: 'example.com',
      name: 'Example',
      origins: ['https://example.com'],
      relatedOrigins: undefined,
    });
  });

  it('say what is missing', () => {
    expect(passkeysOptions.resolve({}).problems).toEqual([
      'kit.auth.passkeys.rpId is missing: the domain of your site, such as example.com',
      'kit.auth.passkeys.rpName is missing: the name of your application, which authenticators show',
    ]);
  });

  it.each([
    'https://example.com',
    'example.com:443',
    'example.com/',
    'Example.com',
    'example.com.',
    '.example.com',
    'example',
    'exa_mple.com',
    '127.0.0.1',
    '[::1]',
    'münchen.de',
    `${'a'.repeat(64)}.com`,
    ' ',
    7,
  ])('refuse the domain %p', (rpId) => {
    expect(problemsOf({ rpId })).toEqual([
      expect.stringMatching(/^kit\.auth\.passkeys\.rpId must be a (domain in lower case|non-blank string)/),
    ]);
  });

  it.each(['app.example.co.uk', 'xn--mnchen-3ya.de', 'a-b.example.com', 'localhost'])(
    'take the domain %s',
    (rpId) => {
      expect(problemsOf({ rpId })).toEqual([]);
    },
  );

  it('refuse localhost in production', () => {
    process.env['NODE_ENV'] = 'production';
    expect(problemsOf({ rpId: 'localhost' })).toEqual([
      'kit.auth.passkeys.rpId must be the domain of your site in production, such as example.com',
    ]);
  });

  it.each([
    'https://example.com/',
    'https://example.com/login',
    'http://example.com',
    'https://EXAMPLE.com',
    'https://example.com:443',
    'https://user@example.com',
    'https://127.0.0.1',
    'https://*.example.com',
    'example.com',
    'null',
    'android:apk-key-hash:x',
    7,
  ])('refuse the origin %p', (origin) => {
    expect(problemsOf({ origins: ['https://example.com', origin] })).toEqual([
      expect.stringMatching(/^kit\.auth\.passkeys\.origins must be exact origins.*number 2 is not$/),
    ]);
  });

  it('take origins of the domain and below, with ports, and of apps', () => {
    const app = `android:apk-key-hash:${'A'.repeat(43)}`;
    const origins = ['https://example.com', 'https://a.b.example.com:8443', app];
    expect(problemsOf({ origins })).toEqual([]);
    expect(problemsOf({ rpId: 'localhost', origins: ['http://localhost:3000'] })).toEqual([]);
  });

  it.each(['https://example.org', 'https://notexample.com', 'http://localhost:3000'])(
    'refuse %s, which browsers would not let use the passkeys',
    (origin) => {
      expect(problemsOf({ origins: ['https://example.com', origin] })).toEqual([
        'kit.auth.passkeys.origins must have hosts that are example.com or end with .example.com: number 2 does not. ' +
          'Browsers refuse passkeys of example.com there. For other domains of yours, set kit.auth.passkeys.related',
      ]);
    },
  );

  it('take five other domains with related, in any number of countries', () => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://${name}.org`);
    const origins = ['https://example.com', ...five, 'https://www.a.com', 'https://a.co.uk'];
    const resolved = passkeysOptions.resolve({ ...NAMED, origins, related: true });
    expect(resolved.problems).toEqual([]);
    expect(new RelyingParty(resolved).relatedOrigins).toEqual(origins.slice(1));
    expect(problemsOf({ origins: [...origins, 'https://f.org'], related: true })).toEqual([
      'kit.auth.passkeys.origins must have at most 5 other domains: browsers ignore the rest',
    ]);
  });

  it('refuse other values', () => {
    const given = {
      rpName: 'x'.repeat(65),
      origins: [],
      maxPerUser: 101,
      secondFactor: 1,
      counters: 'off',
      related: 'yes',
    };
    expect(problemsOf(given)).toEqual([
      'kit.auth.passkeys.rpName must have at most 64 characters, and no control characters',
      'kit.auth.passkeys.origins must be a list of origins, such as https://example.com',
      'kit.auth.passkeys.maxPerUser must be a whole number from 1 to 100',
      'kit.auth.passkeys.secondFactor must be the boolean true or false',
      "kit.auth.passkeys.counters must be 'strict' or 'note'",
      'kit.auth.passkeys.related must be the boolean true or false',
    ]);
  });

  it('can come from the environment', () => {
    const variables = {
      KIT_AUTH_PASSKEYS_RP_ID: 'example.com',
      KIT_AUTH_PASSKEYS_RP_NAME: 'Example',
      KIT_AUTH_PASSKEYS_ORIGINS: 'https://example.com, https://app.example.com',
      KIT_AUTH_PASSKEYS_MAX_PER_USER: '3',
    };
    Object.assign(process.env, variables);
    try {
      const { passkeys } = kitAuthConfig() as { passkeys?: object };
      expect(passkeysOptions.resolve(passkeys)).toMatchObject({
        problems: [],
        settings: { ...NAMED, origins: ['https://example.com', 'https://app.example.com'], maxPerUser: 3 },
      });
    } finally {
      Object.keys(variables).forEach((name) => Reflect.deleteProperty(process.env, name));
    }
  });
});
