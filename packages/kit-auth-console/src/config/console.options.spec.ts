import { describe, expect, it } from '@jest/globals';
import { consoleOptions, type KitAuthConsoleOptions } from './console.options.js';

const catalog = { $tag: 'fr' };

describe('the options of the console', () => {
  it('have defaults', () => {
    expect(consoleOptions.resolve()).toMatchObject({
      problems: [],
      warnings: [],
      settings: {
        path: '/auth-console',
        title: 'Administration',
        languages: ['en', 'de'],
        home: '/',
        requireSecondFactor: false,
      },
    });
  });

  it.each<KitAuthConsoleOptions>([
    { path: '/a/b-c/D_4' },
    { path: '/v10' },
    { title: 'x'.repeat(60) },
    { title: '<b>Söhne & Töchter</b> 🎉' },
    { home: '/start?from=console&x=%20#top' },
    { languages: ['de'] },
    { languages: [catalog, 'en', { $tag: 'pt-BR', $direction: 'ltr', $errors: {} }] },
  ])('may be %j', (options) => {
    expect(consoleOptions.resolve(options).problems).toEqual([]);
  });

  it.each<[keyof KitAuthConsoleOptions, unknown, RegExp]>([
    ['path', '', /must be a non-blank string/],
    ['path', '/', /must be a path such as/],
    ['path', 'admin', /must be a path such as/],
    ['path', '/admin/', /must be a path such as/],
    ['path', '/admin//x', /must be a path such as/],
    ['path', '/:admin', /must be a path such as/],
    ['path', '/*', /must be a path such as/],
    ['path', '/a.b', /must be a path such as/],
    ['path', '/../a', /must be a path such as/],
    ['path', '/a b', /must be a path such as/],
    ['path', '/a\n', /must be a path such as/],
    ['path', 7, /must be a non-blank string/],
    ['path', '/v1', /must not begin with \/v1/],
    ['path', '/V1/admin', /must not begin with \/v1/],
    ['title', ' ', /must be a non-blank string/],
    ['title', 'x'.repeat(61), /1 to 60 characters/],
    ['title', 'a\nb', /without control characters/],
    ['title', 'a\u202eb', /without control characters/],
    ['home', 'start', /path of the same origin/],
    ['home', '//evil.example', /path of the same origin/],
    ['home', '/\\evil.example', /path of the same origin/],
    ['home', '/\t/evil.example', /path of the same origin/],
    ['home', 'https://evil.example', /path of the same origin/],
    ['home', 'javascript:alert(1)', /path of the same origin/],
    ['languages', [], /must be a list of languages: 'en' and 'de', or catalogs/],
    ['languages', 'en', /must be a list of languages/],
    ['languages', ['en', 'fr'], /position 2 a language that the package does not have/],
    ['languages', ['__proto__'], /position 1 a language that the package does not have/],
    ['languages', [7], /position 1 neither a language nor a catalog/],
    ['languages', [null], /position 1 neither a language nor a catalog/],
    ['languages', [{ $direction: 'ltr' }], /position 1 a catalog without a \$tag/],
    ['languages', [{ ...catalog, $tag: '../x' }], /position 1 a catalog without a \$tag/],
    ['languages', [{ ...catalog, $tag: 'page.css' }], /position 1 a catalog without a \$tag/],
    ['languages', [{ ...catalog, $tag: 'en-aa-bb' }], /position 1 a catalog without a \$tag/],
    ['languages', [{ ...catalog, $direction: 'up' }], /whose \$direction/],
    ['languages', [{ ...catalog, $errors: [] }], /whose \$errors/],
    ['languages', ['en', 'en'], /has a language twice/],
    ['languages', ['de', { ...catalog, $tag: 'de' }], /has a language twice/],
    ['requireSecondFactor', 'true', /must be the boolean/],
  ])('may not have %s %j', (key, value, problem) => {
    const { problems } = consoleOptions.resolve({ [key]: value });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems[0]).toMatch(new RegExp(`^kit\\.auth\\.console\\.${key} `));
    expect(problems[0]).not.toContain('evil');
  });
});
