import { createPublicKey, createSecretKey, type JsonWebKey, sign } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import jsonwebtoken from 'jsonwebtoken';
import {
  IllegalStateException,
  type JwtKey,
  KitAuthModule,
  kitAuthConfig,
  type KitAuthOptions,
  RouteAccessReport,
} from 'kit-auth';
import { documentKitAuth } from 'kit-auth/openapi';
import { BOTH, freezeDate, type PairAlgorithm, pairOf, sharedTestApp, testApp } from 'test-support';
import { JwtAuthProvider } from '../../../../packages/kit-auth-jwt/src/jwt.provider.js';

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
const withKeys = (...keys: JwtKey[]): Jwt => ({ issuer: ISSUER, keys });
const start = (jwt: Jwt, more: KitAuthOptions = {}) => testApp({ options: { jwt, ...more } });
const headerOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());

afterEach(() => {
  jest.useRealTimers();
});

describe.each(BOTH)('the published keys on %s', (platform) => {
  const secret: JwtKey = { kid: 'shared', alg: 'HS256', key: createSecretKey(Buffer.alloc(32, 1)) };
  const next = keyOf('ES256', { next: true });
  const past = keyOf('RS256', { until: '2020-01-01T00:00Z' });
  const app = sharedTestApp({
    platform,
    options: {
      protect: ['/**'],
      jwt: { ...withKeys(keyOf('EdDSA'), next, secret, past), jwks: { wellKnown: true } },
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
  });

  it('are not sent again to those who have them', async () => {
    const { etag } = (await app.request(PATH)).headers as { etag: string };
    const answer = await app.request(PATH, { headers: [`If-None-Match: W/${etag}`] });
    expect([answer.status, answer.text, answer.headers['etag']]).toEqual([304, '', etag]);
    expect((await app.request(PATH, { headers: ['If-None-Match: "other"'] })).status).toBe(200);
  });

  it('are also at /.well-known/jwks.json if that is wanted, outside of a global prefix', async () => {
    const { status, json } = await app.request('/.well-known/jwks.json');
    expect([status, json]).toEqual([200, (await app.request(PATH)).json]);
    const { length } = app
      .get(RouteAccessReport)
      .routes()
      .filter(({ path }) => path.includes('jwks'));
    expect(length).toBe(2);
  });
});

describe('the keys of tokens', () => {
  it.each<[PairAlgorithm, (typeof BOTH)[number]]>([
    ['EdDSA', 'fastify'],
    ['ES256', 'express'],
    ['RS256', 'fastify'],
  ])('make tokens of %s that others verify with the published keys, on %s', async (alg, platform) => {
    const app = await testApp({ platform, options: { jwt: { ...withKeys(keyOf(alg)), audience: 'api' } } });
    const token = await app.adminToken();
    expect(await app.codeOf(token)).toBe(200);
    const jwks = createRemoteJWKSet(new URL(`http://127.0.0.1:${app.port}/v1/api/auth/jwks`));
    const { payload } = await jwtVerify(token, jwks, { issuer: ISSUER, audience: 'api', typ: 'JWT' });
    expect(payload).toMatchObject({ username: 'admin', sub: '1' });
    if (alg !== 'EdDSA') {
      const [jwk] = (await app.request('/v1/api/auth/jwks')).json.keys as [JsonWebKey];
      const key = createPublicKey({ key: jwk, format: 'jwk' });
      const options = { algorithms: [alg], issuer: ISSUER, audience: 'api' };
      expect(jsonwebtoken.verify(token, key, options)).toMatchObject({ username: 'admin' });
    }
  });

  it.each<[string, KitAuthOptions]>([
    ['without keys', {}],
    [
      'while kit.auth.enabled is false',
      { enabled: false, jwt: { ...withKeys(keyOf('EdDSA')), jwks: { wellKnown: true } } },
    ],
  ])('are not published %s', async (_name, options) => {
    const app = await testApp({ options });
    expect((await app.request('/v1/api/auth/jwks')).status).toBe(404);
    expect((await app.request('/.well-known/jwks.json')).status).toBe(404);
  });

  it('are described for OpenAPI', async () => {
    const app = await start(withKeys(keyOf('EdDSA')));
    const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    const { paths } = documentKitAuth(document, app.nest);
    expect((paths['/v1/api/auth/jwks'] as { get: object }).get).toMatchObject({
      operationId: 'kitAuthJwks',
      security: [],
    });
  });

  it('of a service that fails, fail logins alone', async () => {
    let isBroken = false;
    const key = {
      publicKey: PAIRS.EdDSA.publicKey,
      sign: async (data: Uint8Array) => {
        if (isBroken) {
          throw new Error(`no access: ${Buffer.from(data).toString()}`);
        }
        return sign(null, data, PAIRS.EdDSA.privateKey);
      },
    };
    const app = await start(withKeys({ kid: 'kms', alg: 'EdDSA', key }));
    const token = await app.adminToken();
    isBroken = true;
    expect((await app.login('admin', 'admin')).json).toMatchObject({ code: 50300 });
    expect(await app.codeOf(token)).toBe(200);
    expect(app.logs.all()).toContain('the key kms of kit.auth.jwt.keys cannot sign: ');
    expect(app.logs.all()).not.toMatch(/eyJ|"username"/);
    isBroken = false;
    expect((await app.login('admin', 'admin')).status).toBe(200);
  });

  it('end for tokens that were verified before, one second after until', async () => {
    const pass = freezeDate(Date.parse('2030-01-01T00:00:00Z'));
    const keys = [keyOf('EdDSA', { until: '2030-01-03T00:00:00Z' }), keyOf('ES256')];
    const app = await start({ issuer: ISSUER, keys, expireMinutes: 2880 });
    pass(DAY);
    const token = await app.adminToken();
    expect(headerOf(token).kid).toBe('EdDSA');
    pass(DAY - 1000);
    expect([await app.codeOf(token), await app.codeOf(token)]).toEqual([200, 200]);
    pass(2000);
    expect(await app.stateOf(token)).toBe('40101 expired');
    expect(headerOf(await app.adminToken()).kid).toBe('ES256');
    expect((await app.request('/v1/api/auth/jwks')).json.keys).toHaveLength(1);
  });

  it('are named with their roles after the lines of the core', async () => {
    const keys = [
      keyOf('EdDSA', { next: true }),
      keyOf('ES256'),
      keyOf('RS256', { until: '2999-12-01T00:00:00Z' }),
    ];
    const { lines } = (await start({ issuer: ISSUER, keys })).logs;
    const texts = lines.map(({ text }) => text);
    const first = texts.indexOf('[jwt] key EdDSA is next');
    expect(texts.slice(first)).toEqual(
      expect.arrayContaining([
        '[jwt] key EdDSA is next',
        '[jwt] key ES256 signs',
        '[jwt] key RS256 is accepted until 2999-12-01T00:00:00.000Z',
      ]),
    );
    expect(texts.findLastIndex((text) => text.startsWith('[auth]'))).toBeLessThan(first);
    expect(texts.join()).not.toContain('built-in default JWT secret');
  });

  it('are refused at start-up where they cannot be used', async () => {
    const failure = async (jwt: Jwt, more?: KitAuthOptions): Promise<string> => {
      const error: unknown = await start(jwt, more).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(IllegalStateException);
      return (error as Error).message;
    };
    expect(await failure(withKeys({ kid: 'a', alg: 'ES256', key: PAIRS.EdDSA.privateKey }))).toContain(
      'kit.auth.jwt.keys: the key a is a key of the type ed25519',
    );
    expect(await failure({ keys: [keyOf('EdDSA')] })).toContain('kit.auth.jwt.issuer');
    const placeholder = 'kit-auth-placeholder-secret--override-kit.auth.jwt.secret';
    const inList = { keys: [{ kid: 'a', alg: 'HS256' as const, key: placeholder }] };
    const overridden = { strict: true, defaultAdminPassword: 'long enough 1' };
    expect(await failure(inList, overridden)).toContain('kit.auth.jwt.keys is the built-in placeholder');
    const app = await start(withKeys(keyOf('EdDSA')), overridden);
    expect(app.get(JwtAuthProvider).placeholders).toEqual([]);
  });

  it('may come from the environment', async () => {
    const key = PAIRS.EdDSA.privateKey.export({ format: 'jwk' });
    const variables = {
      KIT_AUTH_JWT_KEYS: JSON.stringify([{ kid: 'env', alg: 'EdDSA', key }]),
      KIT_AUTH_JWT_ISSUER: ISSUER,
    };
    Object.assign(process.env, variables);
    try {
      const app = await testApp({ core: KitAuthModule.forRoot(kitAuthConfig()) });
      expect(headerOf(await app.issueToken()).kid).toBe('env');
    } finally {
      Object.keys(variables).forEach((variable) => Reflect.deleteProperty(process.env, variable));
    }
  });
});
