import { describe, expect, it } from '@jest/globals';
import { NotFoundException } from '@nestjs/common';
import type { ConsoleApplication } from '../access/application.js';
import { consoleOptions, type KitAuthConsoleOptions } from '../config/console.options.js';
import { KitAuthConsolePageController } from './page.controller.js';
import { ConsolePage, wayTo } from './page.js';

/** What is answered: a status, headers by lower-case name, a body. */
function pageOf(
  options: KitAuthConsoleOptions = {},
  { root = '/', path = '/auth-console', passkeys = false } = {},
) {
  const application = { root, has: () => passkeys } as unknown as ConsoleApplication;
  const page = new ConsolePage(consoleOptions.resolve(options), application);
  page.prepare(path);
  const controller = new KitAuthConsolePageController(page);
  return (url: string) => {
    const headers: Record<string, string> = {};
    let text = '';
    const answer = {
      header: (name: string, value: string) => void (headers[name.toLowerCase()] = value),
      send: (body: string) => void (text = body),
    };
    const below = url.split('?')[0]!.slice(path.length + 1);
    try {
      controller[below.includes('/') ? 'file' : 'page']({ url }, answer);
      return { status: 200, headers, text };
    } catch (error) {
      expect(error).toBeInstanceOf(NotFoundException);
      return { status: 404, headers, text };
    }
  };
}

const get = pageOf();
const folder = `/auth-console/${/assets\/[\w-]+\//.exec(get('/auth-console').text)![0]}`;
const metaOf = (html: string, name: string) =>
  new RegExp(`<meta name="${name}" content="([^"]*)">`).exec(html)?.[1];

describe('the page', () => {
  it.each(['', '/', '?q=a.b/', '/?q'])('knows its own address: %j', (end) => {
    const { status, headers, text } = get(`/auth-console${end}`);
    const type = 'text/html; charset=utf-8';
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, 'no-store']);
    const requested = `https://app.example/auth-console${end}`;
    const base = new URL(/<base href="([^"]*)">/.exec(text)![1]!, requested);
    const script = /<script type="module" src="([^"]*)">/.exec(text)![1]!;
    expect([base.pathname, new URL(metaOf(text, 'api')!, base).pathname]).toEqual(['/auth-console/', '/']);
    expect(new URL(script, base).pathname).toBe(`${folder}page.js`);
  });

  it.each([
    ['/auth-console', '/', '../'],
    ['/api/auth-console', '/api/', '../'],
    ['/auth-console', '/api/', '../api/'],
    ['/api', '/api/', './'],
    ['/api/v2/console', '/api/v3/x/', '../../v3/x/'],
  ])('at %s is on the way to %s', (path, folder, expected) => {
    expect(wayTo(folder, path)).toBe(expected);
    expect(new URL(expected, `https://app.example${path}/`).pathname).toBe(folder);
  });

  it('is complete, small, and has no script or style of its own', () => {
    const { text } = get('/auth-console');
    expect(Buffer.byteLength(text)).toBeLessThan(3000);
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toContain('<title>Administration</title>');
    expect(text).toContain('<div id="app"></div>');
    expect(text).toMatch(/<noscript>.*needs JavaScript\..*lang="de".*benötigt JavaScript\..*<\/noscript>/);
    expect([metaOf(text, 'home'), metaOf(text, 'languages')]).toEqual(['/', 'en de']);
    expect(text).not.toContain('name="passkeys"');
    expect(text).not.toMatch(/<style| style=|<script>| on\w+=/);
  });

  it('contains nothing that was sent', () => {
    expect(get('/auth-console/?canary=1').text).not.toContain('canary');
  });

  it('may have options of its own', () => {
    const { text } = pageOf(
      { title: `<script>alert("1")</script> & 'Söhne'`, home: '/start?a=1&b="2"', languages: ['de'] },
      { root: '/api/', path: '/api/admin', passkeys: true },
    )('/api/admin/');
    expect(text).toContain(
      '<title>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Söhne&#39;</title>',
    );
    expect(text).toContain('<meta name="home" content="/start?a=1&amp;b=&quot;2&quot;">');
    expect(text).toContain('<html lang="de">');
    expect(['languages', 'passkeys', 'api'].map((it) => metaOf(text, it))).toEqual([
      ...['de', 'passkeys-client.js', '../'],
    ]);
  });
});

describe('the files of the page', () => {
  it.each([
    ['page.js', 'text/javascript; charset=utf-8'],
    ['page.css', 'text/css; charset=utf-8'],
    ['de.json', 'application/json; charset=utf-8'],
  ])('may be kept for ever: %s', (name, type) => {
    const { status, headers, text } = get(`${folder}${name}?x`);
    expect([status, text.length > 100]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
  });

  const OTHERS =
    'page.js/ page.js.map Page.js page%2Ejs %70age.js ./page.js x/../page.js /page.js page.js%00 page.js%00.css ' +
    'folder.cjs folder.d.cts languages/en.json languages%2fen.json ..%2fpackage.json ..%2f..%2f..%2fetc%2fpasswd ' +
    '..%5cpackage.json ..\\package.json fr.json ../../../package.json ....//package.json index.html constructor ' +
    '__proto__ toString passkeys-client.js';
  it.each(['', ...OTHERS.split(' ')])('are found by their names alone: %s', (name) => {
    const { status, text, headers } = get(folder + name);
    expect([status, text, headers['cache-control']]).toEqual([404, '', 'no-store']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it.each([
    `${folder.toUpperCase()}page.js`,
    '/auth-console/assets/00000000/page.js',
    '/auth-console/assets/page.js',
    `${folder.replace('assets', '%61ssets')}page.js`,
  ])('are found at their address alone: %s', (url) => {
    expect(get(url).status).toBe(404);
  });
});
