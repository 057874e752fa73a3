import { afterEach, describe, expect, it } from '@jest/globals';
import { isAllowed, returnToProblem } from './return-to.js';

const before = process.env['NODE_ENV'];
afterEach(() => {
  process.env['NODE_ENV'] = before;
});

describe('the option returnTo', () => {
  it.each<[unknown, string]>([
    [[], 'must be a list of the URLs of your own pages'],
    [['/login'], 'has at position 1 a URL that must be absolute'],
    [['https://b\u00fccher.example'], 'written as browsers do: https://xn--bcher-kva.example/'],
    [['https://app.example.com/?x'], 'has at position 1 a URL that must not have a query'],
    [
      ['https://app.example.com', 'javascript:alert(1)'],
      'has at position 2 a URL that must have https, or the scheme',
    ],
    [['com.example.app:/login#x'], 'written as browsers do, without a fragment'],
  ])('is not %j', (list, problem) => {
    expect(returnToProblem(list)).toContain(problem);
  });

  it('may have http for localhost, but not in production', () => {
    expect(returnToProblem(['http://localhost:3000', 'com.example.app:/login'])).toBeUndefined();
    process.env['NODE_ENV'] = 'production';
    expect(returnToProblem(['http://localhost:3000'])).toBe(
      'has at position 1 a URL that must be an https URL in production',
    );
  });
});

describe('returnTo', () => {
  const [PAGE, APP] = ['https://app.example.com/login', 'com.example.app:/login'];
  const LIST = [PAGE, 'https://app.example.com/area/', 'https://localhost/login', APP];

  it.each([
    'https://app.example.com/login',
    'https://app.example.com/login/done?x=1',
    'https://app.example.com/login?next=%2Fnotes',
    'https://app.example.com/area/',
    'https://app.example.com/area/x',
    'com.example.app:/login',
  ])('may be %s', (url) => {
    expect(isAllowed(url, LIST)).toBe(true);
  });

  it.each([
    '//evil.example/login',
    'https://app.example.com/',
    'https://app.example.com/loginx',
    'https://app.example.com/login/../x',
    'https://app.example.com/login/..%2F..%2Fx',
    'https://app.example.com/login/..%5cx',
    'https://app.example.com/login#x',
    'https://app.example.com/login\\@evil.example',
    'https://app.example.com/login\r\nx: y',
    'https://ada@app.example.com/login',
    'https://app.example.com:8443/login',
    'https://APP.example.com/login',
    'http://app.example.com/login',
    'http://localhost/login',
    'com.example.app:/login?x',
    'com.example.app://login',
    `https://app.example.com/login?${'x'.repeat(1024)}`,
  ])('must not be %j', (url) => {
    expect(isAllowed(url, LIST)).toBe(false);
  });
});
