import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { sharedTestApp } from 'test-support';
import { CLIENT_ID, CLIENT_SECRET, sharedHostileProvider, type Tampering } from './hostile-provider.js';
import { fragmentOf, OidcApp, TestBrowser } from './app.js';

const FAILED = { 'kit-auth': '40114', reason: 'provider', provider: 'hostile' };
const UNKNOWN = { 'kit-auth': '40114', reason: 'no-account', provider: 'hostile' };
const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const now = () => Math.floor(Date.now() / 1000);

describe.each(['express', 'fastify'] as const)('a hostile provider, on %s', (platform) => {
  const provider = sharedHostileProvider();
  const hostile = (name: string, path = '') => ({
    name,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    get issuer() {
      return provider.issuer + path;
    },
  });
  const app = sharedTestApp(
    new OidcApp({
      platform,
      imports: [KitAuthBrowserModule],
      oidc: {
        timeoutMs: 300,
        providers: [
          hostile('hostile'),
          hostile('twin'),
          { name: 'down', issuer: 'http://127.0.0.1:9', clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
          hostile('other', '/other'),
        ],
      },
    }),
  );
  beforeEach(() => {
    provider.reset();
  });

  async function logIn(tampering: Tampering = {}): Promise<Record<string, string>> {
    const browser = new TestBrowser(app);
    const callback = provider.callbackOf(await browser.start('hostile'));
    provider.tampering = tampering;
    return Object.fromEntries(fragmentOf(await browser.comeBack(callback)));
  }

  it('is believed while it is honest', async () => {
    expect(await logIn()).toEqual(UNKNOWN);
  });

  it.each<[string, () => Tampering]>([
    ['alg none', () => ({ header: { alg: 'none' } })],
    [
      'HS256 with the client secret',
      () => ({ header: { alg: 'HS256' }, key: createSecretKey(Buffer.from(CLIENT_SECRET)) }),
    ],
    [
      'HS256 with the public key',
      () => ({
        header: { alg: 'HS256' },
        key: createSecretKey(Buffer.from(provider.publicKey.export({ type: 'spki', format: 'pem' }))),
      }),
    ],
    ['another key', () => ({ key: OTHER_KEY })],
    ['an unknown kid', () => ({ header: { kid: 'two' } })],
    ['no signature', () => ({ token: (jwt) => `${jwt.slice(0, jwt.lastIndexOf('.'))}.` })],
    ['another issuer', () => ({ claims: { iss: 'https://login.example.com' } })],
    ['another audience', () => ({ claims: { aud: 'other' } })],
    ['two audiences without azp', () => ({ claims: { aud: [CLIENT_ID, 'other'] } })],
    ['two audiences with azp', () => ({ claims: { aud: [CLIENT_ID, 'other'], azp: CLIENT_ID } })],
    ['another azp', () => ({ claims: { aud: [CLIENT_ID, 'other'], azp: 'other' } })],
    ['exp in the past', () => ({ claims: { exp: now() - 300 } })],
    ['no exp', () => ({ claims: { exp: undefined } })],
    ['iat in the future', () => ({ claims: { iat: now() + 3600 } })],
    ['no iat', () => ({ claims: { iat: undefined } })],
    ['another nonce', () => ({ claims: { nonce: 'x' } })],
    ['no nonce', () => ({ claims: { nonce: undefined } })],
    ['no sub', () => ({ claims: { sub: undefined } })],
    ['an empty sub', () => ({ claims: { sub: '' } })],
    ['a number as sub', () => ({ claims: { sub: 4711 } })],
    ['a sub of 5,000 characters', () => ({ claims: { sub: 'x'.repeat(5000) } })],
    ['NUL in the sub', () => ({ claims: { sub: 'ada\0' } })],
    ['letters in the sub that databases confuse', () => ({ claims: { sub: '\uff41da' } })],
  ])('is not believed with %s', async (_, tampering) => {
    expect(await logIn(tampering())).toEqual(FAILED);
    expect(await app.rowsOf(AuthIdentity).count()).toBe(0);
  });

  it('cannot make the server ask for keys again and again', async () => {
    await logIn();
    const before = provider.calls['/jwks'] ?? 0;
    for (let i = 0; i < 30; i++) {
      await logIn({ header: { kid: `kid-${i}` } });
    }
    expect((provider.calls['/jwks'] ?? 0) - before).toBeLessThanOrEqual(1);
  });

  it.each<[string, string, Record<string, string>]>([
    ['an error of the server', '/token', { status: '500' }],
    ['HTML', '/token', { body: '<h1>Sorry</h1>', type: 'text/html' }],
    ['a redirect', '/token', { status: '302', location: 'http://169.254.169.254/latest/meta-data' }],
    ['10 MB', '/token', { body: `"${'x'.repeat(10_000_000)}"`, type: 'application/json' }],
    ['nothing', '/token', { hangs: 'yes' }],
    ['half an answer', '/token', { breaks: 'yes' }],
    ['an error of the userinfo endpoint', '/userinfo', { status: '500' }],
  ])('that answers with %s is unavailable or refused in time', async (_, path, answer) => {
    provider.handlers[path] = (_request, response) => {
      if (answer['hangs'] !== undefined) {
        return;
      }
      response.writeHead(Number(answer['status'] ?? 200), {
        'content-type': answer['type'] ?? 'application/json',
        ...(answer['location'] && { location: answer['location'] }),
        ...(answer['breaks'] && { 'content-length': '1000' }),
      });
      if (answer['breaks'] !== undefined) {
        response.write('{');
        response.destroy();
      } else {
        response.end(answer['body'] ?? '{}');
      }
    };
    const { 'kit-auth': code } = await logIn({ claims: { email: undefined } });
    expect(['50300', '40114']).toContain(code);
    expect(await app.rowsOf(AuthIdentity).count()).toBe(0);
  });

  it('that is down is unavailable, and nothing else is', async () => {
    const answer = await app.request('/v1/api/auth/oidc/down/start');
    expect([answer.status, answer.json.code]).toEqual([503, 50300]);
    expect((await app.request('/v1/api/auth/oidc')).status).toBe(200);
    expect(await logIn()).toEqual(UNKNOWN);
  });

  it('that names another issuer than the options is unavailable', async () => {
    expect((await app.request('/v1/api/auth/oidc/other/start')).json.code).toBe(50300);
  });

  it('cannot pass off its code as that of another one', async () => {
    const browser = new TestBrowser(app);
    const callback = provider.callbackOf(await browser.start('hostile'));
    const refused = await browser.visit(callback.replace('/hostile/', '/twin/'));
    expect(refused.json).toMatchObject({ code: 40114, reason: 'state' });
    expect(Object.fromEntries(fragmentOf(await browser.comeBack(callback)))).toEqual(UNKNOWN);
  });

  it('limits the attempts of a network', async () => {
    const start = () => app.request('/v1/api/auth/oidc/hostile/start');
    const answers = [];
    for (let i = 0; i < 61; i++) {
      answers.push((await start()).status);
    }
    expect(answers.filter((status) => status === 302).length).toBeLessThanOrEqual(60);
    const { status, json, headers } = await start();
    expect([status, json.code, Number(headers['retry-after']) > 0]).toEqual([429, 42900, true]);
  });

  it('finds nothing in the logs that was sent', () => {
    expect(app.logs.all()).not.toMatch(/kato_|a-code|an-access-token|4711|ada@example/);
  });
});
