import { afterEach, describe, expect, it } from '@jest/globals';
import { passkeysOptions, RelyingParty } from './passkeys.options.js';
import { foreignOriginsProblem, originsProblem, rpIdProblem } from './relying-party.rules.js';

const OWN = 'https://example.com';

describe('the domain of passkeys', () => {
  const environment = process.env['NODE_ENV'];
  afterEach(() => {
    process.env['NODE_ENV'] = environment;
  });

  it.each([
    'https://example.com',
    'Example.com',
    '.example.com',
    'example',
    '127.0.0.1',
    `${'a'.repeat(64)}.com`,
  ])('is not %j', (rpId) => {
    expect(rpIdProblem(rpId)).toMatch(/^must be a domain in lower case/);
  });

  it.each(['app.example.co.uk', 'xn--mnchen-3ya.de', 'a-b.example.com', 'localhost'])('can be %s', (rpId) => {
    expect(rpIdProblem(rpId)).toBeUndefined();
  });

  it('is not localhost in production', () => {
    process.env['NODE_ENV'] = 'production';
    expect(rpIdProblem('localhost')).toBe(
      'must be the domain of your site in production, such as example.com',
    );
  });
});

describe('the origins of passkeys', () => {
  it.each([
    'https://example.com/',
    'http://example.com',
    'https://127.0.0.1',
    'example.com',
    'android:apk-key-hash:x',
    7,
  ])('are not %j', (origin) => {
    expect(originsProblem([OWN, origin])).toMatch(/^must be exact origins.*number 2 is not$/);
  });

  it('are of the domain and below, with ports, and of apps', () => {
    const app = `android:apk-key-hash:${'A'.repeat(43)}`;
    const origins = [OWN, 'https://a.b.example.com:8443', app];
    expect([originsProblem(origins), foreignOriginsProblem('example.com', origins, false)]).toEqual([
      undefined,
      undefined,
    ]);
    const local = ['http://localhost:3000'];
    expect([originsProblem(local), foreignOriginsProblem('localhost', local, false)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each(['https://example.org', 'https://notexample.com', 'http://localhost:3000'])(
    'are not %s, which browsers would not let use the passkeys',
    (origin) => {
      expect(foreignOriginsProblem('example.com', [OWN, origin], false)).toMatch(
        /^must have hosts that are example\.com or end with \.example\.com: number 2 does not/,
      );
    },
  );

  it('may be of five other domains with related, in any number of countries', () => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://${name}.org`);
    const origins = [OWN, ...five, 'https://www.a.com', 'https://a.co.uk'];
    expect(foreignOriginsProblem('example.com', origins, true)).toBeUndefined();
    expect(foreignOriginsProblem('example.com', [...origins, 'https://f.org'], true)).toBe(
      'must have at most 5 other domains: browsers ignore the rest',
    );
    const given = { rpId: 'example.com', rpName: 'Example', origins, related: true };
    expect(new RelyingParty(passkeysOptions.resolve(given)).relatedOrigins).toEqual(origins.slice(1));
  });

  it('are that of the domain by default', () => {
    expect(new RelyingParty(passkeysOptions.resolve({ rpId: 'example.com', rpName: 'Example' }))).toEqual({
      id: 'example.com',
      name: 'Example',
      origins: [OWN],
      relatedOrigins: undefined,
    });
  });
});
