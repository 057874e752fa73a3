import { describe, expect, it } from '@jest/globals';
import type { TokenTransport } from '../contract/token-transport.js';
import { askTransport, isSafe, transportRequestOf } from './ports.js';

const headers = { host: 'a.example' };
const node = { method: 'POST', url: '/inner', headers, rawHeaders: ['Host', 'a.example'] };

describe('what a transport reads of a request', () => {
  it('is that of Express, with the target as the client sent it', () => {
    const more = { host: 'b.example', protocol: 'https', body: { a: 1 } };
    const request = { ...node, ...more, originalUrl: '/outer/inner' };
    expect(transportRequestOf(request)).toMatchObject({ ...node, ...more, url: '/outer/inner' });
  });

  it('is that of Node in a request of Fastify', () => {
    const more = { protocol: 'http', body: 7 };
    expect(transportRequestOf({ raw: node, ...more })).toMatchObject({ ...node, ...more, host: 'a.example' });
  });

  it('has the certificate of a client that the server has verified', () => {
    const raw = Buffer.from('certificate');
    const certificateOf = (socket: object | undefined) =>
      transportRequestOf({ ...node, socket } as never)?.clientCertificate?.();
    const getPeerCertificate = () => ({ raw });
    expect(certificateOf({ authorized: true, getPeerCertificate })).toEqual({ raw });
    expect(certificateOf({ authorized: false, getPeerCertificate })).toBeUndefined();
    expect(certificateOf({ authorized: true, getPeerCertificate: () => ({}) })).toBeUndefined();
    expect(certificateOf({})).toBeUndefined();
    expect(certificateOf(undefined)).toBeUndefined();
  });

  it('is nothing where there is no HTTP request', () => {
    expect(transportRequestOf({})).toBeUndefined();
    for (const name of ['method', 'headers', 'rawHeaders'] as const) {
      expect(transportRequestOf({ ...node, [name]: undefined })).toBeUndefined();
    }
    expect(transportRequestOf({ ...node, url: undefined })?.url).toBe('');
  });

  it('is asked for only where there is a transport', () => {
    const transport = {} as TokenTransport;
    const ask = (one: TokenTransport | undefined, request: object) =>
      askTransport(one, request, (asked, { method }) => [asked === transport, method]);
    expect(ask(transport, node)).toEqual([true, 'POST']);
    expect(ask(undefined, node)).toBeUndefined();
    expect(ask(transport, {})).toBeUndefined();
  });
});

describe('a request', () => {
  it('is safe if its method changes nothing', () => {
    const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'TRACE', 'get'];
    expect(methods.filter((method) => isSafe({ method }))).toEqual(['GET', 'HEAD', 'OPTIONS']);
  });
});
