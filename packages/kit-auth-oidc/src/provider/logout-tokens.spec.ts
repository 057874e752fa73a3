import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CLIENT_SECRET, freezeDate, LOGOUT_EVENT, sharedHostileProvider, type Tampering } from 'test-support';
import { oidcOptions } from '../config/oidc.options.js';
import { Providers } from '../config/providers.js';
import { LogoutTokens } from './logout-tokens.js';

const provider = sharedHostileProvider();
const now = () => Math.floor(Date.now() / 1000);
beforeEach(() => provider.reset());

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

  it.each([['Logout+JWT'], [undefined]])('may have the type %j', async (typ) => {
    const token = await provider.logoutToken({ sub: 'ada' }, { ...(typ && { header: { typ } }) });
    expect(await reader()(token)).toMatchObject({ subject: 'ada' });
  });

  it.each<[string, Record<string, unknown>, Tampering]>([
    ['another issuer', { iss: 'https://login.example.com' }, {}],
    ['another audience', { aud: 'other' }, {}],
    ['an old iat', { iat: now() - 600 }, {}],
    ['an end in the past', { exp: now() - 300 }, {}],
    ['no jti', { jti: undefined }, {}],
    ['two events', { events: { [LOGOUT_EVENT]: {}, 'https://example.com': {} } }, {}],
    ['an event that is no object', { events: { [LOGOUT_EVENT]: true } }, {}],
    ['a nonce', { nonce: 'x' }, {}],
    ['neither sid nor sub', { sub: undefined }, {}],
    ['a sid that is a number', { sid: 1 }, {}],
    ['the type of another token', {}, { header: { typ: 'at+jwt' } }],
    ['alg none', {}, { header: { alg: 'none' } }],
    ['a symmetric key', {}, { header: { alg: 'HS256' }, key: Buffer.from(CLIENT_SECRET.padEnd(32)) }],
    ['an unknown key', {}, { header: { kid: 'two' } }],
  ])('is not valid with %s', async (_, claims, tampering) => {
    expect(await reader()(await signed({ sub: 'ada', ...claims }, tampering))).toBeUndefined();
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
