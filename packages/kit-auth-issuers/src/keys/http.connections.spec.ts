import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { freezeDate, JWKS_PATH, sharedJwksServer, until } from 'test-support';
import { settingsOf } from '../issuer.js';
import type { Issuer } from '../issuer.js';
import { HttpConnections } from './http.connections.js';

const ISS = 'https://login.example.com/realms/company';
const DISCOVERY = `${ISS}/.well-known/openid-configuration`;
const RFC_8414 = 'https://login.example.com/.well-known/oauth-authorization-server/realms/company';
const JWKS_URL = 'https://keys.example.com/jwks';
const JWKS = { keys: [{ kid: 'a' }] };
const { signal } = new AbortController();

type Answers = Record<string, Response | (() => Response)>;

function connectionsTo(answers: Answers): { connections: HttpConnections; asked: string[] } {
  const asked: string[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    asked.push(String(url));
    expect([init?.redirect, init?.signal]).toEqual(['manual', signal]);
    const answer = answers[String(url)];
    return typeof answer === 'function' ? answer() : (answer ?? new Response(null, { status: 404 }));
  });
  return { connections: new HttpConnections(), asked };
}
const issuerOf = (options: Partial<Issuer> = {}) =>
  settingsOf({ issuer: ISS, audience: 'api', user: 'linked', ...options });
const metadata = (more: object = {}) => Response.json({ issuer: ISS, jwks_uri: JWKS_URL, ...more });

describe('the keys of an issuer', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('are found by discovery, which is kept for an hour', async () => {
    const pass = freezeDate();
    const answers: Answers = { [DISCOVERY]: () => metadata(), [JWKS_URL]: () => Response.json(JWKS) };
    const { connections, asked } = connectionsTo(answers);
    expect(await connections.keysOf(issuerOf(), signal)).toEqual({ jwks: JWKS, freshMs: 600_000 });
    await connections.keysOf(issuerOf(), signal);
    expect(asked).toEqual([DISCOVERY, JWKS_URL, JWKS_URL]);
    pass(60 * 60_000);
    await connections.keysOf(issuerOf(), signal);
    expect(asked.slice(3)).toEqual([DISCOVERY, JWKS_URL]);
  });

  it('are discovered again when their URL no longer has them', async () => {
    const { connections, asked } = connectionsTo({
      [DISCOVERY]: () => metadata(),
      [JWKS_URL]: () => new Response(null, { status: 500 }),
    });
    for (let i = 0; i < 2; i++) {
      await expect(connections.keysOf(issuerOf(), signal)).rejects.toThrow('the issuer answered with 500');
    }
    expect(asked).toEqual([DISCOVERY, JWKS_URL, DISCOVERY, JWKS_URL]);
  });

  it('are found by the metadata of OAuth where there is no OpenID Connect', async () => {
    const { connections, asked } = connectionsTo({ [RFC_8414]: metadata(), [JWKS_URL]: Response.json(JWKS) });
    await connections.keysOf(issuerOf(), signal);
    expect(asked).toEqual([DISCOVERY, RFC_8414, JWKS_URL]);
  });

  it('are found of an issuer that ends with a slash', async () => {
    const issuer = 'https://login.example.com/';
    const { connections, asked } = connectionsTo({
      'https://login.example.com/.well-known/openid-configuration': metadata({ issuer }),
      [JWKS_URL]: Response.json(JWKS),
    });
    await connections.keysOf(issuerOf({ issuer }), signal);
    expect(asked).toHaveLength(2);
  });

  it('need no discovery with a URL, and no network if they are in the options', async () => {
    const { connections, asked } = connectionsTo({ [JWKS_URL]: Response.json(JWKS) });
    await connections.keysOf(issuerOf({ jwks: JWKS_URL }), signal);
    expect(asked).toEqual([JWKS_URL]);
    const jwks = { keys: [] };
    expect(await connections.keysOf(issuerOf({ jwks }), signal)).toEqual({ jwks, freshMs: Infinity });
    expect(asked).toHaveLength(1);
  });

  it.each<[string, Response, string]>([
    ['of others', metadata({ issuer: `${ISS}/` }), `is "${ISS}/", but that of the options is "${ISS}"`],
    ['with a list of keys', metadata({ jwks_uri: ['x'] }), 'is not an https URL'],
    ['with keys at a path', metadata({ jwks_uri: '/jwks' }), 'is not an https URL'],
    ['with keys without TLS', metadata({ jwks_uri: 'http://keys.example.com' }), 'is not an https URL'],
    ['with keys of this machine', metadata({ jwks_uri: 'http://localhost:6379' }), 'is not an https URL'],
    ['that is a list', Response.json([]), 'is "undefined", but'],
    ['that is HTML', new Response('<html>'), 'the answer of the issuer is not JSON'],
    [
      'that is a redirect',
      new Response(null, { status: 302, headers: { location: 'http://127.0.0.1' } }),
      'the issuer answered with 302',
    ],
  ])('are not taken from a document %s', async (_name, document, message) => {
    const { connections } = connectionsTo({ [DISCOVERY]: document, [JWKS_URL]: Response.json(JWKS) });
    await expect(connections.keysOf(issuerOf(), signal)).rejects.toThrow(message);
  });

  it.each<[string | undefined, number]>([
    [undefined, 600],
    ['max-age=0', 60],
    ['public,MAX-AGE=3600, must-revalidate', 3600],
    ['max-age="120"', 120],
    ['s-maxage=5', 600],
    ['max-age=99999999', 86_400],
  ])('are fresh with %s for %i seconds', async (value, seconds) => {
    const headers = value === undefined ? {} : { 'cache-control': value };
    const { connections } = connectionsTo({ [JWKS_URL]: Response.json(JWKS, { headers }) });
    const { freshMs } = await connections.keysOf(issuerOf({ jwks: JWKS_URL }), signal);
    expect(freshMs).toBe(seconds * 1000);
  });
});

