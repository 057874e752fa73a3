import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { AuthErrorCode, AuthException, IllegalStateException, type LoginProof } from 'kit-auth';
import { loginUser } from 'test-support';
import { Addressing } from './addressing.js';
import { checkTimes, isBoundTo, JwtCodec, newTokenId } from './jwt.codec.js';
import { ringOfSecret } from './jwt.keys.js';

const SECRET = 'a secret of at least 32 bytes, for tests';
const LIFETIME = 720 * 60;
const NOW = 1_800_000_000;
const ROOT = { userId: 1, username: 'root' };
const USER = loginUser({
  nickname: 'Ada \u00c5 \ud83d\ude80',
  roles: ['editor'],
  permissions: ['note:read'],
});
const HEADER = '{"alg":"HS256","typ":"JWT"}';
const CLAIMS = { ...USER, iat: NOW, exp: NOW + LIFETIME, sub: '7', jti: 'x' };

const codec = new JwtCodec({ ring: ringOfSecret(Buffer.from(SECRET)), addressing: new Addressing({}) });

const base64url = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64url');
const mac = (input: string, secret = SECRET, algorithm = 'sha256') =>
  createHmac(algorithm, secret).update(input).digest('base64url');

/** Signs whatever it is given, as somebody who has the key could. */
function sign(header: string | Buffer, payload: string | Buffer): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${mac(input)}`;
}
const withClaims = (claims: object) => sign(HEADER, JSON.stringify({ ...CLAIMS, ...claims }));
const withHeader = (header: unknown) => sign(JSON.stringify(header), JSON.stringify(CLAIMS));

function refusal(token: string): string | undefined {
  try {
    checkTimes(codec.decode(token).claims, LIFETIME);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(AuthException);
    expect((error as AuthException).code).toBe(AuthErrorCode.TOKEN_INVALID);
    return (error as AuthException).reason;
  }
}

beforeEach(() => {
  jest.useFakeTimers({ now: NOW * 1000 });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a token of our own', () => {
  it('comes back as the user it was made for', async () => {
    expect(codec.decode(await codec.encode(USER, LIFETIME)).claims).toMatchObject(USER);
  });

  it('does so whatever the user holds', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    const user = fc.record({
      userId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      username: text,
      nickname: text,
      superAdmin: fc.boolean(),
      roles: fc.array(text, { maxLength: 5 }),
      permissions: fc.array(text, { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(user, async (user) => {
        expect(codec.decode(await codec.encode(user, LIFETIME)).claims).toMatchObject(user);
      }),
    );
  });

  it('has these claims and nothing else', async () => {
    const [header, payload] = (await codec.encode(USER, LIFETIME)).split('.');
    expect(JSON.parse(Buffer.from(header!, 'base64url').toString())).toEqual({ alg: 'HS256', typ: 'JWT' });
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString());
    expect(claims).toEqual({ ...USER, sub: '7', iat: NOW, exp: NOW + LIFETIME, jti: expect.any(String) });
  });

  it('carries the proof of the login', async () => {
    const factors = fc.dictionary(fc.stringMatching(/^[a-z][\w-]{0,31}$/), fc.maxSafeNat(), { maxKeys: 16 });
    const proof = fc.record(
      {
        loginId: fc.stringMatching(/^[\w.-]{1,64}$/),
        factors: factors.filter((factor) => Object.keys(factor).every((name) => !(name in Object.prototype))),
        expiresAt: fc.integer({ min: NOW + 1, max: NOW + 10 * LIFETIME }),
        actor: fc.record({ userId: fc.integer({ min: 1 }), username: fc.string({ unit: 'binary' }) }),
      },
      { requiredKeys: ['factors'] },
    );
    await fc.assert(
      fc.asyncProperty(proof, async (proof) => {
        const {
          sid,
          factors: kept = {},
          act,
          until,
          iat,
          exp,
        } = codec.decode(await codec.encode(USER, LIFETIME, { proof: proof })).claims;
        expect({ loginId: sid, factors: kept, act, expiresAt: until }).toEqual({
          loginId: proof.loginId,
          act: proof.actor && { sub: String(proof.actor.userId), ...proof.actor },
          expiresAt: proof.expiresAt,
          factors: { ...proof.factors },
        });
        expect([iat, exp]).toEqual([NOW, Math.min(NOW + LIFETIME, proof.expiresAt ?? Infinity)]);
      }),
    );
  });

  it.each(['7', 'a', '01', 'usr_Zm9v', '0198f5a0-7c1b-7d3e-9a55-3f0c2b1a4d5e', '~'.repeat(128), '-1'])(
    'carries the user id %j',
    async (userId) => {
      const user = { ...USER, userId: userId as unknown as number };
      expect(codec.decode(await codec.encode(user, LIFETIME)).claims.userId).toBe(userId);
    },
  );

  it('is not issued for a login that is over', async () => {
    for (const expiresAt of [NOW, NOW - 1, 0]) {
      await expect(codec.encode(USER, LIFETIME, { proof: { factors: {}, expiresAt } })).rejects.toEqual(
        expect.objectContaining({ code: AuthErrorCode.TOKEN_INVALID, reason: 'expired' }),
      );
    }
  });

  it.each<LoginProof>([
    { factors: { password: 1.5 } },
    { factors: { password: -1 } },
    { factors: { password: NaN } },
    { factors: { 'a b': NOW } },
    { factors: { constructor: NOW } },
    { factors: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`f${i}`, NOW])) },
    { factors: {}, loginId: '' },
    { factors: {}, loginId: 'a'.repeat(65) },
    { factors: {}, loginId: 'a b' },
    { factors: {}, expiresAt: NOW + 0.5 },
    { factors: {}, actor: { userId: 0, username: 'root' } },
  ])('is not issued for %j, which nobody could read', async (proof) => {
    await expect(codec.encode(USER, LIFETIME, { proof })).rejects.toBeInstanceOf(IllegalStateException);
  });

  it('carries data, and not that of the user', async () => {
    const user = { ...USER, data: { salary: 1 } };
    const data = { tenant: 't1', quota: [1, null, { a: 'é' }] };
    expect(codec.decode(await codec.encode(user, LIFETIME, { data })).claims.data).toEqual(data);
    expect(codec.decode(await codec.encode(user, LIFETIME)).claims).not.toHaveProperty('data');
  });

  it('is unlike the one before', async () => {
    expect(await codec.encode(USER, LIFETIME)).not.toBe(await codec.encode(USER, LIFETIME));
  });

  it('is valid until the last moment of its life, and not after', async () => {
    const token = await codec.encode(USER, LIFETIME);
    jest.setSystemTime((NOW + LIFETIME) * 1000 - 1);
    expect(refusal(token)).toBeUndefined();
    jest.setSystemTime((NOW + LIFETIME) * 1000);
    expect(refusal(token)).toBe('expired');
  });

  it('cannot be altered in any one character', async () => {
    const token = await codec.encode(USER, LIFETIME);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'ABCxyz019-_.= \u00e9'), (at, character) => {
        fc.pre(token[at] !== character);
        expect(refusal(token.slice(0, at) + character + token.slice(at + 1))).toMatch(
          /^(malformed|signature)$/,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('cannot be shortened or lengthened', async () => {
    const token = await codec.encode(USER, LIFETIME);
    for (let length = 0; length < token.length; length++) {
      expect(refusal(token.slice(0, length))).toBe('malformed');
    }
    for (const added of ['A', '=', '.', ' ', '\n', '\0', '.A', 'AAAA', token]) {
      expect(refusal(token + added)).toBe('malformed');
      expect(refusal(added + token)).toMatch(/^(malformed|signature)$/);
    }
  });
});

describe('a text that is no token', () => {
  it('is refused, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\w-]*\.[\w-]*\.[\w-]*$/)),
        (text) => {
          expect(refusal(text)).toMatch(/^(malformed|signature)$/);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['100 KB that are signed', withClaims({ nickname: 'A'.repeat(100_000) })],
    [
      'standard base64',
      sign(HEADER, JSON.stringify({ ...CLAIMS, nickname: '\u00ff\u00fe>?>?' })).replace(/[-_]/g, '+'),
    ],
  ])('%s', (_name, text) => expect(refusal(text)).toBe('malformed'));
});

describe('a header', () => {
  it.each(['none', 'HS256 ', 'HS384', undefined])('with alg %j is refused', (alg) =>
    expect(refusal(withHeader({ alg, typ: 'JWT' }))).toMatch(/malformed|signature/),
  );

  it.each(['none', 'NONE'])('with alg %s and no signature is refused', (alg) => {
    const input = `${base64url(JSON.stringify({ alg, typ: 'JWT' }))}.${base64url(JSON.stringify(CLAIMS))}`;
    expect(refusal(`${input}.`)).toBe('malformed');
  });

  it.each(['sha384', 'sha512'])('whose signature is a %s of our key is refused', (algorithm) => {
    const input = `${base64url(HEADER)}.${base64url(JSON.stringify(CLAIMS))}`;
    expect(refusal(`${input}.${mac(input, SECRET, algorithm)}`)).toBe('malformed');
  });

  it('signed with another key, or none, is refused', () => {
    const input = `${base64url(HEADER)}.${base64url(JSON.stringify(CLAIMS))}`;
    for (const secret of ['', `${SECRET} `, SECRET.slice(1), SECRET.toUpperCase()]) {
      expect(refusal(`${input}.${mac(input, secret)}`)).toBe('signature');
    }
  });

  it.each<object>([{ jwk: { kty: 'oct', k: 'AAAA' } }, { crit: ['exp'] }, { b64: true }, { typ: 'at+jwt' }])(
    'with %j is refused',
    (more) =>
      expect(refusal(withHeader({ alg: 'HS256', typ: 'JWT', ...more }))).toMatch(/malformed|signature/),
  );

  it.each([`${HEADER} `, '{"alg":"none","alg":"HS256","typ":"JWT"}', '{"alg":"\\u0048S256","typ":"JWT"}'])(
    'that is %s is refused',
    (header) => expect(refusal(sign(header, JSON.stringify(CLAIMS)))).toMatch(/malformed|signature/),
  );

  it.each(['{"alg":"HS256"}', '{"typ":"JWT","alg":"HS256"}'])('spelt %s is accepted', (header) =>
    expect(refusal(sign(header, JSON.stringify(CLAIMS)))).toBeUndefined(),
  );
});

describe('a payload', () => {
  it.each([
    '[]',
    '{',
    `${JSON.stringify(CLAIMS)} `,
    `${JSON.stringify(CLAIMS).slice(0, -1)},"sub":"7"}`,
    JSON.stringify(CLAIMS).replace(String(CLAIMS.exp), '1e400'),
  ])('that is %s is refused', (payload) =>
    expect(refusal(sign(HEADER, payload))).toMatch(/malformed|signature/),
  );

  it('that is not UTF-8 is refused', () => {
    const text = JSON.stringify({ ...CLAIMS, nickname: '\xff' });
    expect(refusal(sign(HEADER, Buffer.from(text)))).toBeUndefined();
    expect(refusal(sign(HEADER, Buffer.from(text, 'latin1')))).toBe('malformed');
  });

  it.each(Object.keys(CLAIMS))('without %s is refused', (name) => {
    expect(refusal(withClaims({ [name]: undefined }))).toBe('malformed');
  });

  it.each<object>([
    ...['', 'x'.repeat(256), 7.5, -7, 0, 1e21, 2 ** 53, null, true, {}, [7]].map((userId) => ({
      userId,
      sub: String(userId),
    })),
    ...[8, '', 'ada', null].map((sub) => ({ sub })),
    ...['false', 0, null, {}].map((superAdmin) => ({ superAdmin })),
    ...['editor', null, {}, [1], [null], [['editor']]].flatMap((list) => [
      { roles: list },
      { permissions: list },
    ]),
    ...[1, null, {}, ['ada']].flatMap((text) => [{ username: text }, { nickname: text }, { jti: text }]),
    { jti: '' },
    ...[String(NOW), `${NOW + 60}`, true, null, {}, [], NOW + 0.5, 2 ** 53 + 2, -1].flatMap((time) => [
      { exp: time },
      { iat: time },
      { nbf: time },
    ]),
    ...['kit-auth', ['kit-auth'], [], null].map((aud) => ({ aud })),
    ...[{}, [], null, { a: 1 }].map((address) => ({ address })),
    { userId: '8' },
    { userId: '07' },
    { constructor: 'x' },
    { toString: 'x' },
    ...['', 'a b', 'a'.repeat(65), '\u00e5', 7, null, true, {}, ['x']].map((sid) => ({ sid })),
    ...[String(NOW), -1, 1.5, 1e21, 2 ** 53, null, true, {}, [], { at: NOW }].flatMap((time) => [
      { factors: { password: time } },
      { until: time },
    ]),
    ...['password', NOW, null, true, [], [NOW], ['password']].map((factors) => ({ factors })),
    ...['', 'a b', 'a'.repeat(33), '\u00e5', 'constructor', 'prototype', 'toString'].map((name) => ({
      factors: { [name]: NOW },
    })),
    { factors: JSON.parse(`{"__proto__":${NOW}}`) as object },
    { factors: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`f${i}`, NOW])) },
    ...[0, -1, 1.5, 1e21, '', 'x'.repeat(256), null, {}, undefined].map((userId) => ({
      act: { userId, username: 'root' },
    })),
    ...[1, null, {}, undefined].map((username) => ({ act: { userId: 1, username } })),
    ...['root', 1, null, [], {}, { userId: 1, username: 'root', act: {} }, { ...ROOT, sub: '2' }].map(
      (act) => ({ act }),
    ),
    { until: NOW + LIFETIME - 1 },
    ...['x', 1, null, true, ['x']].map((data) => ({ data })),
  ])('with %j is refused', (claims) => expect(refusal(withClaims(claims))).toBe('malformed'));

  it.each([
    { act: ROOT },
    { act: { ...ROOT, sub: '1' } },
    { iss: 'somebody' },
    { scope: 'read' },
    { amr: 1 },
    { nbf: NOW - 60 },
    { nbf: NOW },
  ])('with %j is accepted: what a reader does not know it ignores (RFC 7519 section 4)', (claims) =>
    expect(refusal(withClaims(claims))).toBeUndefined(),
  );

  it.each([
    ['a life longer than ours', { exp: NOW + LIFETIME + 1 }, 'malformed'],
    ['an end before its beginning', { iat: NOW, exp: NOW - 1 }, 'malformed'],
    ['an end of 0', { iat: 0, exp: 0 }, 'malformed'],
    ['a beginning in the future', { iat: NOW + 6, exp: NOW + 60 }, 'malformed'],
    ['a beginning within the skew of clocks', { iat: NOW + 5, exp: NOW + 60 }, undefined],
    ['nbf in the future', { nbf: NOW + 6 }, 'malformed'],
    ['nbf within the skew of clocks', { nbf: NOW + 5 }, undefined],
    ['an end in the past', { iat: NOW - 60, exp: NOW - 1 }, 'expired'],
    ['an end now', { iat: NOW - 60, exp: NOW }, 'expired'],
    ['a second left', { iat: NOW - 60, exp: NOW + 1 }, undefined],
  ])('with %s', (_name, claims, reason) => expect(refusal(withClaims(claims))).toBe(reason));
});

describe('the id of a token', () => {
  it('is a random UUID', () => {
    const ids = Array.from({ length: 1000 }, () => newTokenId('stamp'));
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    }
  });

  it('tells the stamp that it was made for from any other', () => {
    const id = newTokenId('stamp');
    expect(isBoundTo(id, 'stamp')).toBe(true);
    expect(isBoundTo(id, 'other')).toBe(false);
    expect(isBoundTo(id, '')).toBe(false);
    expect(isBoundTo(newTokenId(''), '')).toBe(true);
  });

  it.each(['', 'x', 'jti', '0'.repeat(32), crypto.randomUUID(), newTokenId('stamp').toUpperCase()])(
    'is of no stamp where it was made by nobody here: %j',
    (id) => expect(isBoundTo(id, 'stamp')).toBe(false),
  );
});
