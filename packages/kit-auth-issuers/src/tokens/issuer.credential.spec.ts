import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthEvents, ResolvedLogin } from 'kit-auth';
import { VerificationKey } from 'kit-auth/tools';
import { freezeDate } from 'test-support';
import { settingsOf } from '../issuer.js';
import type { Issuer } from '../issuer.js';
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
    jest.restoreAllMocks();
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
    ['fractions', 'live', { iat: now - 0.5, exp: now + 60.5 }],
    ['no exp', '40101 malformed', { exp: undefined }],
    ['exp as a text', '40101 malformed', { exp: String(now + 60) }],
    ['nbf in 5 seconds', 'live', { nbf: now + 5 }],
    ['nbf in 6 seconds', '40101 malformed', { nbf: now + 6 }],
    ['nbf as a text', '40101 malformed', { nbf: 'now' }],
    ['iat in 5 seconds', 'live', { iat: now + 5 }],
    ['iat in the future', '40101 malformed', { iat: now + 6, nbf: now }],
    ['iat as a text', '40101 malformed', { iat: String(now) }],
    ['12 hours', 'live', { exp: now + 43_200 }],
    ['12 hours and a second', '40101 malformed', { exp: now + 43_201 }],
    ['12 hours, most of them over', '40101 malformed', { iat: now - 43_000, exp: now + 201 }],
    ['12 hours and the skew without iat', 'live', { exp: now + 43_205, iat: undefined }],
    ['12 hours and 6 seconds without iat', '40101 malformed', { exp: now + 43_206, iat: undefined }],
    ['13 hours, where they are allowed', 'live', { exp: now + 46_800 }, { maxAgeMinutes: 780 }],
  ])('has times: %s', async (_name, state, claims, options = {}) => {
    expect(await stateOf(claims, options)).toBe(state);
  });

  it.each<[string, string, object, Partial<Issuer>?]>([
    ['another audience', '40101 malformed', { aud: 'web' }],
    ['a part of our audience', '40101 malformed', { aud: 'ap' }],
    ['audiences with one of ours', 'live', { aud: ['web', 'api'] }],
    ['audiences that are no texts', '40101 malformed', { aud: ['api', 7] }],
    ['too many audiences', '40101 malformed', { aud: [...Array<string>(100).fill('a'), 'api'] }],
    ['an empty subject', '40101 malformed', { sub: '' }],
    ['a long subject', '40101 malformed', { sub: 'x'.repeat(256) }],
    ['a subject that is a number', '40101 malformed', { sub: 4711 }],
    ['another issuer', '40101 malformed', { iss: `${ISS}/` }],
    ['a null nonce', '40101 malformed', { nonce: null }],
    ['at_hash', '40101 malformed', { at_hash: 'x' }],
    ['events of a logout token', '40101 malformed', { events: {} }],
    ['a nonce in an access token', 'live', { nonce: 'x' }, { typ: 'at+jwt' }],
    ['a key that it is bound to', '40101 malformed', { cnf: { jkt: 'x' } }],
    ['a certificate that it is bound to', '40101 malformed', { cnf: { 'x5t#S256': 'x' } }],
    ['a binding that is null', '40101 malformed', { cnf: null }, { typ: 'at+jwt' }],
    ['a key, where somebody else checks it', 'live', { cnf: { jkt: 'x' }, typ: 'DPoP' }, { bound: 'ignore' }],
    // Keycloak, Cognito, and libraries of Django and Flask.
    ...['ID', 'Refresh', 'Offline', 'Logout'].map((typ): [string, string, object] => [
      `the type ${typ}`,
      '40101 malformed',
      { typ },
    ]),
    ['the use of an ID token', '40101 malformed', { token_use: 'id' }],
    ['the use of a refresh token', '40101 malformed', { token_type: 'refresh_token' }],
    ['another type of token', '40101 malformed', { type: 'refresh' }],
    ['the types of access tokens', 'live', { typ: 'Bearer', token_use: 'access', token_type: 'Bearer' }],
    ['types that are no texts', 'live', { typ: 7, type: ['id'] }],
    ['no object as actor', '40101 malformed', { act: 'ada' }],
    ['an actor without a subject', '40101 malformed', { act: { userId: 1 } }],
    ['an actor with a long subject', '40101 malformed', { act: { sub: 'x'.repeat(256) } }],
    ['an actor of another issuer', '40101 malformed', { act: { iss: `${ISS}/`, sub: 'ada' } }],
    ['an actor of this issuer', 'live', { act: { iss: ISS, sub: 'ada' } }],
    ['the claims that it needs', 'live', { azp: 'web', level: 2 }, { claims: { azp: 'web', level: 2 } }],
    ['another client', '40101 malformed', { azp: 'other' }, { claims: { azp: 'web' } }],
    ['no client', '40101 malformed', {}, { claims: { azp: 'web' } }],
  ])('has claims: %s', async (_name, state, claims, options = {}) => {
    expect(await stateOf(claims, options)).toBe(state);
  });

  it.each<[string, string, object, Partial<Issuer>?]>([
    ['no kid', 'live', { kid: undefined }],
    ['an unknown kid', '40101 signature', { kid: 'other' }],
    ['a kid that is a number', '40101 malformed', { kid: 7 }],
    ['a long kid', '40101 malformed', { kid: 'x'.repeat(257) }],
    ['no algorithm', '40101 malformed', { alg: undefined }],
    ['the algorithm none', '40101 malformed', { alg: 'none' }],
    ['the algorithm of a secret', '40101 malformed', { alg: 'HS256' }],
    ['an algorithm of another key', '40101 signature', { alg: 'RS256' }],
    ['an algorithm that is not accepted', '40101 malformed', {}, { algorithms: ['RS256'] }],
    ['crit', '40101 malformed', { crit: ['exp'] }],
    ['b64', '40101 malformed', { b64: true }],
    [
      'keys of its own, which are not used',
      'live',
      { jwk: {}, jku: 'https://evil.example', x5u: 'x', x5c: [] },
    ],
    ['no typ', 'live', { typ: undefined }],
    ['typ JWT', 'live', { typ: 'JWT' }],
    ['typ jwt in full', 'live', { typ: 'application/jwt' }],
    ...[
      'logout+jwt',
      'dpop+jwt',
      'secevent+jwt',
      'application/kb+jwt',
      'token-introspection+jwt',
      '',
      ['JWT'],
    ].map((typ): [string, string, object] => [`typ ${JSON.stringify(typ)}`, '40101 malformed', { typ }]),
    ['typ JWT where access tokens are needed', '40101 malformed', { typ: 'JWT' }, { typ: 'at+jwt' }],
    ['a longer typ', '40101 malformed', { typ: 'at+jwt ' }, { typ: 'at+jwt' }],
    ['a list as typ', '40101 malformed', { typ: ['at+jwt'] }, { typ: 'at+jwt' }],
    ['a typ in full', 'live', { typ: 'application/AT+JWT' }, { typ: 'at+jwt' }],
  ])('has a header: %s', async (_name, state, header, options = {}) => {
    expect(await stateOf({}, { header, ...options })).toBe(state);
  });

  it('is refused with another signature, another payload or no JSON', async () => {
    const credential = credentialOf();
    const [header = '', payload = '', signature = ''] = fake.token({ sub: '4711' }).split('.');
    const twice = base64url(`{"iss":"${ISS}","iss":"${ISS}"}`);
    for (const [wrong, reason] of [
      [`${header}.${payload}.${'A'.repeat(86)}`, 'signature'],
      [`${header}.${base64url('{}')}.${signature}`, 'malformed'],
      [`${header}.${twice}.${signature}`, 'malformed'],
      [`${payload}.${header}.${signature}`, 'malformed'],
    ]) {
      expect(await resolving(credential, wrong!)).toBe(`40101 ${reason}`);
    }
  });

  it('costs no signature check with an unknown kid, and one fetch in half a minute', async () => {
    const issuer = settingsOf({ issuer: ISS, audience: 'api', user: 'linked' });
    const keysOf = jest.fn(() => fake.keysOf());
    const keys = new IssuerKeys(issuer, { keysOf }, undefined as unknown as AuthEvents);
    const credential = new IssuerCredential(issuer, keys, new MappedUsers({}), undefined);
    const known = fake.token({ sub: '4711' });
    await credential.resolve(known);
    const verify = jest.spyOn(VerificationKey.prototype, 'verify');
    for (const fetches of [2, 3]) {
      pass(30_000);
      for (let i = 0; i < 200; i++) {
        const token = fake.token({ sub: '4711' }, { kid: `${fetches} ${i}` });
        expect(await resolving(credential, token)).toBe('40101 signature');
        expect(credential.resolve(known)).not.toBeInstanceOf(Promise);
      }
      expect(keysOf).toHaveBeenCalledTimes(fetches);
    }
    expect(verify).not.toHaveBeenCalled();
  });

  it('proves a second factor with the values that stand for one, and never a fresher one than its login', async () => {
    const mfa = ['mfa', 'urn:example:two'];
    const proofOf = async (claims: object, options: Partial<Issuer> = { mfa }) => {
      const answer = await resolving(credentialOf(options), fake.token({ sub: '4711', ...claims }));
      return (answer as ResolvedLogin).proof.factors;
    };
    expect(await proofOf({ amr: ['pwd', 'mfa'], auth_time: now - 60 })).toEqual({ mfa: 0 });
    expect(await proofOf({ acr: 'urn:example:two' })).toEqual({ mfa: 0 });
    expect(await proofOf({ amr: ['mfa'] }, {})).toEqual({});
    const fresh = { mfa, fresh: true };
    expect(await proofOf({ amr: ['mfa'], auth_time: now - 60 }, fresh)).toEqual({
      oidc: now - 60,
      mfa: now - 60,
    });
    expect(await proofOf({ amr: ['mfa'] }, fresh)).toEqual({ mfa: 0 });
    expect(await proofOf({ amr: ['mfa'], auth_time: now + 6 }, fresh)).toEqual({ mfa: 0 });
    for (const claims of [
      ...[{ amr: ['pwd'] }, { amr: [['mfa']] }, { amr: { mfa: true } }, { amr: null }],
      ...[{ acr: '1' }, { acr: 7 }, { acr: 'mfa ' }],
    ]) {
      expect([claims, await proofOf(claims)]).toEqual([claims, {}]);
    }
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

  it('names the user who really acts, as one of the issuer', async () => {
    const credential = credentialOf();
    const actorOf = async (act: object) =>
      ((await resolving(credential, fake.token({ sub: '4711', act }))) as ResolvedLogin).proof.actor;
    const { user } = (await resolving(credential, fake.token({ sub: 'ada' }))) as ResolvedLogin;
    expect(await actorOf({ sub: 'ada' })).toEqual({ userId: user.userId, username: 'ada' });
    // An issuer cannot blame accounts of the application. Who acted before does not act now.
    const act = { sub: 'ada', userId: 1, preferred_username: 'Ada', act: { sub: 'eve' } };
    expect(await actorOf(act)).toEqual({ userId: user.userId, username: 'Ada' });
    const token = fake.token({ sub: '4711', act });
    const first = await credential.resolve(token);
    expect(credential.resolve(token)).toEqual(first);
  });

  it('has a proof that no request can change for others', async () => {
    const answer = await resolving(
      credentialOf({ fresh: true }),
      fake.token({ sub: '4711', auth_time: now, act: { sub: 'ada' } }),
    );
    const { proof } = answer as ResolvedLogin;
    expect([proof, proof.factors, proof.actor].every(Object.isFrozen)).toBe(true);
  });
});
