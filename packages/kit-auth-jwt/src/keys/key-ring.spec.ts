import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthException, type JwtKey, type KitAuthSettings } from 'kit-auth';
import { signWith, VerificationKey } from 'kit-auth/tools';
import { loginUser, PAIR_ALGORITHMS as ALGORITHMS, type PairAlgorithm, pairOf } from 'test-support';
import { JwtCodec } from '../jwt.codec.js';
import { JwtKeys } from '../jwt.keys.js';
import { encoded } from './token-key.js';

type Options = Partial<KitAuthSettings['jwt']>;

const NOW = 1_800_000_000;
const DAY = 86_400;
const SECRET = 'a secret of at least 32 bytes, for tests';
const USER = loginUser();
const CLAIMS = { ...USER, iss: 'us', iat: NOW, exp: NOW + DAY, sub: '7', jti: 'x' };
const PAIRS = { EdDSA: pairOf('EdDSA'), ES256: pairOf('ES256'), RS256: pairOf('RS256') };
const keysOf = (jwt: Options, extensionTimeoutMs = 5000) =>
  new JwtKeys({ jwt: { issuer: 'us', ...jwt }, extensionTimeoutMs } as KitAuthSettings);
const codecOf = (jwt: Options, timeoutMs?: number) => new JwtCodec(keysOf(jwt, timeoutMs));
const at = (seconds: number) => new Date((NOW + seconds) * 1000).toISOString();
const jwt = (alg: PairAlgorithm, more: Partial<JwtKey> = {}): JwtKey => ({
  kid: alg,
  alg,
  key: PAIRS[alg].privateKey,
  ...more,
});
const ALL: Options = {
  keys: [...ALGORITHMS.map((alg) => jwt(alg)), { kid: 'HS256', alg: 'HS256', key: SECRET }],
};

