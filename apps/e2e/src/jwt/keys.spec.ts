import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { IllegalStateException, type JwtKey, type KitAuthOptions, RouteAccessReport } from 'kit-auth';
import { BOTH, freezeDate, type PairAlgorithm, pairOf, sharedTestApp, testApp } from 'test-support';

type Jwt = NonNullable<KitAuthOptions['jwt']>;

const PAIRS = { EdDSA: pairOf('EdDSA'), ES256: pairOf('ES256'), RS256: pairOf('RS256') };
const ISSUER = 'https://auth.example';
const DAY = 86_400_000;
const keyOf = (alg: PairAlgorithm, more: Partial<JwtKey> = {}): JwtKey => ({
  kid: alg,
  alg,
  key: PAIRS[alg].privateKey,
  ...more,
});
const start = (jwt: Jwt) => testApp({ options: { jwt: { issuer: ISSUER, ...jwt } } });

/** Which keys are published: `jwks.controller.spec.ts` of kit-auth-jwt. */
describe.each(BOTH)('the published keys on %s', (platform) => {
  const secret: JwtKey = { kid: 'shared', alg: 'HS256', key: createSecretKey(Buffer.alloc(32, 1)) };
  const keys = [
    keyOf('EdDSA'),
    keyOf('ES256', { next: true }),
    secret,
    keyOf('RS256', { until: '2020-01-01T00:00Z' }),
  ];
  const app = sharedTestApp({
    platform,
    options: {
      protect: ['/**'],
      jwt: { issuer: ISSUER, audience: 'api', keys, jwks: { wellKnown: true } },
    },
    configure: (nest) => nest.setGlobalPrefix('api'),
  });
  const PATH = '/api/v1/api/auth/jwks';

  it('are what others need, and nothing else', async () => {
    const { status, headers, json } = await app.request(PATH);
    expect([status, headers['cache-control'], headers['content-type']]).toEqual([
      200,
      'public, max-age=300',
      expect.stringMatching(/^application\/jwk-set\+json(?:;|$)/),
    ]);
    expect(json).toEqual({
      keys: [
        { ...PAIRS.EdDSA.publicKey.export({ format: 'jwk' }), kid: 'EdDSA', alg: 'EdDSA', use: 'sig' },
        { ...PAIRS.ES256.publicKey.export({ format: 'jwk' }), kid: 'ES256', alg: 'ES256', use: 'sig' },
      ],
    });
    const { etag } = headers as { etag: string };
    const answer = await app.request(PATH, { headers: [`If-None-Match: W/${etag}`] });
    expect([answer.status, answer.text, answer.headers['etag']]).toEqual([304, '', etag]);
  });

  it('are also at /.well-known/jwks.json if that is wanted, outside of a global prefix', async () => {
    const { status, json } = await app.request('/.well-known/jwks.json');
    expect([status, json]).toEqual([200, (await app.request(PATH)).json]);
    const routes = app.get(RouteAccessReport).routes();
    expect(routes.filter(({ path }) => path.includes('jwks'))).toHaveLength(2);
  });

  it('verify the tokens', async () => {
    const jwks = createRemoteJWKSet(new URL(`http://127.0.0.1:${app.port}/.well-known/jwks.json`));
    const options = { issuer: ISSUER, audience: 'api', typ: 'JWT' };
    const { payload } = await jwtVerify(await app.issueToken(), jwks, options);
    expect(payload).toMatchObject({ username: 'ada', sub: '7' });
  });
});

describe('the keys of tokens', () => {
  it('end for tokens that were verified before, one second after until, whatever their exp is', async () => {
    const pass = freezeDate(Date.parse('2030-01-01T00:00:00Z'));
    const expireMinutes = 5760;
    const before = await start({ keys: [keyOf('EdDSA')], expireMinutes });
    const token = await before.issueToken({ userId: 1, username: 'admin' });
    const keys = [keyOf('ES256'), keyOf('EdDSA', { until: '2030-01-03T00:00:00Z' })];
    const app = await start({ keys, expireMinutes });
    pass(2 * DAY - 1000);
    expect([await app.codeOf(token), await app.codeOf(token)]).toEqual([200, 200]);
    pass(2000);
    expect(await app.stateOf(token)).toBe('40101 expired');
    expect((await app.request('/v1/api/auth/jwks')).json.keys).toHaveLength(1);
  });

  it('are named with their roles after the lines of the core', async () => {
    const { lines } = (await start({ keys: [keyOf('EdDSA', { next: true }), keyOf('ES256')] })).logs;
    const texts = lines.map(({ text }) => text);
    const first = texts.indexOf('[jwt] key EdDSA is next');
    expect(texts.slice(first)).toContain('[jwt] key ES256 signs');
    expect(texts.findLastIndex((text) => text.startsWith('[auth]'))).toBeLessThan(first);
    expect(texts.join()).not.toContain('built-in default JWT secret');
  });

  it('are refused at start-up where they cannot be used', async () => {
    const starting = start({ keys: [{ kid: 'a', alg: 'ES256', key: PAIRS.EdDSA.privateKey }] });
    await expect(starting).rejects.toThrow(IllegalStateException);
    await expect(starting).rejects.toThrow('kit.auth.jwt.keys: the key a is a key of the type ed25519');
    await expect(start({ keys: [keyOf('EdDSA')], issuer: undefined })).rejects.toThrow('kit.auth.jwt.issuer');
  });

  it('of a service that fails, fail logins alone', async () => {
    const sign = () => Promise.reject(new Error('no access'));
    const app = await start({
      keys: [{ kid: 'kms', alg: 'EdDSA', key: { publicKey: PAIRS.EdDSA.publicKey, sign } }],
    });
    expect((await app.login('admin', 'admin')).json).toMatchObject({ code: 50300 });
    expect(app.logs.all()).toContain('the key kms of kit.auth.jwt.keys cannot sign: ');
  });
});
