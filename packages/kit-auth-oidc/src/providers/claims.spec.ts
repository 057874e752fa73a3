import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { freezeDate, MemoryLogger } from 'test-support';
import type { OidcProvider } from './provider.options.js';
import { oidcOptions } from '../oidc.options.js';
import { Providers } from './providers.js';
import { readClaims, readProfile } from './claims.js';

const TOKENS = { accessToken: 'an-access-token' };
const NOW = 1_800_000_000;

let logs: MemoryLogger;
beforeEach(() => {
  freezeDate(NOW * 1000);
  logs = new MemoryLogger();
  Logger.overrideLogger(logs);
});

function settingsOf(more: Partial<OidcProvider> = {}) {
  const given = {
    name: 'test',
    issuer: 'https://login.example.com',
    clientId: 'app',
    clientSecret: 'secret',
  };
  const resolved = oidcOptions.resolve({
    providers: [{ ...given, ...more }],
    redirectBase: 'https://api.example.com',
    returnTo: ['https://api.example.com/app'],
  });
  return new Providers(resolved).get('test');
}

const read = (claims: object, more?: Partial<OidcProvider>) =>
  readClaims(settingsOf(more), TOKENS, { aud: 'app', iat: NOW, sub: 'ada', ...claims });

describe('the claims of an ID token', () => {
  it.each<[string, Partial<OidcProvider>, unknown]>([
    ['the client', {}, ['app']],
    ['the client and what the options name', { audiences: ['api'] }, ['app', 'api']],
  ])('may be for %s', (_who, more, aud) => {
    expect(read({ aud }, more).identity.subject).toBe('ada');
  });

  it.each<[string, object, Partial<OidcProvider>, string]>([
    ['another audience besides', { aud: ['app', 'api'] }, {}, 'neither "clientId" nor in "audiences"'],
    ['an audience that is an object', { aud: { app: 1 } }, {}, 'neither "clientId" nor in "audiences"'],
    ['an early iat', { iat: NOW + 61 }, {}, '"iat" of the ID token is missing, or more than 60'],
    ['iat as a string', { iat: String(NOW) }, {}, '"iat" of the ID token is missing'],
    ['nobody', {}, { subject: 'oid' }, 'the claim "oid" is not a string of 1 to 255'],
    ['a subject that is too long', { sub: 's'.repeat(256) }, {}, 'the claim "sub" is not'],
  ])('with %s are refused, and the log says why', (_what, claims, more, why) => {
    expect(() => read(claims, more)).toThrow(expect.objectContaining({ code: 40114, reason: 'provider' }));
    const text = expect.stringContaining('a login with test failed: ');
    expect(logs.lines).toEqual([{ level: 'warn', text }]);
    expect(logs.all()).toContain(why);
  });

  it('may be a minute ahead, and identify users by another claim', () => {
    const { identity, sub } = read({ iat: NOW + 60, oid: '4711' }, { subject: 'oid' });
    expect([identity.subject, sub]).toEqual(['4711', 'ada']);
  });

  it.each<[string, Partial<OidcProvider>, unknown, boolean]>([
    ['that says so', {}, true, true],
    ['that says so with a string', {}, 'true', false],
    ['that does not say so', {}, undefined, false],
    ['that is always trusted', { emailVerified: 'always' }, false, true],
    ['that is never trusted', { emailVerified: 'never' }, true, false],
  ])('of a provider %s verify an address or not', (_which, more, verified, expected) => {
    const { identity } = read({ email: 'Ada@example.com', email_verified: verified }, more);
    expect(identity).toMatchObject({ address: 'Ada@example.com', isVerified: expected });
  });

  it.each([[undefined], ['\uff41da@example.com'], ['not an address']])(
    'have no address in %j, whatever they say of it',
    (email) => {
      const { identity } = read({ email, email_verified: true }, { emailVerified: 'always' });
      expect(identity).toMatchObject({ address: undefined, isVerified: false });
    },
  );

  it.each<[unknown, string | undefined]>([
    ['Ada', 'Ada'],
    [' ', undefined],
    ['x'.repeat(101), undefined],
    [{ a: 1 }, undefined],
  ])('have a name or not: %j', (name, expected) => {
    expect(read({ name }).identity.name).toBe(expected);
  });

  it.each<[object, object]>([
    [{ auth_time: NOW - 5 }, { authTime: NOW - 5 }],
    [{ auth_time: NOW + 5 }, { authTime: NOW }],
    [{ auth_time: NOW + 0.5 }, { authTime: undefined }],
    [{ auth_time: -1 }, { authTime: undefined }],
    [{ sid: 'one' }, { sid: 'one' }],
    [{ sid: 4711 }, { sid: undefined }],
    [{ acr: 'gold', amr: ['pwd', 'mfa'] }, { methods: ['gold', 'pwd', 'mfa'] }],
    [{ acr: { a: 1 }, amr: [['mfa'], { a: 1 }, null] }, { methods: [] }],
    [{ amr: { mfa: true }, acr: ['x'] }, { methods: ['x'] }],
    [{}, { authTime: undefined, sid: undefined, methods: [], tokens: TOKENS }],
  ])('%j say %j of the login', (claims, expected) => {
    expect(read(claims)).toMatchObject(expected);
  });

  it('may have the names of members of objects', () => {
    const claims = JSON.parse('{"__proto__":{"sub":"x"},"constructor":"x","hasOwnProperty":1}') as object;
    expect(read(claims).identity.subject).toBe('ada');
  });
});

describe('a profile', () => {
  it('says who has logged in, and nothing of how', () => {
    const profile = { subject: '4711', address: 'ada@example.com', verified: true, name: 'Ada' };
    expect(readProfile(settingsOf(), TOKENS, profile)).toEqual({
      identity: {
        provider: 'test',
        issuer: 'https://login.example.com',
        subject: '4711',
        address: 'ada@example.com',
        isVerified: true,
        name: 'Ada',
        claims: {},
      },
      tokens: TOKENS,
      authTime: undefined,
      sub: undefined,
      sid: undefined,
      methods: [],
    });
  });

  it.each([[undefined], [null], [{}], [{ subject: 4711 }], [{ subject: '' }]])('is not %j', (profile) => {
    expect(() => readProfile(settingsOf(), TOKENS, profile)).toThrow(
      expect.objectContaining({ code: 40114, reason: 'provider' }),
    );
    expect(logs.all()).toContain('"subject" of the profile is not');
  });
});
