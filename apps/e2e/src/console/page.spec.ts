import { describe, expect, it } from '@jest/globals';
import { Controller, Get, type INestApplication, RequestMethod, VersioningType } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { documentKitAuth } from 'kit-auth/openapi';
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

@Controller('auth-console')
class AtThePath {
  @Get()
  get() {}
}

describe.each(BOTH)('the page of the console on %s', (platform) => {
  const app = sharedTestApp(new ConsoleApp({ platform, extras: ALL_EXTRAS }));

  it('is at the path', async () => {
    const { status, headers, text } = await app.request('/auth-console?q=a.b');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
    expect(found(text, '/auth-console')).toMatchObject({ base: '/auth-console/', api: '/' });
  });

  it('answers HEAD without a body, no other method, and 404 for unknown files with the same headers', async () => {
    const head = await app.request('/auth-console', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers).toMatchObject(HEADERS);
    expect((await app.request('/auth-console', { method: 'POST' })).status).toBe(404);
    const none = await app.request('/auth-console/assets/x/page.js');
    expect([none.status, none.headers, none.text.includes('<html')]).toEqual([
      ...[404, expect.objectContaining(HEADERS), false],
    ]);
  });

  it('has files that may be kept for ever', async () => {
    const { text } = await app.request('/auth-console');
    const files = [...new Set([...text.matchAll(/(?:href|src)="?(assets\/[^">]+)/g)].map(([, url]) => url!))];
    for (const file of [...files, files[0]!.replace(/[^/]+$/, 'de.json')]) {
      const { status, headers } = await app.request(`/auth-console/${file}`);
      expect([file, status]).toEqual([file, 200]);
      const cached = { 'cache-control': 'public, max-age=31536000, immutable' };
      expect(headers).toMatchObject({ ...HEADERS, ...cached });
    }
    const folder = `/auth-console/${files[0]!.slice(0, files[0]!.lastIndexOf('/'))}`;
    const head = await app.request(`${folder}/page.js`, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['..%2f..%2fpackage.json', '../../../package.json', '%70age.js']) {
      const none = await app.request(`${folder}/${name}`);
      expect([none.status, none.text]).toEqual([404, expect.not.stringMatching(/kit-auth-console|import /)]);
    }
  });

  it('is not in the OpenAPI document, which describes its endpoints', () => {
    const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    documentKitAuth(document, app.nest);
    expect(Object.keys(document.paths).filter((path) => path.includes('console'))).toEqual([
      '/v1/api/auth/console',
      '/v1/api/auth/console/users/{id}',
    ]);
  });
});

it.each(['express', 'fastify with loose routing'] as const)(
  'the page on %s is found with a slash at the end, too',
  async (platform) => {
    const app = await new ConsoleApp({ platform }).start();
    for (const path of ['/auth-console', '/auth-console/']) {
      const { status, text } = await app.request(path);
      expect([path, status, found(text, path).base]).toEqual([path, 200, '/auth-console/']);
    }
  },
);

describe.each(BOTH)('an application with a console on %s', (platform) => {
  it('may have headers and versions of its own, and wrap its answers', async () => {
    const configure = (nest: INestApplication) => {
      nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '7' });
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
    const { script, api } = found(text, '/auth-console');
    expect(api).toBe('/');
    expect((await app.request(script)).headers).toMatchObject({
      ...HEADERS,
      'cache-control': expect.stringContaining('immutable'),
    });
  });

  it.each([
    ['with a global prefix and a longer path', { path: '/internal/admin' }, [], '/api/internal/admin/'],
    ['excluded from it', { path: '/admin' }, ['admin', 'admin/{*path}'], '/admin/'],
  ] as const)('may have it %s', async (_, options, exclude, base) => {
    const configure = (nest: INestApplication) =>
      nest.setGlobalPrefix('api', {
        exclude: exclude.map((path) => ({ path, method: RequestMethod.GET })),
      });
    const app = await new ConsoleApp({ platform, console: options, configure }).start();
    const path = base.slice(0, -1);
    const { status, text } = await app.request(path);
    expect(status).toBe(200);
    const places = found(text, path);
    expect(places).toMatchObject({ base, api: '/api/' });
    expect((await app.request(places.script)).status).toBe(200);
    // A proxy that takes `/team` off: the browser's URLs have it, the application's do not.
    expect(found(text, `/team${path}`)).toMatchObject({ base: `/team${base}`, api: '/team/api/' });
    expect((await app.request('/api/v1/api/auth/console', { token: 'x' })).json.code).toBe(40101);
  });

  it('has none while kit.auth.enabled is false', async () => {
    const app = await new ConsoleApp({ platform, options: { enabled: false } }).start();
    expect((await app.request('/auth-console')).status).toBe(404);
  });
});

it('an application with a route at the path, behind its prefix, fails at start-up', async () => {
  const configure = (nest: INestApplication) => void nest.setGlobalPrefix('api');
  const starting = new ConsoleApp({ platform: 'express', controllers: [AtThePath], configure }).start();
  await expect(starting).rejects.toThrow('where the application has the route GET /api/auth-console');
});