/** `live`, or the reason of the refusal. */
function outcome(codec: JwtCodec, token: string): string {
  try {
    const { claims, acceptedUntil } = codec.decode(token);
    return Math.min(claims.exp, acceptedUntil) > Date.now() / 1000 ? 'live' : 'expired';
  } catch (error) {
    expect(error).toBeInstanceOf(AuthException);
    return (error as AuthException).reason ?? '';
  }
}
const signed = (alg: PairAlgorithm, header: object, claims: object = CLAIMS) => {
  const input = `${encoded(header)}.${encoded(claims)}`;
  return `${input}.${signWith(alg, PAIRS[alg].privateKey, input).toString('base64url')}`;
};
const mac = (secret: string | Buffer, header: object, claims: object = CLAIMS) => {
  const input = `${encoded(header)}.${encoded(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
};
const headerOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

beforeEach(() => {
  jest.useFakeTimers({ now: NOW * 1000 });
});
afterEach(() => {
  jest.useRealTimers();
});

describe.each(ALGORITHMS)('a token of %s', (alg) => {
  const options = { keys: [jwt(alg)], audience: 'api' };
  const codec = codecOf(options);

  it('comes back as the user it was made for', async () => {
    const token = await codec.encode(USER, DAY);
    expect(codec.decode(token)).toMatchObject({ claims: USER, acceptedUntil: Infinity, isSlow: true });
    expect(headerOf(token)).toEqual({ alg, typ: 'JWT', kid: alg });
    expect(claimsOf(token)).toMatchObject({ iss: 'us', aud: 'api', iat: NOW, exp: NOW + DAY, sub: '7' });
  });

  it.each([
    { alg, typ: 'JWT', kid: alg },
    { alg, kid: alg, typ: 'JWT' },
    { alg, kid: alg },
  ])('with the header %j is accepted', (header) =>
    expect(outcome(codec, signed(alg, header, { ...CLAIMS, aud: 'api' }))).toBe('live'),
  );

  it('is refused with a changed signature, and with one of another length', async () => {
    const token = await codec.encode(USER, DAY);
    const end = token.lastIndexOf('.') + 1;
    const other = (character: string) => (character === 'A' ? 'B' : 'A');
    expect(outcome(codec, token.slice(0, end) + other(token[end]!) + token.slice(end + 1))).toBe('signature');
    expect(outcome(codec, token.slice(0, -1))).toBe('malformed');
    expect(outcome(codec, `${token}A`)).toBe('malformed');
    expect(outcome(codec, token.slice(0, end))).toBe('malformed');
  });

  it('of another key with the same kid is refused', () => {
    const other = codecOf({ keys: [jwt(alg, { key: pairOf(alg).privateKey })] });
    expect(outcome(other, signed(alg, { alg, typ: 'JWT', kid: alg }))).toBe('signature');
  });
});

describe('a header', () => {
  const codec = codecOf(ALL);

  it.each(
    ALGORITHMS.flatMap((alg) =>
      ['HS256', ...ALGORITHMS].filter((kid) => kid !== alg).map((kid) => [alg, kid]),
    ),
  )('with alg %s and the kid of %s is refused', (alg, kid) =>
    expect(outcome(codec, signed(alg as PairAlgorithm, { alg, typ: 'JWT', kid }))).toBe('malformed'),
  );

  it.each(ALGORITHMS)('with HS256 and the public key of %s as the secret is refused', (kid) => {
    const { publicKey } = PAIRS[kid];
    const pem = publicKey.export({ format: 'pem', type: 'spki' }) as string;
    const der = publicKey.export({ format: 'der', type: 'spki' });
    for (const secret of [pem, pem.trimEnd(), der, Buffer.concat([der, Buffer.from('\n')])]) {
      for (const header of [{ kid }, { kid: 'HS256' }, {}]) {
        const token = mac(secret, { alg: 'HS256', typ: 'JWT', ...header });
        expect(outcome(codec, token)).toMatch(/^(?:malformed|signature)$/);
      }
    }
  });

  it.each([undefined, '', 'other', '../../etc/passwd', '__proto__', 'k'.repeat(7500), null, 7])(
    'with the kid %j is refused before any verification',
    (kid) => {
      // The first token lets the codec read its keys, which tries each of them.
      expect(outcome(codec, mac(SECRET, { alg: 'HS256', typ: 'JWT', kid }))).toBe('malformed');
      const verify = jest.spyOn(VerificationKey.prototype, 'verify');
      const token = signed('EdDSA', { alg: 'EdDSA', typ: 'JWT', kid });
      expect(outcome(codec, token)).toBe('malformed');
      expect(verify).not.toHaveBeenCalled();
      verify.mockRestore();
    },
  );

  it.each([
    { alg: 'none' },
    { jwk: PAIRS.EdDSA.publicKey.export({ format: 'jwk' }) },
    { crit: ['exp'] },
    { typ: 'at+jwt' },
  ])('with %j is refused', (more) => {
    const token = signed('EdDSA', { alg: 'EdDSA', typ: 'JWT', kid: 'EdDSA', ...more });
    for (const text of [token, token.replace(/[^.]*$/, '')]) {
      expect(outcome(codec, text)).toBe('malformed');
    }
  });

  it('with an unknown kid leaves no trace', () => {
    const { headers } = codec['keys'].ring;
    const before = structuredClone(headers);
    for (let i = 0; i < 100; i++) {
      expect(outcome(codec, signed('EdDSA', { alg: 'EdDSA', typ: 'JWT', kid: `k${i}` }))).toBe('malformed');
    }
    expect(headers).toEqual(before);
  });
});

describe('a key that ends', () => {
  const until = at(2 * DAY);
  const ending = codecOf({ keys: [jwt('EdDSA', { until }), jwt('ES256')] });

  it('signs until then, tokens never outlive it, and the next one goes on', async () => {
    jest.setSystemTime((NOW + 2 * DAY - 60) * 1000);
    const last = await ending.encode(USER, DAY);
    expect([headerOf(last).kid, claimsOf(last).exp]).toEqual(['EdDSA', NOW + 2 * DAY]);
    jest.setSystemTime((NOW + 2 * DAY - 1) * 1000 + 999);
    expect(headerOf(await ending.encode(USER, DAY)).kid).toBe('EdDSA');
    expect(outcome(ending, last)).toBe('live');
    jest.setSystemTime((NOW + 2 * DAY) * 1000);
    expect(headerOf(await ending.encode(USER, DAY)).kid).toBe('ES256');
    expect(outcome(ending, last)).toBe('expired');
  });

  it('is not accepted one second later, whatever its tokens say', () => {
    jest.setSystemTime((NOW + 2 * DAY + 1) * 1000);
    const token = signed(
      'EdDSA',
      { alg: 'EdDSA', kid: 'EdDSA' },
      { ...CLAIMS, iat: NOW + DAY, exp: NOW + 3 * DAY },
    );
    expect(outcome(ending, token)).toBe('expired');
    expect(ending['keys'].ring.published().map(({ kid }) => kid)).toEqual(['ES256']);
  });

  it('and has no successor fails logins alone', async () => {
    const keys = [jwt('EdDSA', { until }), jwt('ES256', { key: PAIRS.ES256.publicKey })];
    const alone = codecOf({ keys });
    const token = signed(
      'ES256',
      { alg: 'ES256', kid: 'ES256' },
      { ...CLAIMS, iat: NOW + DAY, exp: NOW + 3 * DAY },
    );
    jest.setSystemTime((NOW + 2 * DAY) * 1000);
    await expect(alone.encode(USER, DAY)).rejects.toThrow('no key that signs any more');
    expect(outcome(alone, token)).toBe('live');
  });
});

describe('neighbouring deployments', () => {
  const old = jwt('EdDSA');
  const next = jwt('ES256');
  const legacyUntil = at(DAY);
  const rotation: Options[] = [
    { keys: [old] },
    { keys: [old, { ...next, next: true }] },
    { keys: [next, { ...old, until: at(DAY) }] },
    { keys: [next] },
  ];
  const move: Options[] = [
    { secret: SECRET, issuer: undefined },
    { secret: SECRET, audience: ['api', 'shop'], legacyUntil, keys: [{ ...next, next: true }] },
    { secret: SECRET, audience: ['api', 'shop'], legacyUntil, keys: [next] },
    { audience: ['api', 'shop'], keys: [next] },
  ];
  const pairs = (steps: Options[], name: string) =>
    steps
      .slice(1)
      .map((after, i): [string, Options, Options] => [`${name} ${i} and ${i + 1}`, steps[i]!, after]);

  it.each([...pairs(rotation, 'rotation'), ...pairs(move.slice(0, 3), 'move')])(
    '%s accept the tokens of each other',
    async (_name, before, after) => {
      const codecs = [codecOf(before), codecOf(after)];
      for (const issuer of codecs) {
        const token = await issuer.encode(USER, DAY, { stamp: 'now' });
        expect(codecs.map((codec) => outcome(codec, token))).toEqual(['live', 'live']);
      }
    },
  );

  it('move 2 and 3 accept those of the key, and the last ends those of the secret', async () => {
    const [moving, moved] = [codecOf(move[2]!), codecOf(move[3]!)];
    for (const issuer of [moving, moved]) {
      const token = await issuer.encode(USER, DAY);
      expect([outcome(moving, token), outcome(moved, token)]).toEqual(['live', 'live']);
    }
    const former = await codecOf(move[0]!).encode(USER, DAY);
    expect([outcome(moving, former), outcome(moved, former)]).toEqual(['live', 'malformed']);
  });

  it('tokens of the secret are those of before, byte for byte', async () => {
    const id = 'a8d5b2a0-0000-4000-8000-000000000000';
    const [before, moving] = await Promise.all(
      move.slice(0, 2).map((step) => codecOf(step).encode(USER, DAY, { id })),
    );
    expect(moving).toBe(before);
  });

  it('tokens of the secret end with legacyUntil', async () => {
    const token = await codecOf(move[0]!).encode(USER, 2 * DAY);
    const moving = codecOf(move[2]!);
    jest.setSystemTime((NOW + DAY) * 1000 - 1);
    expect(outcome(moving, token)).toBe('live');
    jest.setSystemTime((NOW + DAY) * 1000);
    expect(outcome(moving, token)).toBe('expired');
  });

  it('tokens of the published placeholder are never accepted with keys', async () => {
    const token = await codecOf({ issuer: undefined }).encode(USER, DAY);
    const secret = 'kit-auth-placeholder-secret--override-kit.auth.jwt.secret';
    for (const options of [{}, { secret }]) {
      expect(outcome(codecOf({ legacyUntil, keys: [next], ...options }), token)).toBe('malformed');
    }
  });
});

describe('the issuer and the audience', () => {
  const audience = ['api', 'shop'];
  const codec = codecOf({ keys: [jwt('EdDSA')], audience });
  const legacy = codecOf({ keys: [jwt('EdDSA')], audience, legacyUntil: at(60) });
  const token = (claims: object) =>
    signed('EdDSA', { alg: 'EdDSA', kid: 'EdDSA' }, { ...CLAIMS, aud: 'api', ...claims });

  it.each([{}, { aud: ['shop'] }, { aud: ['other', 'api'] }])('%j are accepted', (claims) =>
    expect(outcome(codec, token(claims))).toBe('live'),
  );

  it.each([
    ...['them', 'US', 'us ', 'us/', '', null, ['us'], { us: 1 }, 7].map((iss) => ({ iss })),
    ...['other', 'API', '', [], ['other'], ['api', 7], [['api']], null, 7, { api: 1 }].map((aud) => ({
      aud,
    })),
  ])('%j are refused, also while old tokens are accepted', (claims) => {
    expect(outcome(codec, token(claims))).toBe('malformed');
    expect(outcome(legacy, token(claims))).toBe('malformed');
  });

  it.each([{ iss: undefined }, { aud: undefined }, { iss: undefined, aud: undefined }])(
    '%j are accepted until legacyUntil alone',
    (claims) => {
      expect(outcome(codec, token(claims))).toBe('malformed');
      expect(outcome(legacy, token(claims))).toBe('live');
      jest.setSystemTime((NOW + 60) * 1000);
      expect(outcome(legacy, token(claims))).toBe('expired');
    },
  );

  it('belong to tokens of the secret, too', async () => {
    const ofSecret = codecOf({ secret: SECRET, audience: 'api' });
    const issued = await ofSecret.encode(USER, DAY);
    expect(claimsOf(issued)).toMatchObject({ iss: 'us', aud: 'api' });
    expect(headerOf(issued)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(outcome(ofSecret, issued)).toBe('live');
    expect(outcome(codecOf({ secret: SECRET, issuer: undefined }), issued)).toBe('malformed');
  });
});

describe('a secret in the list', () => {
  it('signs with its kid', async () => {
    const codec = codecOf({ issuer: undefined, keys: [{ kid: 'a', alg: 'HS256', key: SECRET }] });
    const token = await codec.encode(USER, DAY);
    expect(headerOf(token)).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'a' });
    expect(codec.decode(token)).toMatchObject({ claims: USER, isSlow: false });
    expect(outcome(codec, mac(SECRET, { alg: 'HS256', typ: 'JWT' }))).toBe('malformed');
  });

  it('publishes nothing', () =>
    expect(
      keysOf(ALL)
        .ring.published()
        .map(({ kid }) => kid),
    ).toEqual(ALGORITHMS));
});
