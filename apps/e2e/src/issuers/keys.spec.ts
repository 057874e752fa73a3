import { createHash, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freezeDate, until } from 'test-support';
import { HostileIssuersApp } from './hostile-issuers-app.js';
import { AUDIENCE, IssuerKey, JWKS, type JwksServer, sharedJwksServer } from './jwks-server.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SIGNATURE = '40101 signature';
const AWAY = '50300 undefined';
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });

const server = sharedJwksServer('/realms/one');
let advance: (milliseconds: number) => void;
let app: HostileIssuersApp;

beforeEach(() => {
  advance = freezeDate(Math.floor(Date.now() / 1000) * 1000);
});
afterEach(() => {
  jest.useRealTimers();
});

/** An application that accepts tokens of the server. The test's end closes it. */
async function start(more: Parameters<JwksServer['settings']>[0] | object = {}): Promise<HostileIssuersApp> {
  app = await new HostileIssuersApp({
    issuers: () => ({ issuers: [server.settings({ user: { claims: {} }, ...more })] }),
  }).start();
  return app;
}

/** A token that lives for longer than the keys are kept. */
const token = (key = server.key, more: Readonly<Record<string, unknown>> = {}) =>
  server.token({ key, claims: { exp: Math.floor(Date.now() / 1000) + 12 * 3600, ...more } });
const state = (text = token()) => app.stateOf(text);

/** Waits until the issuer was asked so often. */
const fetched = (times: number) => until(() => server.fetches >= times || undefined);

/** Sends a token until it is accepted. */
async function untilLive(): Promise<void> {
  let answer: string;
  do {
    answer = await state();
  } while (answer !== 'live');
}

