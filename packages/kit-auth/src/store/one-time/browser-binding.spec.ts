import { describe, expect, it } from '@jest/globals';
import type { TransportExchange } from '../../contract/token-transport.js';
import { bindToBrowser, isBoundTo, isHashOf, unbindBrowser } from './browser-binding.js';

const COOKIE = { name: 'download', isSecure: true, seconds: 60 };

/** A request with cookies, and the `Set-Cookie` headers of its answer. */
function exchangeWith(...cookies: string[]) {
  const lines: string[] = [];
  const request = { headers: { cookie: cookies.join('; ') } };
  const appendHeader = (_: string, line: string) => void lines.push(line);
  return { exchange: { request, appendHeader } as unknown as TransportExchange, request, lines };
}

/** A binding, and the cookie that the browser sends back. */
function bound(...cookies: string[]) {
  const { exchange, lines } = exchangeWith(...cookies);
  const binding = bindToBrowser(exchange, COOKIE);
  return { binding, line: lines[0]!, sent: lines[0]!.split(';')[0]! };
}

describe('the binding of a token to a browser', () => {
  it('is a cookie of the host', () => {
    const { binding, line, sent } = bound();
    expect(line).toMatch(/^__Host-download=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=60$/);
    expect(isBoundTo(exchangeWith(sent).request, COOKIE, binding)).toBe(true);
    expect(isHashOf(sent.split('=')[1]!, binding)).toBe(true);
  });

  it('is kept by a browser that has it, and not what is none', () => {
    const first = bound();
    expect(bound(first.sent)).toEqual(first);
    expect(bound('__Host-download=x').sent).toMatch(/=[\w-]{43}$/);
  });

  it('is none without the cookie, with another, and with several', () => {
    const [{ binding, sent }, other] = [bound(), bound()];
    for (const cookies of [[], [other.sent], [sent, other.sent], [sent, sent], [sent.slice(0, -1)]]) {
      expect(isBoundTo(exchangeWith(...cookies).request, COOKIE, binding)).toBe(false);
    }
    expect(isBoundTo(exchangeWith(sent).request, COOKIE, '')).toBe(false);
    expect(bound(sent, other.sent).binding).not.toBe(binding);
  });

  it('is deleted where the browser has it', () => {
    const [without, twice] = [exchangeWith('download=x'), exchangeWith(bound().sent, bound().sent)];
    unbindBrowser(without.exchange, COOKIE);
    unbindBrowser(twice.exchange, COOKIE);
    expect(without.lines).toEqual([]);
    expect(twice.lines).toEqual([expect.stringMatching(/^__Host-download=; .*; Max-Age=0$/)]);
  });
});
