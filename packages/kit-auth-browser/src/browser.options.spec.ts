import { afterEach, describe, expect, it } from '@jest/globals';
import { browserOptions, type KitAuthBrowserOptions } from './browser.options.js';

const { NODE_ENV } = process.env;

describe('the options of browsers', () => {
  afterEach(() => {
    process.env['NODE_ENV'] = NODE_ENV;
  });

  it.each<KitAuthBrowserOptions>([
    { origins: ['https://app.example', 'https://app.example:8443', 'https://xn--bcher-kva.example'] },
    { origins: ['http://localhost:5173', 'http://[::1]:3000'] },
    { bodyOrigins: ['capacitor://localhost', 'ionic://localhost', 'https://localhost', 'app://desk'] },
  ])('may be %j', (options) => {
    expect(browserOptions.resolve(options).problems).toEqual([]);
  });

  it.each<[string, unknown, RegExp]>([
    ['origins', 'https://app.example', /must be a list of exact origins such as https:\/\/app\.example/],
    ['origins', ['https://ok.example', 7], /position 2 no text/],
    ['origins', ['null'], /'null'/],
    ['origins', ['https://*.example'], /wildcard/],
    ['origins', ['https://app.example/'], /slash.*write https:\/\/app\.example$/],
    ['origins', ['https://app.example/shop'], /path.*write https:\/\/app\.example$/],
    ['origins', ['https://app.example:443'], /default port.*write https:\/\/app\.example$/],
    ['origins', ['https://App.example'], /lower case.*write https:\/\/app\.example$/],
    ['origins', ['https://b\u00fccher.example'], /punycode.*write https:\/\/xn--bcher-kva\.example$/],
    ['origins', [' https://app.example'], /write https:\/\/app\.example$/],
    ['origins', ['app.example'], /no exact origin/],
    ['origins', ['https://a:99999'], /no origin that a page can have/],
    ['origins', ['capacitor://localhost'], /name it in bodyOrigins/],
    ['bodyOrigins', ['capacitor://localhost/'], /no exact origin/],
  ])('may not have %s %j', (key, value, problem) => {
    const { problems } = browserOptions.resolve({ [key]: value });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems[0]).toMatch(new RegExp(`^kit\\.auth\\.browser\\.${key} `));
  });

  it('may not have insecureLocalhost in production', () => {
    process.env['NODE_ENV'] = 'production';
    expect(browserOptions.resolve({ insecureLocalhost: true }).problems).toEqual([
      expect.stringContaining('kit.auth.browser.insecureLocalhost must not be true with NODE_ENV=production'),
    ]);
    expect(browserOptions.resolve().problems).toEqual([]);
  });
});