describe('the keys of an issuer', () => {
  it('are found by discovery, fetched at start-up and kept for ten minutes', async () => {
    await start();
    await fetched(1);
    expect([await state(), await state(), server.calls]).toEqual([
      'live',
      'live',
      { '/realms/one/.well-known/openid-configuration': 1, [JWKS]: 1 },
    ]);
    advance(7 * MINUTE);
    expect([await state(), server.fetches]).toEqual(['live', 1]);
    advance(4 * MINUTE);
    expect([await state(), server.fetches]).toEqual(['live', 2]);
    expect(server.calls['/realms/one/.well-known/openid-configuration']).toBe(1);
  });

  it('are found by the discovery of OAuth', async () => {
    server.handlers['/realms/one/.well-known/openid-configuration'] = (_request, response) =>
      void response.writeHead(404).end();
    server.handlers['/.well-known/oauth-authorization-server/realms/one'] = (_request, response) =>
      void response.end(JSON.stringify({ issuer: server.issuer, jwks_uri: server.origin + JWKS }));
    await start();
    expect(await state()).toBe('live');
  });

  it('are fetched from the configured URL', async () => {
    await start({ jwks: server.origin + JWKS });
    expect([await state(), server.calls]).toEqual(['live', { [JWKS]: 1 }]);
  });

  it('are fetched in the background before their time is over', async () => {
    await start();
    expect(await state()).toBe('live');
    advance(8 * MINUTE);
    expect(await state()).toBe('live');
    await fetched(2);
    expect([await state(), server.fetches]).toEqual(['live', 2]);
  });

  it.each<[string, string, number]>([
    ['its max-age', 'public, max-age=3600', HOUR],
    ['a minute at least', 'max-age=0', MINUTE],
    ['a day at most', 'max-age=99999999', 24 * HOUR],
    ['ten minutes if it is nonsense', 'max-age=never', 10 * MINUTE],
    ['ten minutes if it is negative', 'max-age=-5', 10 * MINUTE],
    ['ten minutes without it', 's-maxage=7200', 10 * MINUTE],
  ])('stay fresh for %s', async (_howLong, cacheControl, freshMs) => {
    server.cacheControl = cacheControl;
    await start({ maxAgeMinutes: 3000 });
    const long = () => token(server.key, { exp: Math.floor(Date.now() / 1000) + 40 * 3600 });
    expect(await state(long())).toBe('live');
    advance(freshMs * 0.8 - 1);
    expect([await state(long()), server.fetches]).toEqual(['live', 1]);
    advance(freshMs * 0.2 + 1);
    expect([await state(long()), server.fetches]).toEqual(['live', 2]);
  });

  it('end the tokens of one that is removed, once the others are fetched', async () => {
    const [old, next] = [new IssuerKey('old'), new IssuerKey('next')];
    server.keys = [old.jwk, next.jwk];
    await start();
    const tokens = [token(old), token(next)] as const;
    expect([await state(tokens[0]), await state(tokens[1])]).toEqual(['live', 'live']);
    server.keys = [next.jwk];
    advance(10 * MINUTE);
    expect([await state(tokens[0]), await state(tokens[1])]).toEqual([SIGNATURE, 'live']);
    expect(await state(token(old))).toBe(SIGNATURE);
  });

  it('end the tokens of one that has been replaced under the same kid', async () => {
    await start();
    const [before, other] = [token(), new IssuerKey('one')];
    expect(await state(before)).toBe('live');
    server.keys = [other.jwk];
    advance(10 * MINUTE);
    expect([await state(before), await state(token(other))]).toEqual([SIGNATURE, 'live']);
  });

  it('that are new are found by their kid, after half a minute', async () => {
    await start();
    expect(await state()).toBe('live');
    const next = new IssuerKey('next');
    server.keys = [server.key.jwk, next.jwk];
    const fresh = token(next);
    expect([await state(fresh), server.fetches]).toEqual([SIGNATURE, 1]);
    advance(30_000);
    expect([await state(fresh), server.fetches]).toEqual(['live', 2]);
  });

  it('may have one kid for two', async () => {
    const twin = new IssuerKey('one', 'RS256', rsa(2048));
    const other = new IssuerKey('one');
    server.keys = [other.jwk, server.key.jwk, twin.jwk];
    await start();
    expect([await state(), await state(token(other)), await state(token(twin))]).toEqual([
      'live',
      'live',
      'live',
    ]);
    expect(await state(token(new IssuerKey('one')))).toBe(SIGNATURE);
  });

  it('may have no kid, if one alone fits', async () => {
    const [one, two, other] = [
      new IssuerKey(undefined),
      new IssuerKey(undefined),
      new IssuerKey('x', 'RS256', rsa(2048)),
    ];
    server.keys = [one.jwk, other.jwk];
    await start();
    expect([await state(token(one)), await state(token(new IssuerKey(undefined, 'RS256', other)))]).toEqual([
      'live',
      'live',
    ]);
    server.keys = [one.jwk, two.jwk, other.jwk];
    advance(10 * MINUTE);
    expect([await state(token(one)), await state(token(two)), await state(token(other))]).toEqual([
      SIGNATURE,
      SIGNATURE,
      'live',
    ]);
  });

  it('without alg are for the algorithms of their type', async () => {
    const key = new IssuerKey('x', 'RS256', rsa(2048));
    server.keys = [{ ...key.jwk, alg: undefined, use: undefined, key_ops: ['verify'] }];
    await start();
    const as = (alg: 'RS256' | 'PS256' | 'RS512') => state(token(new IssuerKey('x', alg, key)));
    expect([await as('RS256'), await as('PS256'), await as('RS512')]).toEqual([
      'live',
      'live',
      '40101 malformed',
    ]);
  });

  it.each<[string, () => object]>([
    ['symmetric', () => ({ kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'HS256' })],
    ['for encryption', () => ({ ...server.key.jwk, use: 'enc' })],
    ['for other operations', () => ({ ...server.key.jwk, key_ops: ['encrypt'] })],
    ['for no algorithm of signatures', () => ({ ...server.key.jwk, alg: 'ECDH-ES' })],
    ['for another algorithm', () => ({ ...server.key.jwk, alg: 'RS256' })],
    ['on another curve', () => ({ ...server.key.jwk, crv: 'P-384' })],
    ['not on their curve', () => ({ ...server.key.jwk, x: server.key.jwk['y'] })],
    ['lists', () => ({ ...server.key.jwk, kid: ['one'] })],
    ['numbers', () => ({ ...server.key.jwk, x: 7 })],
    ['RSA of 1,024 bits', () => ({ ...new IssuerKey('one', 'RS256', rsa(1024)).jwk })],
    [
      'RSA of 16,384 bits',
      () => ({ kty: 'RSA', n: Buffer.alloc(2048, 255).toString('base64url'), e: 'AQAB', kid: 'one' }),
    ],
    ['RSA with e = 1', () => ({ ...new IssuerKey('one', 'RS256', rsa(2048)).jwk, e: 'AQ' })],
  ])('that are %s are ignored', async (_what, jwk) => {
    const other = new IssuerKey('other');
    server.keys = [jwk(), null, 7, 'x', [], {}, other.jwk];
    await start();
    expect([await state(token(other)), await state()]).toEqual(['live', SIGNATURE]);
  });

  it('that are private by mistake verify like public ones', async () => {
    server.keys = [{ ...server.key.privateKey.export({ format: 'jwk' }), kid: 'one' }];
    await start();
    expect(await state()).toBe('live');
  });
});

