import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CLIENT_SECRET, freezeDate, MemoryLogger, sharedHostileProvider } from 'test-support';
import { oidcOptions } from '../oidc.options.js';
import { Providers } from './providers.js';
import type { OidcProvider } from './provider.options.js';
import { Discovery } from './discovery.js';

const DOCUMENT = '/.well-known/openid-configuration';
const HOUR_MS = 3_600_000;

const provider = sharedHostileProvider();
let logs: MemoryLogger;
beforeEach(() => {
  provider.reset();
  logs = new MemoryLogger();
  Logger.overrideLogger(logs);
});

function discoveryOf(given: OidcProvider = provider.settings()) {
  const resolved = oidcOptions.resolve({
    providers: [given],
    redirectBase: 'https://api.example.com',
    returnTo: ['https://api.example.com/app'],
  });
  const discovery = new Discovery(resolved);
  const settings = new Providers(resolved).get(given.name);
  return () => discovery.of(settings);
}

const times = () => provider.calls[DOCUMENT] ?? 0;
const fail = () => {
  provider.handlers[DOCUMENT] = (_request, response) => response.writeHead(500).end();
};

describe('the discovery of a provider', () => {
  it('asks once for all who need it, and again after an hour', async () => {
    const pass = freezeDate();
    const discover = discoveryOf();
    await Promise.all(Array.from({ length: 10 }, discover));
    pass(HOUR_MS - 1);
    await discover();
    expect(times()).toBe(1);
    pass(1);
    await discover();
    expect(times()).toBe(2);
  });

  it('keeps what it knows while the provider does not answer', async () => {
    const pass = freezeDate();
    const discover = discoveryOf();
    const first = await discover();
    fail();
    pass(HOUR_MS);
    expect(await discover()).toBe(first);
    expect(logs.all()).toContain('the discovery of test failed');
  });

  it('leaves a provider that fails alone for a second, then for two, up to a minute', async () => {
    const pass = freezeDate();
    const discover = discoveryOf();
    fail();
    for (const [asked, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      await expect(discover()).rejects.toMatchObject({ code: 50300 });
      pass(seconds * 1000 - 1);
      await expect(discover()).rejects.toMatchObject({ code: 50300 });
      expect(times()).toBe(asked + 1);
      pass(1);
    }
    provider.reset();
    await discover();
    fail();
    pass(HOUR_MS);
    await discover();
    pass(1000);
    await discover();
    expect(times()).toBe(3); // the pause is short again
  });

  it.each<[string, () => string, () => string]>([
    ['with a slash', () => '/', () => `but that of the options is "${provider.issuer}/"`],
    ['of another path', () => '/other', () => `but that of the options is "${provider.issuer}/other"`],
    ['that has no document', () => '/missing', () => '(status 404)'],
  ])('fails for an issuer %s, and says why', async (_which, path, why) => {
    provider.handlers[`/other${DOCUMENT}`] = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ issuer: provider.issuer }));
    };
    await expect(discoveryOf(provider.settings('test', {}, path()))()).rejects.toMatchObject({ code: 50300 });
    expect(logs.lines).toEqual([{ level: 'error', text: expect.stringContaining(why()) }]);
    expect(logs.all()).toContain('the discovery of test failed');
  });

  it('fails for a provider that is down, and says why', async () => {
    const down = { ...provider.settings(), issuer: 'http://127.0.0.1:2' };
    await expect(discoveryOf(down)()).rejects.toMatchObject({ code: 50300 });
    expect(logs.all()).toMatch(/the discovery of test failed: .*\(ECONNREFUSED\)/);
  });

  it('does not follow redirects', async () => {
    provider.handlers[DOCUMENT] = (_request, response) =>
      response.writeHead(302, { location: `${provider.issuer}/other` }).end();
    await expect(discoveryOf()()).rejects.toMatchObject({ code: 50300 });
    expect(provider.calls['/other']).toBeUndefined();
  });
});

describe('the client authenticates', () => {
  const PEM = { type: 'pkcs8', format: 'pem' } as const;
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;
  const encoded = CLIENT_SECRET.replaceAll(' ', '+');
  const BASIC = `Basic ${Buffer.from(`app:${encoded}`).toString('base64')}`;

  /** What the token endpoint gets. */
  async function sentWith(more: Partial<OidcProvider>) {
    const config = await discoveryOf(provider.settings('test', more))();
    const { genericGrantRequest } = await import('openid-client');
    let sent: { authorization?: string | undefined; body: URLSearchParams } | undefined;
    provider.handlers['/token'] = (request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const body = new URLSearchParams(Buffer.concat(chunks).toString());
          sent = { authorization: request.headers.authorization, body };
          response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"x"}');
        });
    };
    await genericGrantRequest(config, 'x', {}).catch(() => undefined);
    const [header] = sent?.body.get('client_assertion')?.split('.') ?? [];
    return {
      authorization: sent?.authorization,
      secret: sent?.body.get('client_secret'),
      ...(header && { alg: JSON.parse(Buffer.from(header, 'base64url').toString()).alg }),
    };
  }

  it.each<[string, () => Partial<OidcProvider>, object]>([
    ['with its secret in a header', () => ({}), { authorization: BASIC, secret: null }],
    [
      'with its secret in the body',
      () => ({ authMethod: 'client_secret_post' }),
      { authorization: undefined, secret: CLIENT_SECRET },
    ],
    ['not at all', () => ({ authMethod: 'none' }), { authorization: undefined, secret: null }],
    [
      'with a key P-256 in PEM',
      () => ({ authMethod: 'private_key_jwt', privateKey: ec('P-256').export(PEM) as string }),
      { secret: null, alg: 'ES256' },
    ],
    [
      'with a key P-384',
      () => ({ authMethod: 'private_key_jwt', privateKey: ec('P-384') }),
      { secret: null, alg: 'ES384' },
    ],
    [
      'with an RSA key',
      () => ({
        authMethod: 'private_key_jwt',
        privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
      }),
      { secret: null, alg: 'RS256' },
    ],
  ])('%s', async (_how, more, sent) => {
    expect(await sentWith(more())).toMatchObject(sent);
  });
});
