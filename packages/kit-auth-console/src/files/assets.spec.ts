import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { ConsoleCatalog } from '../config/catalogs.js';
import { readAssets } from './assets.js';
import { languageFiles } from './languages.js';
import { PAGE } from './packages.js';

const english = JSON.parse(readFileSync(`${PAGE}/languages/en.json`, 'utf8')) as Record<string, string>;
const { $direction: _direction, ...texts } = english;
const french: ConsoleCatalog = { ...texts, $tag: 'fr' };

describe('the files of the page', () => {
  const all = readAssets({ languages: ['en', 'de'] }, true);
  const contents = [...all.files.values()].map(({ content }) => content);

  it('are small', () => {
    const sum = (numbers: number[]) => numbers.reduce((total, it) => total + it, 0);
    expect(sum(contents.map((text) => Buffer.byteLength(text)))).toBeLessThan(210_000);
    expect(sum(contents.map((text) => gzipSync(text).length))).toBeLessThan(75_000);
  });

  it('are all that its modules import', () => {
    for (const name of all.modules) {
      const { content } = all.files.get(name)!;
      for (const [, imported] of content.matchAll(/(?:from |import\()'\.\/([^']+)'/g)) {
        expect([name, [...all.files.keys()]]).toEqual([name, expect.arrayContaining([imported])]);
      }
      expect(content).not.toContain('sourceMappingURL');
    }
    expect(all.modules.length).toBeGreaterThan(30);
  });

  it('include the client of passkeys only if users log in with them', () => {
    const without = readAssets({ languages: ['en', 'de'] }, false);
    expect([all, without].map(({ files }) => files.has('passkeys-client.js'))).toEqual([true, false]);
    expect(without.hash).not.toBe(all.hash);
  });

  it('have one address for the same contents, and another one for others', () => {
    expect(all.hash).toMatch(/^[\w-]{8}$/);
    expect(readAssets({ languages: ['en', 'de'] }, true).hash).toBe(all.hash);
    expect(readAssets({ languages: ['en'] }, true).hash).not.toBe(all.hash);
  });

  it('contain the texts of each language, and its sentences for errors', () => {
    for (const tag of ['en', 'de']) {
      const json = JSON.parse(all.files.get(`${tag}.json`)!.content) as Record<string, object>;
      expect(json).toEqual({
        direction: 'ltr',
        texts: expect.objectContaining({ language: expect.any(String) }),
        errors: expect.objectContaining({ 40101: expect.any(String) }),
      });
      expect(Object.keys(json['texts']!).filter((key) => key.startsWith('$'))).toEqual([]);
    }
  });

  it('may contain a language of the application', () => {
    const $errors = { '40101': 'سجّل الدخول مرة أخرى' };
    const arabic = { ...french, $tag: 'ar', $direction: 'rtl' as const, $errors };
    const files = languageFiles([arabic, 'de']);
    expect([...files.keys()]).toEqual(['ar', 'de']);
    const { errors } = JSON.parse(languageFiles(['en']).get('en')!) as { errors: object };
    expect(JSON.parse(files.get('ar')!)).toEqual({
      direction: 'rtl',
      texts,
      errors: { ...errors, ...$errors },
    });
  });

  it.each<[string, Partial<ConsoleCatalog>, string]>([
    ['unknown texts', { 'log-outt': 'x' }, 'it has the unknown "log-outt"'],
    ['no text', { skip: 7 }, 'has no text or plural forms in "skip"'],
    ['plural forms without other', { skip: { one: 'x' } }, 'has no text or plural forms in "skip"'],
    [
      'no placeholder',
      { 'dialog.about': 'Attention.' },
      'has other placeholders than English in "dialog.about"',
    ],
    ['errors without texts', { $errors: { 40110: { one: 'x' } } }, 'has no text in its $errors for "40110"'],
  ])('refuse a catalog with %s', (_, more, problem) => {
    const catalog = { ...french, ...more };
    expect(() => languageFiles(['en', catalog])).toThrow(problem.replace(/^it /, ''));
    expect(() => languageFiles([catalog])).toThrow('Its keys are those of page/languages/en.json');
  });

  it('take joiners and plural forms, and name the first twenty texts that a catalog lacks', () => {
    const catalog = { ...french, skip: 'می\u200cخواهم', yes: { one: '1', other: '2' } };
    expect(languageFiles([catalog]).size).toBe(1);
    expect(() => languageFiles([{ $tag: 'fr' }])).toThrow(
      /^kit\.auth\.console\.languages: the catalog "fr" lacks "skip", .* \d{3} more\. Its/,
    );
  });
});
