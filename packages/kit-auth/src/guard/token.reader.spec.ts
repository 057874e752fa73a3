import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type KitAuthOptions, kitAuthOptions } from '../config/kit-auth.options.js';
import type { AuthCredential } from '../contract/auth-credential.js';
import type { TransportRequest } from '../contract/token-transport.js';
import { AuthException } from '../errors/auth.exception.js';
import type { Ports } from '../ports/ports.js';
import { type RequestWithHeaders, TokenReader } from './token.reader.js';

const none = { credentials: [] as readonly AuthCredential[] } as Ports;

function read(rawHeaders: string[], options: KitAuthOptions = {}): string | number {
  try {
    const reader = new TokenReader(kitAuthOptions.resolve(options).settings, none);
    const token = reader.read({ rawHeaders }, () => undefined);
    return token instanceof AuthException ? token.code : (token as string);
  } catch (error) {
    expect(error).toBeInstanceOf(AuthException);
    return (error as AuthException).code;
  }
}

describe('TokenReader', () => {
  it.each([
    [[], 40100],
    [['Authorization', ''], 40100],
    [['Authorization', 'Bearer'], 40100],
    [['Authorization', 'Bearer '], 40100],
    [['Authorization', 'BearerX'], 40100],
    [['Authorization', 'Bearer\tX'], 40100],
    [['Authorization', 'bearer X'], 40100],
    [['Authorization', 'BEARER X'], 40100],
    [['Authorization', 'Basic X'], 40100],
    [['Authorization', ' Bearer X'], 40100],
    [['Cookie', 'Bearer X'], 40100],
    [['X-Authorization', 'Bearer X'], 40100],
    [['Authorization', 'Bearer X'], 'X'],
    [['AUTHORIZATION', 'Bearer X'], 'X'],
    [['Host', 'Authorization', 'authorization', 'Bearer X'], 'X'],
    [['Authorization', 'Bearer  X'], ' X'],
    [['Authorization', 'Bearer "X"'], '"X"'],
    [['Authorization', 'Bearer X x'], 'X x'],
    [['Authorization', 'Bearer X, Bearer X'], 'X, Bearer X'],
    [['Authorization', 'Bearer 1'], '1'],
    [['Authorization', 'Bearer undefined'], 'undefined'],
    [['Authorization', 'Bearer X', 'Authorization', 'Bearer X'], 40101],
    [['Authorization', 'Bearer X', 'authorization', 'Basic Y'], 40101],
    [['authorization', 'Basic Y', 'Authorization', 'Bearer X'], 40101],
    [['Authorization', 'Basic X', 'Authorization', 'Basic Y'], 40100],
  ])('%j gives %j', (rawHeaders, expected) => expect(read(rawHeaders)).toBe(expected));

  it.each([12_000, 12_289, 15_000])('gives a token of %i characters whole', (length) => {
    const token = 'a'.repeat(length);
    expect(read(['Authorization', `Bearer ${token}`])).toBe(token);
  });

  it('reads the header and the prefix that are configured', () => {
    const options = { tokenHeader: 'X-Token', tokenPrefix: '' };
    expect(read(['x-token', 'abc'], options)).toBe('abc');
    expect(read(['x-token', ''], options)).toBe(40100);
    expect(read(['Authorization', 'Bearer abc'], options)).toBe(40100);
    expect(read(['x-token', 'Token:abc'], { ...options, tokenPrefix: 'Token:' })).toBe('abc');
  });

  it('refuses two headers as malformed', () => {
    const settings = kitAuthOptions.resolve().settings;
    const rawHeaders = ['Authorization', 'Bearer X', 'Authorization', 'Bearer X'];
    expect(() => new TokenReader(settings, none).read({ rawHeaders }, () => undefined)).toThrow(
      expect.objectContaining({ code: 40101, reason: 'malformed' }),
    );
  });

  it('takes the token of a transport where there is no header, and says so', () => {
    const carried: string[] = [];
    const ports = {
      transport: { read: () => 'carried' },
      credentials: [],
      credentialOf: () => undefined,
    } as unknown as Ports;
    const reader = new TokenReader(kitAuthOptions.resolve().settings, ports);
    const readFrom = (...rawHeaders: string[]) =>
      reader.read({ method: 'GET', url: '/', headers: {}, rawHeaders } as RequestWithHeaders, () =>
        carried.push('told'),
      );
    expect(readFrom('Authorization', 'Bearer X')).toBe('X');
    expect(carried).toEqual([]);
    expect(readFrom('Host', 'x')).toBe('carried');
    expect(carried).toEqual(['told']);
    expect(readFrom('Authorization', 'Basic X')).toMatchObject({ code: 40100 });
  });

  describe('with credentials that find their tokens', () => {
    const signed = { scheme: 'signed', authScheme: 'HMAC-SHA256' };
    const reading = (scheme: string, header: string) => ({
      scheme,
      read: ({ headers }: TransportRequest) => headers[header] as string | undefined,
    });
    const ports = {
      credentials: [{ scheme: 'key', prefix: 'key_' }, signed, reading('a', 'x-a'), reading('b', 'x-b')],
      credentialOf: () => undefined,
      transport: { read: ({ headers }: TransportRequest) => headers.cookie },
    } as unknown as Ports;
    const find = (...rawHeaders: string[]) => {
      const reader = new TokenReader(kitAuthOptions.resolve().settings, ports);
      const headers = Object.fromEntries(
        rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1]]] : [])),
      ) as IncomingHttpHeaders;
      const elsewhere: string[] = [];
      try {
        const request = { method: 'GET', url: '/', headers, rawHeaders };
        const token = reader.read(request, () => elsewhere.push(', elsewhere'));
        if (token instanceof AuthException) {
          return token.code;
        }
        const text = typeof token === 'string' ? token : `${token.credential.scheme}: ${token.token}`;
        return text + elsewhere.join();
      } catch (error) {
        return `${(error as AuthException).code} ${(error as AuthException).reason}`;
      }
    };

    it.each([
      [['Authorization', 'HMAC-SHA256 a:b'], 'signed: a:b'],
      [['Authorization', 'hmac-sha256   a b'], 'signed: a b'],
      [['Authorization', 'HMAC-SHA256'], 40100],
      [['Authorization', 'HMAC-SHA256 '], 40100],
      [['Authorization', 'HMAC-SHA2567 a'], 40100],
      [['Authorization', 'Bearer HMAC-SHA256 a'], 'HMAC-SHA256 a'],
      [['Authorization', 'HMAC-SHA256 a', 'Authorization', 'Bearer b'], '40101 malformed'],
      [['Authorization', 'Basic a', 'Authorization', 'HMAC-SHA256 b'], '40101 malformed'],
      [['X-A', 't'], 'a: t, elsewhere'],
      [['X-B', 't'], 'b: t, elsewhere'],
      [['X-A', 't', 'X-B', 't'], '40101 malformed'],
      [['X-A', 't', 'Cookie', 'u'], '40101 malformed'],
      [['Cookie', 'u'], 'u, elsewhere'],
      [['X-A', 't', 'Authorization', 'Bearer u'], 'u'],
      [['X-A', 't', 'Authorization', 'Basic u'], 40100],
      [[], 40100],
    ])('%j gives %j', (rawHeaders, expected) => expect(find(...rawHeaders)).toBe(expected));
  });

  describe('says why there is no token', () => {
    const messageFor = (request: RequestWithHeaders, carried?: string): string => {
      const ports = {
        ...none,
        transport: { read: () => carried },
        credentialOf: () => ({}),
      } as unknown as Ports;
      const reader = new TokenReader(kitAuthOptions.resolve({}).settings, ports);
      return (reader.read(request, () => undefined) as AuthException).message;
    };
    const CHANGED = /^The header Authorization was added or changed in the application.*\(rawHeaders\)$/;

    it.each<[string, RequestWithHeaders, RegExp]>([
      ['none', { rawHeaders: [], headers: {} }, /^No token was sent/],
      ['none, without an HTTP request', {}, /^No token was sent/],
      ['one that was added', { rawHeaders: [], headers: { authorization: 'Bearer SECRET' } }, CHANGED],
      [
        'one that was added in Fastify',
        { raw: { rawHeaders: [], headers: { authorization: 'SECRET' } } },
        CHANGED,
      ],
      [
        'one that was corrected',
        { rawHeaders: ['Authorization', 'bearer SECRET'], headers: { authorization: 'Bearer SECRET' } },
        CHANGED,
      ],
      [
        'another spelling',
        { rawHeaders: ['Authorization', 'bearer SECRET'], headers: { authorization: 'bearer SECRET' } },
        /^The header Authorization holds no token: send "Authorization: Bearer <token>"/,
      ],
    ])('%s', (_what, request, message) => {
      expect(messageFor(request)).toMatch(message);
      expect(messageFor(request)).not.toContain('SECRET');
    });

    it('the token of a credential, by a transport', () => {
      const request: object = { method: 'GET', url: '/', headers: {}, rawHeaders: [] };
      expect(messageFor(request, 'key_SECRET')).toBe(
        'A token of this kind, such as an API key, is read from the header Authorization only: send "Authorization: Bearer <token>"',
      );
    });
  });

  it('gives what follows the prefix, whatever it is, or one of two codes', () => {
    const header = fc.tuple(fc.constantFrom('Authorization', 'authorization', 'Host'), fc.string());
    fc.assert(
      fc.property(fc.array(header), (headers) => {
        const values = headers.filter(([name]) => name !== 'Host').map(([, value]) => value);
        const tokens = values.filter((value) => value.startsWith('Bearer ') && value.length > 7);
        const expected = tokens.length === 0 ? 40100 : values.length > 1 ? 40101 : tokens[0]!.slice(7);
        expect(read(headers.flat())).toBe(expected);
      }),
    );
  });
});
