import { describe, expect, it } from '@jest/globals';
import type { TransportExchange } from 'kit-auth';
import { oidcOptions } from '../oidc.options.js';
import { BrowserCookies } from './attempts.js';

const PREFIX = '__Host-kit-auth-oidc-';

/** Binds an attempt to a browser with these cookies. @returns the `Set-Cookie` headers */
function bind(cookie = '', redirectBase = 'https://api.example.com'): string[] {
  const lines: string[] = [];
  const request = { headers: { cookie } };
  const appendHeader = (_name: string, line: string) => void lines.push(line);
  const providers = [{ name: 'test', issuer: 'https://login.example.com', clientId: 'a', clientSecret: 'b' }];
  const resolved = oidcOptions.resolve({ providers, redirectBase, returnTo: [redirectBase] });
  new BrowserCookies(resolved).bind({ request, appendHeader } as unknown as TransportExchange);
  return lines;
}

const cookiesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => `${PREFIX}000000${i}=x`).join('; ');
const cleared = (lines: string[]) =>
  lines.filter((line) => line.includes('Max-Age=0')).map((line) => line.split('=')[0]);

describe('the cookie of an attempt', () => {
  it('is one of its own, for ten minutes', () => {
    const [[first], [second]] = [bind(), bind()];
    expect(first).toMatch(
      /^__Host-kit-auth-oidc-[\w-]{8}=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    expect(first!.split('=')[0]).not.toBe(second!.split('=')[0]);
  });

  it('needs no https on localhost', () => {
    expect(bind('', 'http://localhost:3000')).toEqual([expect.stringMatching(/^kit-auth-oidc-(?!.*Secure)/)]);
  });

  it('takes the place of the oldest of five', () => {
    expect(cleared(bind(cookiesOf(4)))).toEqual([]);
    expect(cleared(bind(cookiesOf(6)))).toEqual([`${PREFIX}0000000`, `${PREFIX}0000001`]);
  });

  it('takes the place of none because of cookies that a subdomain has planted', () => {
    const planted = Array.from({ length: 6 }, (_, i) => `\u00a0${PREFIX}planted${i}=x`).join(';');
    expect(cleared(bind(`${PREFIX}realreal=x;${planted}`))).toEqual([]);
  });
});