describe('a server that', () => {
  const server = sharedJwksServer('/realms/one');
  const fetched = () => new HttpConnections().keysOf(settingsOf(server.settings({ user: 'linked' })), signal);

  it('publishes keys has them', async () => {
    expect(await fetched()).toEqual({ jwks: { keys: server.keys }, freshMs: 600_000 });
  });

  it.each<[string, () => unknown]>([
    ['answers with 500', () => server.answersWith(500, '{"keys":[]}')],
    ['answers with nothing', () => server.answersWith(200)],
    ['has a key of 300 KB', () => (server.keys = [{ ...server.key.jwk, x5c: ['x'.repeat(300_000)] }])],
    ['redirects to its keys', () => server.answersWith(302, '', { location: `${server.origin}/elsewhere` })],
    ['is gone', () => (server.handlers[JWKS_PATH] = (_request, response) => response.destroy())],
  ])('%s has no keys', async (_what, misbehave) => {
    server.handlers['/elsewhere'] = (_request, response) =>
      void response.end(JSON.stringify({ keys: server.keys }));
    misbehave();
    await expect(fetched()).rejects.toThrow();
    expect([server.fetches, server.calls['/elsewhere']]).toEqual([1, undefined]);
  });

  it.each([false, true])('sends 1 GB, packed: %p, is given up early', async (packed) => {
    server.streams({ packed });
    await expect(fetched()).rejects.toThrow();
    expect(server.sent).toBeLessThan(packed ? 2 ** 29 : 2 ** 25);
  });

  it('hangs is given up when the time is up', async () => {
    server.handlers[JWKS_PATH] = () => undefined;
    const time = new AbortController();
    const keys = new HttpConnections().keysOf(settingsOf(server.settings({ user: 'linked' })), time.signal);
    await until(() => server.fetches === 1 || undefined);
    time.abort(new Error('the time is up'));
    await expect(keys).rejects.toThrow('the time is up');
  });
});
