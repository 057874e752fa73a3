import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  CLIENT_SECRET,
  freezeDate,
  LOGOUT_EVENT,
  MemoryLogger,
  sharedHostileProvider,
  type Tampering,
} from 'test-support';
import { oidcOptions } from '../oidc.options.js';
import { Providers } from './providers.js';
import { LogoutTokens } from './logout-tokens.js';

const provider = sharedHostileProvider();
const now = () => Math.floor(Date.now() / 1000);
let logs: MemoryLogger;
beforeEach(() => {
  provider.reset();
  logs = new MemoryLogger();
  Logger.overrideLogger(logs);
});
const lines = () => logs.all().split('\n').filter(Boolean);

/** Reads tokens as an application does that has just started. */
function reader(keys: { jwks_uri?: string } = { jwks_uri: `${provider.issuer}/jwks` }) {
  const resolved = oidcOptions.resolve({
    providers: [provider.settings()],
    redirectBase: 'https://api.example.com',
    returnTo: ['https://api.example.com/app'],
  });
  const tokens = new LogoutTokens(resolved);
  const settings = new Providers(resolved).get('test');
  return (token: string) => tokens.read(settings, { issuer: provider.issuer, ...keys }, token);
}

const signed = (claims: Record<string, unknown> = {}, { header, ...rest }: Tampering = {}) =>
  provider.logoutToken(claims, { ...rest, header: { typ: 'logout+jwt', ...header } });

