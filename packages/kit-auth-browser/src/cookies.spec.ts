import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { browserOptions } from './config/browser.options.js';
import { BrowserCookies } from './cookies.js';

const NOW = 1_900_000_000;
const request = { rawHeaders: [], host: 'app.example', protocol: 'https' };
const cookies = new BrowserCookies(browserOptions.resolve());

describe('cookies', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    [undefined, undefined],
    [NOW + 600, 600],
    [NOW + 0.5, 1],
    [NOW - 1, 1],
    [NOW + 400 * 86_400, 34_560_000],
    [NOW + 400 * 86_400 + 1, 34_560_000],
    [Infinity, 34_560_000],
  ])('of a login that ends at %p last %p seconds', (endsAt, seconds) => {
    jest.useFakeTimers({ now: NOW * 1000 });
    expect(cookies.write(request, 'token', 'x', endsAt)).toBe(
      '__Host-kit-auth=x; Path=/; Secure; HttpOnly; SameSite=Lax' +
        (seconds === undefined ? '' : `; Max-Age=${seconds}`),
    );
  });
});