describe('an issuer that', () => {
  it.each<[string, () => void]>([
    ['answers with 500', () => server.answersWith(500, '{"keys":[]}')],
    ['answers with 404', () => server.answersWith(404)],
    ['answers with 204', () => server.answersWith(204)],
    ['answers with 304', () => server.answersWith(304)],
    ['answers with nothing', () => server.answersWith(200)],
    ['answers with HTML', () => server.answersWith(200, '<h1>Sorry</h1>', { 'content-type': 'text/html' })],
    ['answers with half of a key set', () => server.answersWith(200, '{"keys":[')],
    ['answers with a list', () => server.answersWith(200, '[]')],
    ['answers with null', () => server.answersWith(200, 'null')],
    ['answers without keys', () => server.answersWith(200, '{"keys":[]}')],
    ['answers with an object of keys', () => server.answersWith(200, '{"keys":{"0":{}}}')],
    [
      'answers with a nesting of 50,000',
      () => server.answersWith(200, `{"keys":[${'['.repeat(50_000)}${']'.repeat(50_000)}]}`),
    ],
    [
      'answers with 101 keys',
      () => (server.keys = Array.from({ length: 101 }, (_, i) => ({ ...server.key.jwk, kid: `${i}` }))),
    ],
    ['answers with 10,000 keys', () => (server.keys = Array.from({ length: 10_000 }, () => server.key.jwk))],
    [
      'answers with one key of 300 KB',
      () => (server.keys = [{ ...server.key.jwk, x5c: ['x'.repeat(300_000)] }]),
    ],
    [
      'redirects to the right keys',
      () => {
        server.answersWith(302, '', { location: `${server.origin}/elsewhere` });
      },
    ],
    ['redirects to loopback', () => server.answersWith(301, '', { location: `${server.origin}/elsewhere` })],
    ['redirects to a file', () => server.answersWith(307, '', { location: 'file:///etc/passwd' })],
    [
      'redirects to data',
      () => server.answersWith(308, '', { location: 'data:application/json,{"keys":[]}' }),
    ],
    [
      'closes the connection',
      () => {
        server.handlers[JWKS] = (_request, response) => void response.destroy();
      },
    ],
    [
      'breaks off',
      () => {
        server.handlers[JWKS] = (_request, response) => {
          response.writeHead(200, { 'content-length': '1000' }).write('{');
          response.destroy();
        };
      },
    ],
    ['sends wrong gzip', () => server.answersWith(200, 'not gzip', { 'content-encoding': 'gzip' })],
  ])('%s is away', async (_what, misbehave) => {
    server.handlers['/elsewhere'] = (_request, response) =>
      void response.end(JSON.stringify({ keys: [server.key.jwk] }));
    misbehave();
    await start();
    const { status, json, headers } = await app.request('/v1/notes', { token: token() });
    expect([status, json.code, headers['retry-after']]).toEqual([503, 50300, '1']);
    expect([await state(), server.fetches, server.calls['/elsewhere']]).toEqual([AWAY, 1, undefined]);
    expect(app.logs.all()).toMatch(/\[issuers\] no keys from /);
    server.reset();
    advance(30_000);
    await untilLive();
  });

  it.each([false, true])('sends 1 GB, packed: %p, is given up early', async (packed) => {
    server.streams({ packed });
    await start();
    expect(await state()).toBe(AWAY);
    expect(server.sent).toBeLessThan(packed ? 2 ** 29 : 2 ** 25);
  });

  it('hangs is given up in time, and asked once', async () => {
    server.handlers[JWKS] = () => undefined;
    await start();
    const begin = performance.now();
    const states = await Promise.all(Array.from({ length: 50 }, () => state()));
    expect(performance.now() - begin).toBeLessThan(5000);
    expect([new Set(states), server.fetches]).toEqual([new Set([AWAY]), 1]);
    expect([await state(), server.fetches]).toEqual([AWAY, 1]);
  });

  it('hangs does not keep the application from closing', async () => {
    server.handlers[JWKS] = () => undefined;
    await start();
    const waiting = state();
    await fetched(1);
    const begin = performance.now();
    await Promise.all([app.close(), waiting.catch(() => undefined)]);
    expect(performance.now() - begin).toBeLessThan(2000);
    expect(app.logs.all()).not.toContain('no keys from');
  });

  it('hangs does not concern other issuers', async () => {
    server.handlers[JWKS] = () => undefined;
    const key = new IssuerKey('one');
    const issuer = 'https://login.example.com';
    const other = { issuer, audience: AUDIENCE, user: { claims: {} }, jwks: { keys: [key.jwk] } };
    app = await new HostileIssuersApp({
      issuers: () => ({ issuers: [server.settings({ user: { claims: {} } }), other] }),
    }).start();
    const waiting = state();
    expect(await state(token(key, { iss: issuer }))).toBe('live');
    await app.close();
    await waiting.catch(() => undefined);
  });

  it('hangs while its keys are known is waited for once', async () => {
    await start();
    expect(await state()).toBe('live');
    server.handlers[JWKS] = () => undefined;
    advance(10 * MINUTE);
    expect(await state()).toBe('live');
    const begin = performance.now();
    for (let i = 0; i < 20; i++) {
      advance(MINUTE);
      expect(await state()).toBe('live');
    }
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  it('hangs is waited for less than the time limit of credentials', async () => {
    app = await new HostileIssuersApp({
      options: { extensionTimeoutMs: 300 },
      issuers: () => ({ issuers: [server.settings({ user: { claims: {} } })] }),
    }).start();
    expect(await state()).toBe('live');
    server.handlers[JWKS] = () => undefined;
    advance(10 * MINUTE);
    expect(await state()).toBe('live');
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['no issuer', { issuer: undefined }],
    ['another issuer', { issuer: 'https://login.example.com' }],
    ['the issuer with a slash', { issuer: 'slash' }],
    ['no URL of keys', { jwks_uri: undefined }],
    ['a list as URL of keys', { jwks_uri: ['x'] }],
    ['a URL that is not secure', { jwks_uri: 'http://login.example.com/jwks' }],
    ['a file', { jwks_uri: 'file:///etc/passwd' }],
    ['data', { jwks_uri: 'data:application/json,{"keys":[]}' }],
    ['a path', { jwks_uri: '/jwks' }],
  ])('discovers %s is away', async (_what, metadata) => {
    server.metadata = metadata['issuer'] === 'slash' ? { issuer: `${server.issuer}/` } : metadata;
    await start();
    expect([await state(), server.fetches]).toEqual([AWAY, 0]);
  });

  it('is down for an hour keeps its known keys, with one warning', async () => {
    await start();
    const known = token();
    expect(await state(known)).toBe('live');
    server.answersWith(503);
    for (let minute = 0; minute < 60; minute++) {
      advance(MINUTE);
      expect([minute, await state(known), await state()]).toEqual([minute, 'live', 'live']);
    }
    expect(await state(token(new IssuerKey('unknown')))).toBe(AWAY);
    expect(await state(token(new IssuerKey('one')))).toBe(SIGNATURE);
    expect(server.fetches).toBeLessThanOrEqual(62);
    expect(app.logs.all().match(/no keys from/g)).toHaveLength(1);
    server.reset();
    advance(MINUTE);
    await state();
    await until(() => app.logs.all().includes('available again') || undefined);
    expect(await state(token(new IssuerKey('unknown')))).toBe(SIGNATURE);
  });

  it('is down for a day is away', async () => {
    await start({ maxAgeMinutes: 3000 });
    const known = token(server.key, { exp: Math.floor(Date.now() / 1000) + 48 * 3600 });
    expect(await state(known)).toBe('live');
    server.answersWith(503);
    for (let hour = 1; hour < 24; hour++) {
      advance(HOUR);
      expect([hour, await state(known)]).toEqual([hour, 'live']);
    }
    advance(HOUR);
    expect(await state(known)).toBe(AWAY);
    server.reset();
    advance(30_000);
    expect(await state(known)).toBe('live');
  });

  it('removes all keys is away, and has ended its tokens', async () => {
    await start();
    const known = token();
    expect(await state(known)).toBe('live');
    server.keys = [];
    advance(10 * MINUTE);
    expect(await state(known)).toBe(AWAY);
  });

  it('is away does not concern other tokens', async () => {
    server.answersWith(503);
    await start();
    const own = await app.issueToken({ userId: '7' as never });
    expect([await state(), await state(own)]).toEqual([AWAY, 'live']);
  });

  it('comes back after start-up is found without a restart', async () => {
    server.handlers['/realms/one/.well-known/openid-configuration'] = (_request, response) =>
      void response.destroy();
    await start();
    expect(await state()).toBe(AWAY);
    server.reset();
    expect([await state(), server.calls]).toEqual([AWAY, {}]);
    advance(30_000);
    await untilLive();
  });
});

describe('100,000 tokens with unknown kids', () => {
  it('cause two fetches in a minute, and slow down nobody', async () => {
    await start();
    const known = token();
    expect([await state(known), server.fetches]).toEqual(['live', 1]);
    const attempt = (i: number) => {
      const kid = createHash('sha1').update(`${i}`).digest('hex');
      return server.token({ header: { kid }, sign: () => Buffer.alloc(64, 1) });
    };
    const { TokenResolver } = await import('../../../../packages/kit-auth/src/ports/token.resolver.js');
    const tokens = app.get(TokenResolver);
    const outcome = async (text: string) => {
      try {
        await tokens.resolve(text);
        return 'live';
      } catch (error) {
        return (error as { reason?: unknown }).reason;
      }
    };
    /** What tokens are answered with, and how long a known one takes between them, in milliseconds. */
    const wave = async (from: number) => {
      const outcomes = new Set<unknown>();
      const times: number[] = [];
      for (let i = from; i < from + 50_000; i++) {
        outcomes.add(await outcome(attempt(i)));
        if (i % 500 === 0) {
          // Otherwise nobody notices in this time that the server closes its idle connection.
          await new Promise((resolve) => setImmediate(resolve));
          const begin = performance.now();
          outcomes.add(`known ${String(await outcome(known))}`);
          times.push(performance.now() - begin);
        }
      }
      return { outcomes, median: times.sort((a, b) => a - b)[times.length / 2] };
    };
    for (let half = 0; half < 2; half++) {
      advance(30_000);
      const { outcomes, median } = await wave(half * 50_000);
      expect([outcomes, server.fetches]).toEqual([new Set(['signature', 'known live']), half + 2]);
      expect(median).toBeLessThan(5);
    }
  });
});
