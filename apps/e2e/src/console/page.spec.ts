import { describe, expect, it } from '@jest/globals';
import { type INestApplication, RequestMethod, VersioningType } from '@nestjs/common';
import { map } from 'rxjs';
import { BOTH, sharedTestApp } from 'test-support';
import { ALL_EXTRAS, ConsoleApp, metaOf } from './app.js';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'publickey-credentials-get=(self), publickey-credentials-create=(self)',
  'cache-control': 'no-store',
};

/** Where the page finds something, as a browser resolves it. */
function found(html: string, requested: string): { base: string; api: string; script: string } {
  const base = new URL(/<base href="([^"]*)">/.exec(html)![1]!, `https://app.example${requested}`);
  const script = /<script type="module" src="([^"]*)">/.exec(html)![1]!;
  return {
    base: base.pathname,
    api: new URL(metaOf(html, 'api'), base).pathname,
    script: new URL(script, base).pathname,
  };
}

describe.each(BOTH)('the page of the console on %s', (platform) => {
  const app = sharedTestApp(new ConsoleApp({ platform }));

  it.each(['', '/', '/users', '/users/', '/users/17', '/users/17/sessions', '/users/%3Cb%3E', '//users'])(
    'is at the path and below it: %j',
    async (below) => {
      const { status, headers, text } = await app.request(`/auth-console${below}?q=a.b`);
      expect(status).toBe(200);
      expect(headers).toMatchObject({ ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
      expect(found(text, `/auth-console${below}`)).toMatchObject({
        base: '/auth-console/',
        api: '/',
        script: expect.stringMatching(/^\/auth-console\/assets\/[\w-]{8}\/page\.js$/),
      });
    },
  );

  it('is complete, small, and has no script or style of its own', async () => {
    const { text } = await app.request('/auth-console');
    expect(Buffer.byteLength(text)).toBeLessThan(3000);
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toContain('<title>Administration</title>');
    expect(text).toContain('<div id="app"></div>');
    expect(text).toMatch(/<noscript>.*JavaScript.*lang="de".*JavaScript.*<\/noscript>/);
    expect([metaOf(text, 'home'), metaOf(text, 'languages')]).toEqual(['/', 'en de']);
    expect(text).not.toContain('name="passkeys"');
    expect(text).not.toMatch(/<style| style=|<script>| on\w+=/);
  });

  it.each([
    '/auth-console/users.html',
    '/auth-console/favicon.ico',
    '/auth-console/users/..',
    '/auth-console/.env',
    '/auth-console/assets',
    '/auth-console/a/b/c/d/e/f/g/h/i',
  ])('is not %s', async (path) => {
    const { status, headers, text } = await app.request(path);
    expect(status).toBe(404);
    expect(headers).toMatchObject(HEADERS);
    expect(text).not.toContain('<html');
  });

  it.each([
    '/AUTH-CONSOLE',
    '/Auth-Console/Users',
    '/%61uth-console',
    '/auth-console%2fusers',
    '/auth-console%00',
    '/auth-console;x',
    '//auth-console',
    '/x/../auth-console',
    '/auth-console\\users',
  ])('or nothing is what %s answers', async (path) => {
    const { status, text } = await app.request(path);
    expect([200, 400, 404]).toContain(status);
    expect(text.includes('<div id="app">')).toBe(status === 200);
  });

  it('answers HEAD without a body, and no other method', async () => {
    const head = await app.request('/auth-console/users', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers).toMatchObject(HEADERS);
    expect((await app.request('/auth-console', { method: 'POST' })).status).toBe(404);
  });

  it('contains nothing that was sent', async () => {
    const { text } = await app.request('/auth-console/%3Cscript%3E"canary/x?canary=1', {
      headers: [
        'X-Forwarded-Host: canary.example',
        'X-Forwarded-Prefix: /canary',
        'X-Forwarded-Proto: canary',
        'X-Original-URL: /canary',
        'Accept-Language: canary',
        'Cookie: __Host-kit-auth=canary',
      ],
    });
    expect(text).toContain('<div id="app">');
    expect(text).not.toMatch(/canary|localhost/);
  });
});

describe.each([
  ['express with strict routing', 200],
  ['fastify with loose routing', 200],
] as const)('the page on %s', (platform, status) => {
  it('is found with a slash at the end, too', async () => {
    const app = await new ConsoleApp({ platform }).start();
    for (const path of ['/auth-console', '/auth-console/', '/auth-console/users/']) {
      const answer = await app.request(path);
      expect(answer.status).toBe(status);
      expect(found(answer.text, path).base).toBe('/auth-console/');
    }
  });
});

describe.each(BOTH)('an application with a console on %s', (platform) => {
  it('may have headers of its own, which give way, and wrap its answers', async () => {
    const configure = (nest: INestApplication) => {
      nest.use((_: unknown, answer: { setHeader(name: string, value: string): void }, next: () => void) => {
        answer.setHeader('Content-Security-Policy', "default-src *; script-src 'unsafe-inline'");
        answer.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
        answer.setHeader('X-Frame-Options', 'SAMEORIGIN');
        answer.setHeader('Cache-Control', 'public');
        next();
      });
      nest.useGlobalInterceptors({
        intercept: (_, next) => next.handle().pipe(map((data: unknown) => ({ data }))),
      });
    };
    const app = await new ConsoleApp({ platform, configure }).start();
    const { headers, lines, text } = await app.request('/auth-console');
    expect(headers).toMatchObject({ ...HEADERS, 'x-frame-options': 'SAMEORIGIN' });
    expect(lines.filter((line) => /^content-security-policy:/i.test(line))).toHaveLength(1);
    expect(text).toMatch(/^<!doctype html>/);
    const { script } = found(text, '/auth-console');
    expect((await app.request(script)).headers).toMatchObject({
      ...HEADERS,
      'cache-control': expect.stringContaining('immutable'),
    });
  });

  it.each([
    ['with a global prefix', { path: '/admin' }, [], '/api/admin/', '/api/'],
    ['with a longer path', { path: '/internal/admin' }, [], '/api/internal/admin/', '/api/'],
    ['excluded from it', { path: '/admin' }, ['admin', 'admin/{*path}', 'admin/*'], '/admin/', '/api/'],
  ] as const)('may have it %s', async (_, options, exclude, base, api) => {
    const configure = (nest: INestApplication) =>
      nest.setGlobalPrefix('api', {
        exclude: exclude.map((path) => ({ path, method: RequestMethod.GET })),
      });
    const app = await new ConsoleApp({ platform, console: options, configure }).start();
    for (const below of ['', 'users/17']) {
      const path = below === '' ? base.slice(0, -1) : base + below;
      const { status, text } = await app.request(path);
      expect([path, status]).toEqual([path, 200]);
      const places = found(text, path);
      expect(places).toMatchObject({ base, api });
      expect((await app.request(places.script)).status).toBe(200);
      // A proxy that takes `/team` off: the browser's URLs have it, the application's do not.
      expect(found(text, `/team${path}`)).toMatchObject({ base: `/team${base}`, api: `/team${api}` });
    }
    const { json } = await app.request(`${api}v1/api/auth/login`, {
      method: 'POST',
      json: { username: 'admin', password: 'admin' },
    });
    expect((await app.request(`${api}v1/api/auth/console`, { token: json.token })).status).toBe(200);
  });

  it('may have versions in its URLs', async () => {
    const configure = (nest: INestApplication) =>
      void nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '7' });
    const app = await new ConsoleApp({ platform, configure }).start();
    const { status, text } = await app.request('/auth-console/users');
    expect([status, found(text, '/auth-console/users').api]).toEqual([200, '/']);
  });

  it('may have options of its own', async () => {
    const app = await new ConsoleApp({
      platform,
      extras: ALL_EXTRAS,
      console: {
        title: `<script>alert("1")</script> & 'Söhne'`,
        home: '/start?a=1&b="2"',
        languages: ['de'],
      },
    }).start();
    const { text } = await app.request('/auth-console');
    expect(text).toContain(
      '<title>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Söhne&#39;</title>',
    );
    expect(text).toContain('<meta name="home" content="/start?a=1&amp;b=&quot;2&quot;">');
    expect(text).toContain('<html lang="de">');
    expect([metaOf(text, 'languages'), metaOf(text, 'passkeys')]).toEqual(['de', 'passkeys-client.js']);
    expect(Buffer.byteLength(text)).toBeLessThan(3000);
  });

  it('has none while kit.auth.enabled is false', async () => {
    const app = await new ConsoleApp({ platform, options: { enabled: false } }).start();
    for (const path of ['/auth-console', '/auth-console/users', '/v1/api/auth/console']) {
      expect((await app.request(path)).status).toBe(404);
    }
  });
});

it('several applications in a process have it at different paths', async () => {
  const [one, other] = [
    await new ConsoleApp({ console: { path: '/one' } }).start(),
    await new ConsoleApp({ console: { path: '/other' } }).start(),
  ];
  expect((await one.request('/one/users')).status).toBe(200);
  expect((await other.request('/other/users')).status).toBe(200);
  expect((await one.request('/other')).status).toBe(404);
});
