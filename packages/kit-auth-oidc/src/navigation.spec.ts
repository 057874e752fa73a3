import { describe, expect, it } from '@jest/globals';
import type { TransportRequest } from 'kit-auth';
import { isNavigation, prefersHtml } from './navigation.js';

const requestOf = (headers: Record<string, string> = {}, method = 'GET') =>
  ({ method, headers }) as unknown as TransportRequest;

describe('a request of a browser', () => {
  it.each<[string, Record<string, string>]>([
    ['an old browser', {}],
    [
      'a link',
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'cross-site' },
    ],
    ['something else than a prefetch', { 'x-moz': 'prefetch' }],
  ])('is a navigation of %s', (_what, headers) => {
    expect(isNavigation(requestOf(headers))).toBe(true);
  });

  it.each<[string, Record<string, string>]>([
    ['a prefetch', { 'sec-purpose': 'prefetch' }],
    ['a page that is rendered before', { 'sec-purpose': 'prefetch;prerender' }],
    ['a prefetch of an old browser', { purpose: 'prefetch' }],
    ['an image', { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }],
    ['a script', { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }],
    ...['iframe', 'frame', 'object', 'embed'].map((dest): [string, Record<string, string>] => [
      `of ${dest}`,
      { 'sec-fetch-dest': dest, 'sec-fetch-mode': 'navigate' },
    ]),
  ])('is none for %s', (_what, headers) => {
    expect(isNavigation(requestOf(headers))).toBe(false);
  });

  it.each(['HEAD', 'POST', 'OPTIONS'])('is none with %s', (method) => {
    expect(isNavigation(requestOf({}, method))).toBe(false);
  });

  it.each<[string | undefined, boolean]>([
    ['text/html,application/xhtml+xml', true],
    ['application/json', false],
    ['*/*', false],
    [undefined, false],
  ])('with Accept: %s gets a page: %s', (accept, isPage) => {
    expect(prefersHtml(requestOf(accept === undefined ? {} : { accept }))).toBe(isPage);
  });
});
