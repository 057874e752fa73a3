import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { ERROR_TEXTS } from 'kit-auth';
import { declareReasons } from 'kit-auth/extend';
import { de, en, KitAuthLanguagesModule, type KitAuthLanguagesOptions } from 'kit-auth-languages';
import { builtApp, DECORATE, kitAuth, type TestAppOptions, testApp } from 'test-support';

const start = (options: KitAuthLanguagesOptions, more: TestAppOptions = {}) =>
  testApp({ ...more, imports: [KitAuthLanguagesModule.forRoot(options), ...(more.imports ?? [])] });

@Module({ providers: [declareReasons({ 40101: ['asleep'], 40350: ['new-terms'] })] })
class TermsModule {}

describe('the options of kit-auth-languages', () => {
  const { '40110': _missing, ...incomplete } = en;

  it.each<[string, KitAuthLanguagesOptions, string]>([
    ['no catalogs', { languages: {} }, 'kit.auth.languages.languages must be an object with a catalog'],
    ['a list', { languages: [] as never }, 'kit.auth.languages.languages must be an object with a catalog'],
    [
      'a tag that is none',
      { languages: { en, 'de_AT!': de } },
      'kit.auth.languages.languages must have language tags',
    ],
    [
      'a misspelled tag',
      { languages: { en, 'de-at': de } },
      'kit.auth.languages.languages must have language tags',
    ],
    [
      'a fallback without a catalog',
      { languages: { de } },
      'kit.auth.languages.fallback must be one of the languages',
    ],
    ['another one', { fallback: 'fr' }, 'kit.auth.languages.fallback must be one of the languages'],
    [
      'a source that is none',
      { from: 'cookie' as never },
      "kit.auth.languages.from must be 'accept-language' or a function",
    ],
    [
      'a wrong key',
      { languages: { en, fr: { '40115': 'X.' } } },
      'kit.auth.languages.languages.fr "40115" is no key',
    ],
    [
      'HTML',
      { languages: { en, fr: { '40110': '<b>X</b>' } } },
      'kit.auth.languages.languages.fr "40110" must be plain text',
    ],
    [
      'a reason that nobody gives',
      { languages: { en, fr: { '40101.asleep': 'X.' } } },
      'kit.auth.languages.languages.fr "40101.asleep" has a reason that no package gives',
    ],
    [
      'an incomplete fallback',
      { languages: { en: incomplete } },
      'kit.auth.languages.fallback is en, whose catalog lacks 40110.',
    ],
  ])('with %s: start-up fails', async (_what, options, message) => {
    await expect(start(options)).rejects.toThrow(message);
  });

  it('need a sentence for each reason that a module declares', async () => {
    const imports = [TermsModule];
    await expect(start({}, { imports })).rejects.toThrow('lacks 40101.asleep, 40350.new-terms.');
    const languages = { en: { ...en, '40101.asleep': 'Wake up.', '40350.new-terms': 'Read the terms.' } };
    await start({ languages }, { imports });
  });

  it('refuse a second import, and a second source of sentences', async () => {
    const second = [KitAuthLanguagesModule.forRoot({ fallback: 'de' })];
    await expect(start({}, { imports: second })).rejects.toThrow('There is more than one ErrorTextSource');
    const providers = [
      { provide: ERROR_TEXTS, useValue: { textOf: () => undefined, languageOf: () => 'en' } },
    ];
    await expect(start({}, { providers })).rejects.toThrow('There is more than one ErrorTextSource');
    const incomplete = [{ provide: ERROR_TEXTS, useValue: {} }];
    await expect(testApp({ providers: incomplete })).rejects.toThrow('it lacks textOf, languageOf');
  });

  it('are not looked at while kit-auth is off', async () => {
    await start({ languages: { en: incomplete } }, { options: { enabled: false } });
  });

  it('do not let anybody change the catalogs of the package', () => {
    expect(() => Object.assign(en, { '40110': 'changed' })).toThrow(TypeError);
    expect(() => Object.assign(de['40000.password-too-short'] as object, { one: 'changed' })).toThrow(
      TypeError,
    );
  });
});

const MODULE = `
import { Module } from '@nestjs/common';
import { AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { KitAuthLanguagesModule } from 'kit-auth-languages';
import { decorate } from './decorate.js';

class Store { async findByUsername() {} async loadLoginUser() {} async stampOf() {} }
class UsersModule {}
decorate(UsersModule, Module({ providers: [{ provide: AUTH_USER_STORE, useClass: Store }] }));
export class AppModule {}
decorate(AppModule, Module({ imports: [KitAuthModule.forRoot({ users: UsersModule }), KitAuthJwtModule, KitAuthLanguagesModule] }));
`;

describe('kit-auth languages check', () => {
  const cwd = builtApp({ 'dist/decorate.js': DECORATE, 'dist/app.module.js': MODULE });
  const check = (...args: string[]) => kitAuth(['languages', 'check', ...args], { cwd });
  const file = (name: string, catalog: unknown) => {
    writeFileSync(join(cwd, name), typeof catalog === 'string' ? catalog : JSON.stringify(catalog));
    return join(cwd, name);
  };

  it('finds nothing wrong in a complete catalog', async () => {
    const complete = file('de.json', de);
    expect(await check(complete)).toEqual({ code: 0, stdout: `${complete} is complete.\n`, stderr: '' });
  });

  it('lists what is wrong, and what lacks', async () => {
    const { '40110': _missing, '40101.idle': _idle, ...rest } = de;
    const wrong = file('texts.json', { ...rest, '42900': 'Später.', '40101.asleep': 'X.' });
    expect(await check(wrong, '--language', 'de')).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse((await check(wrong, '--language', 'de', '--json')).stdout)).toEqual({
      language: 'de',
      problems: [
        '"42900" lacks the placeholder {duration}',
        '"40101.asleep" has a reason that no package gives',
      ],
      missing: expect.arrayContaining(['40110']),
    });
    const { code, stdout } = await check(file('fr.json', {}));
    expect([code, stdout]).toEqual([0, expect.stringContaining('fr.json lacks 40110\n')]);
  });

  it.each([
    [[], 2, 'Name a file: kit-auth languages check <file>'],
    [['no_tag.json'], 2, 'Name the language: kit-auth languages check <file> --language <tag>'],
    [['absent-fr.json', '--language', 'fr'], 1, 'ENOENT'],
  ])('refuses %j', async (args: string[], exitCode, message) => {
    const { code, stdout, stderr } = await check(...args);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('refuses a file without an object', async () => {
    expect(await check(file('it.json', '[]'))).toMatchObject({ code: 1, stdout: '' });
    expect(await check(file('nl.json', '{'))).toMatchObject({ code: 1, stdout: '' });
  });
});
