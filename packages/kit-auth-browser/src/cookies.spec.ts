import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { browserOptions } from './browser.options.js';
import { BrowserCookies } from './cookies.js';

const NOW = 1_900_000_000;
const request = { rawHeaders: [], host: 'app.example', protocol: 'https' };
const cookies = new BrowserCookies(browserOptions.resolve());

describe('cookies', () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    [undefined, undefined],
    [NOW + 600, 600],
    [NOW + 0.5, 1],
    [NOW - 1, 1],
    [NOW + 400 * 86_400 + 1, 34_560_000],
  ])('of a login that ends at %p last %p seconds', (endsAt, seconds) => {
    jest.useFakeTimers({ now: NOW * 1000 });
    expect(cookies.write(request, 'token', 'x', endsAt)).toBe(
      '__Host-kit-auth=x; Path=/; Secure; HttpOnly; SameSite=Lax' +
        (seconds === undefined ? '' : `; Max-Age=${seconds}`),
    );
  });

  const reading = (...lines: string[]) => {
    const rawHeaders = lines.flatMap((line) => ['Cookie', line]);
    const sent = { ...request, rawHeaders };
    return { token: () => cookies.read(sent, 'token'), isThere: cookies.has(sent, 'token') };
  };
  const COOKIE = '__Host-kit-auth=a.b-c';

  it.each([
    [COOKIE],
    [`__proto__=1; constructor=x; ${COOKIE}; __proto__=2; ="; kit-auth=x; __host-kit-auth=y`],
    [`other="a;\t${COOKIE}; b"`],
    [`\u00a0__Host-kit-auth=x; ${COOKIE}; \u00a0__Host-kit-auth=x; \u0085__Host-kit-auth=x`],
    ['a=1', COOKIE, 'b=2'],
    [`${COOKIE}; a=${'x'.repeat(14_000)}`],
  ])('are read, whatever else there is: %j', (...lines) => {
    const { token, isThere } = reading(...lines);
    expect([token(), isThere]).toEqual(['a.b-c', true]);
  });

  it.each([
    ['__proto__', '__proto__'],
    ['an equals sign', 'a=b'],
    ['15 KB', 'x'.repeat(15_000)],
  ])('are read as they are: %s', (_what, value) => {
    const { token, isThere } = reading(`__Host-kit-auth=${value}`);
    expect([token(), isThere]).toEqual([value, true]);
  });

  it.each(['other=1', '__Host-kit-auth=', `other${COOKIE}`, '__proto__=1'])('are not in %j', (line) => {
    const { token, isThere } = reading(line);
    expect([token(), isThere]).toEqual([undefined, false]);
  });

  it.each([[`__Host-kit-auth=x; ${COOKIE}`], [`${COOKIE}; __Host-kit-auth=`], [COOKIE, '__Host-kit-auth=x']])(
    'that come twice are refused: %j',
    (...lines) => {
      const { token, isThere } = reading(...lines);
      expect(token).toThrow(expect.objectContaining({ code: 40101, reason: 'malformed' }));
      expect(isThere).toBe(true);
    },
  );

  it('with tokens that no cookie can carry are not written', () => {
    const longest = 4096 - '__Host-kit-auth'.length;
    expect(cookies.write(request, 'token', 'x'.repeat(longest))).toContain('xx; Path=/');
    for (const token of ['x'.repeat(longest + 1), 'a b', 'a;b', 'a,b', 'a"b', 'a\\b', '\u00e4']) {
      expect(() => cookies.write(request, 'token', token)).toThrow(expect.objectContaining({ code: 50300 }));
    }
  });

  it('lack Secure for localhost alone, where that is switched on', () => {
    const insecure = new BrowserCookies(
      browserOptions.resolve({ insecureLocalhost: true, sameSite: 'strict' }),
    );
    const written = (host: string, protocol = 'http') =>
      insecure.write({ ...request, host, protocol }, 'remember', '1');
    for (const host of ['localhost', 'localhost:3000', '127.0.0.1', '[::1]:80']) {
      expect(written(host)).toBe('kit-auth-remember=1; Path=/; HttpOnly; SameSite=Strict');
    }
    const secure = '__Host-kit-auth-remember=1; Path=/; Secure; HttpOnly; SameSite=Strict';
    for (const host of ['app.example', 'localhost.example', 'a.localhost', '127.0.0.2', 'localhost:']) {
      expect(written(host)).toBe(secure);
    }
    expect(written('localhost', 'https')).toBe(secure);
  });
});
