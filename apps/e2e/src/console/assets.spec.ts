import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { BOTH, sharedTestApp } from 'test-support';
import { ALL_EXTRAS, ConsoleApp, metaOf } from './app.js';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

/** The URLs of the files that the page names, and those that its modules load. */
async function filesOf(app: ConsoleApp): Promise<string[]> {
  const { text } = await app.request('/auth-console');
  const urls = [...text.matchAll(/(?:href|src)="?(assets\/[^">]+)/g)].map(
    ([, url]) => `/auth-console/${url}`,
  );
  const folder = folderOf(text);
  const languages = metaOf(text, 'languages').split(' ');
  return [...new Set([...urls, ...languages.map((tag) => `${folder}${tag}.json`)])];
}

const folderOf = (html: string) => `/auth-console/${/assets\/[\w-]+\//.exec(html)![0]}`;

describe.each(BOTH)('the files of the page on %s', (platform) => {
  const app = sharedTestApp(new ConsoleApp({ platform, extras: ALL_EXTRAS }));

  it('may be kept for ever', async () => {
    const files = await filesOf(app);
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const { status, headers, text } = await app.request(file);
      expect([file, status]).toEqual([file, 200]);
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': TYPES[file.split('.').at(-1) as string],
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(text).not.toContain('sourceMappingURL');
    }
    const head = await app.request(files[0]!, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('are all that its modules import', async () => {
    const files = await filesOf(app);
    const folder = files[0]!.slice(0, files[0]!.lastIndexOf('/') + 1);
    for (const file of files.filter((it) => it.endsWith('.js'))) {
      const { text } = await app.request(file);
      for (const [, name] of text.matchAll(/(?:from |import\()'([^']+)'/g)) {
        expect([file, files]).toEqual([file, expect.arrayContaining([name!.replace('./', folder)])]);
      }
    }
  });

  it('are small', async () => {
    const texts = await Promise.all((await filesOf(app)).map(async (file) => (await app.request(file)).text));
    const bytes = texts.map((text) => Buffer.byteLength(text));
    const zipped = texts.map((text) => gzipSync(text).length);
    expect(sum(bytes)).toBeLessThan(200_000);
    expect(sum(zipped)).toBeLessThan(60_000);
  });

  it('are found by their names alone', async () => {
    const folder = folderOf((await app.request('/auth-console')).text);
    const names = [
      '',
      'page.js/',
      'page.js.map',
      'Page.js',
      'page%2Ejs',
      '%70age.js',
      './page.js',
      'x/../page.js',
      '/page.js',
      'page.js%00',
      'page.js%00.css',
      'folder.cjs',
      'folder.d.cts',
      'languages/en.json',
      'languages%2fen.json',
      '..%2fpackage.json',
      '..%2f..%2f..%2f..%2fetc%2fpasswd',
      '..%5c..%5cpackage.json',
      '..\\package.json',
      '../../../package.json',
      '....//package.json',
      'package.json',
      'index.html',
      'constructor',
      '__proto__',
      'toString',
      'fr.json',
    ];
    for (const name of names) {
      const { status, headers, text } = await app.request(folder + name);
      expect([name, status]).toEqual([name, 404]);
      expect(headers['cache-control']).not.toContain('immutable');
      expect(text).not.toMatch(/kit-auth-console|root:|import /);
    }
    const upper = folder.toUpperCase();
    for (const path of [
      `${upper}page.js`,
      '/auth-console/assets/00000000/page.js',
      '/auth-console/assets//page.js',
      '/auth-console/assets/page.js',
      folder.replace('/assets', '//assets') + 'page.js',
    ]) {
      expect([path, (await app.request(path)).status]).toEqual([path, 404]);
    }
    const encoded = await app.request(folder.replace('assets', '%61ssets') + 'page.js');
    expect(encoded.status).toBe(404);
  });

  it('contain the texts of each language, and its sentences for errors', async () => {
    const folder = folderOf((await app.request('/auth-console')).text);
    for (const tag of ['en', 'de']) {
      const { json } = await app.request(`${folder}${tag}.json`);
      expect(json).toEqual({
        direction: 'ltr',
        texts: expect.objectContaining({ language: expect.any(String) }),
        errors: expect.objectContaining({ 40101: expect.any(String) }),
      });
      expect(Object.keys(json.texts).filter((key) => key.startsWith('$'))).toEqual([]);
    }
  });
});

describe('the files of the page', () => {
  it('include the client of passkeys only if users log in with them', async () => {
    const without = await new ConsoleApp().start();
    const { text } = await without.request('/auth-console');
    expect((await without.request(`${folderOf(text)}passkeys-client.js`)).status).toBe(404);
    const withThem = await new ConsoleApp({ extras: ['passkeys'] }).start();
    const page = (await withThem.request('/auth-console')).text;
    expect((await withThem.request(`${folderOf(page)}passkeys-client.js`)).status).toBe(200);
    expect(folderOf(page)).not.toBe(folderOf(text));
  });

  it('have one address for the same contents', async () => {
    const [one, same, other] = await Promise.all(
      [{}, { title: 'Other' }, { languages: ['en'] }].map(async (console) => {
        const app = await new ConsoleApp({ console }).start();
        return folderOf((await app.request('/auth-console')).text);
      }),
    );
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it('may contain a language of the application', async () => {
    const app = await new ConsoleApp().start();
    const folder = folderOf((await app.request('/auth-console')).text);
    const english = (await app.request(`${folder}en.json`)).json;
    const arabic = {
      ...english.texts,
      $tag: 'ar',
      $direction: 'rtl' as const,
      $errors: { '40101': 'سجّل الدخول مرة أخرى' },
    };
    const own = await new ConsoleApp({ console: { languages: [arabic, 'de'] } }).start();
    const page = (await own.request('/auth-console')).text;
    expect([metaOf(page, 'languages'), /<html lang="ar">/.test(page)]).toEqual(['ar de', true]);
    expect((await own.request(`${folderOf(page)}ar.json`)).json).toEqual({
      direction: 'rtl',
      texts: english.texts,
      errors: { ...english.errors, '40101': 'سجّل الدخول مرة أخرى' },
    });
    expect((await own.request(`${folderOf(page)}en.json`)).status).toBe(404);
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, it) => total + it, 0);
}
