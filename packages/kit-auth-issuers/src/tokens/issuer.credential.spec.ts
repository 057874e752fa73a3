import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthEvents, ResolvedLogin } from 'kit-auth';
import { freezeDate } from 'test-support';
import { settingsOf } from '../config/issuers.js';
import type { Issuer } from '../contract/issuer.options.js';
import { IssuerKeys } from '../keys/issuer.keys.js';
import { FakeIssuer } from '../testing.js';
import { MappedUsers } from '../users/mapped.users.js';
import { IssuerCredential } from './issuer.credential.js';

const ISS = 'https://login.example.com';
const fake = new FakeIssuer({ issuer: ISS, audience: 'api' });
const base64url = (text: string) => Buffer.from(text).toString('base64url');

describe('a token of an issuer', () => {
  const now = Math.floor(Date.now() / 1000);
  let pass: (milliseconds: number) => void;
  beforeEach(() => {
    pass = freezeDate(now * 1000);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const credentialOf = (options: Partial<Issuer> = {}) => {
    const issuer = settingsOf({ issuer: ISS, audience: ['other', 'api'], user: 'linked', ...options });
    const keys = new IssuerKeys(issuer, fake, undefined as unknown as AuthEvents);
    return new IssuerCredential(issuer, keys, new MappedUsers({}), undefined);
  };
  const resolving = async (credential: IssuerCredential, token: string): Promise<string | ResolvedLogin> => {
    try {
      return await credential.resolve(token);
    } catch (error) {
      const { code, reason } = error as { code?: number; reason?: string };
      return code === undefined ? String(error) : `${code} ${reason}`;
    }
  };
  /** `live`, or the refusal. */
  const stateOf = async (
    claims: object,
    { header = {}, ...options }: Partial<Issuer> & { header?: object } = {},
  ) => {
    const answer = await resolving(credentialOf(options), fake.token({ sub: '4711', ...claims }, header));
    return typeof answer === 'string' ? answer : 'live';
  };

  it('is resolved without a promise when it comes again', async () => {
    const credential = credentialOf();
    const token = fake.token({ sub: '4711' });
    const first = await credential.resolve(token);
    expect(credential.resolve(token)).toEqual(first);
    expect(first).toMatchObject({ user: { username: '4711' }, proof: { factors: {} } });
    expect([credential.scheme, credential.issuers]).toEqual(['issuer:login.example.com', [ISS]]);
  });

  it('ends with its exp, also if it comes again', async () => {
    const credential = credentialOf();
    const token = fake.token({ sub: '4711', exp: now + 60 });
    await credential.resolve(token);
    pass(65_000 - 1);
    expect(await resolving(credential, token)).toMatchObject({ user: {} });
    pass(1);
    expect(await resolving(credential, token)).toBe('40101 expired');
  });

  it.each<[string, string, object, Partial<Issuer>?]>([
    ['exp now, within the skew', 'live', { exp: now }],
    ['exp now, without a skew', '40101 expired', { exp: now }, { clockSkewSeconds: 0 }],
    ['exp five seconds ago', '40101 expired', { exp: now - 5 }],
    ['no exp', '40101 malformed', { exp: undefined }],
    ['exp as a text', '40101 malformed', { exp: String(now + 60) }],
    ['exp null', '40101 malformed', { exp: null }],
    ['nbf in 5 seconds', 'live', { nbf: now + 5 }],
    ['nbf in 6 seconds', '40101 malformed', { nbf: now + 6 }],
    ['nbf as a text', '40101 malformed', { nbf: 'now' }],
    ['iat in the future', '40101 malformed', { iat: now + 6, nbf: now }],
    ['no iat', 'live', { iat: undefined }],
    ['12 hours', 'live', { exp: now + 43_200 }],
    ['12 hours and a second', '40101 malformed', { exp: now + 43_201 }],
    ['12 hours without iat', 'live', { exp: now + 43_200, iat: undefined }],
    ['13 hours without iat', '40101 malformed', { exp: now + 46_800, iat: undefined }],
    ['13 hours, where they are allowed', 'live', { exp: now + 46_800 }, { maxAgeMinutes: 780 }],
  ])('has times: %s', async (_name, state, claims, options = {}) => {
    expect(await stateOf(claims, options)).toBe(state);
  });

  it.each<[string, string, object, Partial<Issuer>?]>([
    ['another audience', '40101 malformed', { aud: 'web' }],
    ['no audience', '40101 malformed', { aud: undefined }],
    ['audiences with one of ours', 'live', { aud: ['web', 'api'] }],
    ['audiences without one of ours', '40101 malformed', { aud: ['web'] }],
    ['audiences that are no texts', '40101 malformed', { aud: ['api', 7] }],
    ['too many audiences', '40101 malformed', { aud: [...Array<string>(100).fill('a'), 'api'] }],
    ['an audience as an object', '40101 malformed', { aud: { api: 'api' } }],
    ['an audience in another case', '40101 malformed', { aud: 'API' }],
    ['no subject', '40101 malformed', { sub: undefined }],
    ['an empty subject', '40101 malformed', { sub: '' }],
    ['a long subject', '40101 malformed', { sub: 'x'.repeat(256) }],
    ['a subject that is a number', '40101 malformed', { sub: 4711 }],
    ['another issuer', '40101 malformed', { iss: `${ISS}/` }],
    ['several issuers', '40101 malformed', { iss: [ISS] }],
    ['a nonce', '40101 malformed', { nonce: 'x' }],
    ['at_hash', '40101 malformed', { at_hash: 'x' }],
    ['a nonce in an access token', 'live', { nonce: 'x' }, { typ: 'at+jwt' }],
    ['the claims that it needs', 'live', { azp: 'web', level: 2 }, { claims: { azp: 'web', level: 2 } }],
    ['another client', '40101 malformed', { azp: 'other' }, { claims: { azp: 'web' } }],
    ['no client', '40101 malformed', {}, { claims: { azp: 'web' } }],
    ['a list of clients', '40101 malformed', { azp: ['web'] }, { claims: { azp: 'web' } }],
    ['what objects inherit', '40101 malformed', {}, { claims: { constructor: 'x' } }],
  ])('has claims: %s', async (_name, state, claims, options = {}) => {
    expect(await stateOf(claims, options)).toBe(state);
  });

  it.each<[string, string, object, Partial<Issuer>?]>([
    ['no kid', 'live', { kid: undefined }],
    ['an unknown kid', '40101 signature', { kid: 'other' }],
    ['a kid like a path', '40101 signature', { kid: '../../etc/passwd' }],
    ['the kid __proto__', '40101 signature', { kid: '__proto__' }],
    ['a kid that is a number', '40101 malformed', { kid: 7 }],
    ['a long kid', '40101 malformed', { kid: 'x'.repeat(257) }],
    ['no algorithm', '40101 malformed', { alg: undefined }],
    ['the algorithm none', '40101 malformed', { alg: 'none' }],
    ['HS256', '40101 malformed', { alg: 'HS256' }],
    ['a list of algorithms', '40101 malformed', { alg: ['ES256'] }],
    ['an algorithm of another key', '40101 signature', { alg: 'RS256' }],
    ['an algorithm that is not accepted', '40101 malformed', {}, { algorithms: ['RS256'] }],
    ['crit', '40101 malformed', { crit: ['b64'] }],
    ['b64', '40101 malformed', { b64: true }],
    [
      'keys of its own, which are not used',
      'live',
      { jwk: {}, jku: 'https://evil.example', x5u: 'x', x5c: [] },
    ],
    ['typ JWT', 'live', { typ: 'JWT' }],
    ['no typ', 'live', { typ: undefined }],
    ['typ JWT where access tokens are needed', '40101 malformed', { typ: 'JWT' }, { typ: 'at+jwt' }],
    ['no typ where access tokens are needed', '40101 malformed', { typ: undefined }, { typ: 'at+jwt' }],
    ['a typ in full', 'live', { typ: 'application/AT+JWT' }, { typ: 'at+jwt' }],
  ])('has a header: %s', async (_name, state, header, options = {}) => {
    expect(await stateOf({}, { header, ...options })).toBe(state);
  });

  it('is refused with another signature or spelling', async () => {
    const credential = credentialOf();
    const token = fake.token({ sub: '4711' });
    const [header = '', payload = '', signature = ''] = token.split('.');
    const mac = createHmac('sha256', JSON.stringify(fake.jwks.keys[0])).update(`${header}.${payload}`);
    const twice = base64url(`{"iss":"${ISS}","iss":"${ISS}"}`);
    const states: string[] = [];
    for (const wrong of [
      `${header}.${payload}.${'A'.repeat(86)}`,
      `${header}.${payload}.${signature.slice(2)}`,
      `${header}.${payload}.${mac.digest('base64url')}`,
      `${header}.${base64url('{}')}.${signature}`,
      `${header}.${twice}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${token} `,
      `${token}=`,
      '',
      'eyJ'.repeat(10_000),
    ]) {
      states.push(String(await resolving(credential, wrong)));
    }
    expect(states).toEqual([
      ...Array<string>(3).fill('40101 signature'),
      ...Array<string>(8).fill('40101 malformed'),
    ]);
  });

  it('proves a fresh login only if the issuer is trusted to say so', async () => {
    const proofOf = async (claims: object, options: Partial<Issuer>) => {
      const answer = await resolving(credentialOf(options), fake.token({ sub: '4711', ...claims }));
      return (answer as ResolvedLogin).proof.factors;
    };
    expect(await proofOf({ auth_time: now - 60 }, { fresh: true })).toEqual({ oidc: now - 60 });
    expect(await proofOf({ auth_time: now + 5 }, { fresh: true })).toEqual({ oidc: now });
    expect(await proofOf({ auth_time: now }, {})).toEqual({});
    // A time in the future, such as one in milliseconds, would be fresh for as long as the token lives.
    for (const auth_time of [undefined, 'now', -1, 1.5, [now], now + 6, now * 1000]) {
      expect(await proofOf({ auth_time }, { fresh: true })).toEqual({});
    }
  });

  it('has a proof that no request can change for others', async () => {
    const answer = await resolving(
      credentialOf({ fresh: true }),
      fake.token({ sub: '4711', auth_time: now }),
    );
    const { proof } = answer as ResolvedLogin;
    expect([proof, proof.factors].every(Object.isFrozen)).toBe(true);
  });
});