describe('a logout token', () => {
  it.each<[string, Record<string, unknown>, object]>([
    ['a session', { sid: 'one' }, { sid: 'one', subject: undefined }],
    ['an identity', { sub: 'ada' }, { sid: undefined, subject: 'ada' }],
    ['a session of an identity', { sid: 'one', sub: 'ada' }, { sid: 'one', subject: 'ada' }],
  ])('names %s', async (_which, claims, expected) => {
    freezeDate();
    expect(await reader()(await signed({ ...claims, jti: 'x' }))).toEqual({
      ...expected,
      jti: 'x',
      expiresAt: now() + 120 + 30, // the tolerance
    });
  });

  it.each([undefined, 'logout+jwt', 'Logout+JWT', 'application/logout+jwt', 'JWT', 'jwt'])(
    'may have the type %j',
    async (typ) => {
      const token = await provider.logoutToken({ sub: 'ada' }, { ...(typ && { header: { typ } }) });
      expect(await reader()(token)).toMatchObject({ subject: 'ada' });
    },
  );

  it('may name other events', async () => {
    const events = { 'https://example.com': 1, [LOGOUT_EVENT]: { reason: 'x' } };
    expect(await reader()(await signed({ sub: 'ada', events }))).toMatchObject({ subject: 'ada' });
  });

  // The tolerance is 30 seconds.
  it.each<[string, lifetime: number | undefined, validFor: number]>([
    ['until it ends', 200, 230],
    ['for five minutes if it ends later', 86_400, 330],
    ['for two minutes if it has no end', undefined, 150],
  ])('is valid %s, and remembered for as long', async (_, lifetime, validFor) => {
    const pass = freezeDate();
    const begin = now();
    const token = await signed({ sub: 'ada', exp: lifetime && begin + lifetime });
    pass((validFor - 1) * 1000);
    expect(await reader()(token)).toMatchObject({ expiresAt: begin + validFor });
    pass(2000);
    expect(await reader()(token)).toBeUndefined();
  });

  it.each<[string, Record<string, unknown>, Tampering, reason: string]>([
    ['another issuer', { iss: 'https://login.example.com' }, {}, 'CLAIM_VALIDATION_FAILED iss'],
    ['another audience', { aud: 'other' }, {}, 'CLAIM_VALIDATION_FAILED aud'],
    ['an end in the past', { exp: now() - 300 }, {}, 'ERR_JWT_EXPIRED exp'],
    ['an end that is no time', { exp: null }, {}, 'CLAIM_VALIDATION_FAILED exp'],
    ['iat in the future', { iat: now() + 300 }, {}, 'CLAIM_VALIDATION_FAILED iat'],
    ['no iat', { iat: undefined }, {}, 'CLAIM_VALIDATION_FAILED iat'],
    ['no jti', { jti: undefined }, {}, 'CLAIM_VALIDATION_FAILED jti'],
    ['a jti that is a number', { jti: 4711 }, {}, '"jti"'],
    ['no events', { events: undefined }, {}, 'CLAIM_VALIDATION_FAILED events'],
    ['another event', { events: { 'https://4711.example.com': {} } }, {}, '"events"'],
    ['an event that is no object', { events: { [LOGOUT_EVENT]: true } }, {}, '"events"'],
    ['a list of events', { events: [LOGOUT_EVENT] }, {}, '"events"'],
    ['a nonce', { nonce: '4711' }, {}, '"nonce"'],
    ['an empty nonce', { nonce: null }, {}, '"nonce"'],
    ['neither sid nor sub', { sub: undefined }, {}, '"sid"'],
    ['a sid that is a number', { sid: 4711 }, {}, '"sid"'],
    ['the type of another token', {}, { header: { typ: 'at+jwt' } }, '"typ"'],
    ['another type of event', {}, { header: { typ: 'secevent+jwt' } }, '"typ"'],
    ['a type that is no text', {}, { header: { typ: 4711 as never } }, '"typ"'],
    ['alg none', {}, { header: { alg: 'none' } }, 'ERR_JOSE_ALG_NOT_ALLOWED'],
    [
      'a symmetric key',
      {},
      { header: { alg: 'HS256' }, key: Buffer.from(CLIENT_SECRET.padEnd(32)) },
      'ERR_JOSE_ALG_NOT_ALLOWED',
    ],
    ['an unknown key', {}, { header: { kid: '4711' } }, 'ERR_JWKS_NO_MATCHING_KEY'],
  ])(
    'is not valid with %s, and one line says so without what was sent',
    async (_, claims, tampering, reason) => {
      expect(await reader()(await signed({ sub: 'ada', ...claims }, tampering))).toBeUndefined();
      expect(lines()).toEqual([expect.stringContaining('[oidc] a logout token of test was refused: ')]);
      expect(lines()[0]).toContain(reason);
      expect(lines()[0]).not.toMatch(/4711|ada|login\.example/);
    },
  );

  it('that is refused again for the same reason is logged once a minute', async () => {
    const pass = freezeDate();
    const read = reader();
    const junk = async () => {
      await read('x');
      return lines().length;
    };
    expect([await junk(), await junk()]).toEqual([1, 1]);
    await read(await signed({ sub: 'ada', aud: 'other' }));
    expect(lines()).toHaveLength(2); // nobody hides what is wrong with the tokens of the provider
    pass(59_999);
    expect(await junk()).toBe(2);
    pass(1);
    expect(await junk()).toBe(3);
  });

  it.each(['x', 'a.b.c', ''])('is not %j', async (token) => {
    expect(await reader()(token)).toBeUndefined();
  });

  it('of an unknown key asks for the keys once a minute', async () => {
    const pass = freezeDate();
    const read = reader();
    for (const [index, seconds] of [0, 59, 1].entries()) {
      const [kid, calls] = [`key ${index}`, index < 2 ? 1 : 2];
      pass(seconds * 1000);
      await read(await signed({ sub: 'ada' }, { header: { kid } }));
      expect(provider.calls['/jwks']).toBe(calls);
    }
  });

  it.each<[string, () => void]>([
    ['fails', () => (provider.handlers['/jwks'] = (_request, response) => response.writeHead(500).end())],
    [
      'redirects',
      () =>
        (provider.handlers['/jwks'] = (_request, response) =>
          response.writeHead(302, { location: provider.issuer }).end()),
    ],
  ])('cannot be read while the provider %s', async (_what, fail) => {
    fail();
    await expect(reader()(await signed({ sub: 'ada' }))).rejects.toMatchObject({ code: 50300 });
  });

  it('cannot be read of a provider without keys', async () => {
    await expect(reader({})(await signed({ sub: 'ada' }))).rejects.toMatchObject({ code: 50300 });
  });

  it('waits timeoutMs for a provider that sends its keys for ever', async () => {
    const controller = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(controller.signal);
    provider.handlers['/jwks'] = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"keys":[');
      setImmediate(() => controller.abort(new DOMException('too late', 'TimeoutError')));
    };
    try {
      await expect(reader()(await signed({ sub: 'ada' }))).rejects.toMatchObject({ code: 50300 });
      expect(timeout).toHaveBeenCalledWith(5000);
    } finally {
      timeout.mockRestore();
    }
  });
});
