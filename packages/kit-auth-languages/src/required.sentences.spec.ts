import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { AUTH_COMMAND, type AuthCommand, type AuthCommandContext, type KitAuthSettings } from 'kit-auth';
import type { DeclaredReasons } from 'kit-auth/feature';
import { testApp } from 'test-support';
import { de, en } from './catalogs.js';
import { LanguagesCheckCommand } from './languages-check.command.js';
import { languagesOptions } from './languages.options.js';
import { KitAuthLanguagesModule } from './kit-auth-languages.module.js';
import { RequiredSentences } from './required.sentences.js';

const { '40110': _missing, ...incomplete } = en;

function required(options: object = {}, reasons: Record<number, string[]> = {}, enabled = true) {
  const byCode = new Map(Object.entries(reasons).map(([code, all]) => [Number(code), new Set(all)]));
  return new RequiredSentences({ enabled } as KitAuthSettings, languagesOptions.resolve(options), {
    byCode: () => byCode,
  } as unknown as DeclaredReasons);
}

describe('the sentences that an application needs', () => {
  const TERMS = { 40101: ['asleep'], 40350: ['new-terms'] };

  it('are those of the package', () => {
    expect(() => required().onModuleInit()).not.toThrow();
  });

  it.each<[string, object, Record<number, string[]>, string]>([
    [
      'an incomplete fallback',
      { languages: { en: incomplete } },
      {},
      'kit.auth.languages.fallback is en, whose catalog lacks 40110. Add these sentences to kit.auth.languages.languages.en.',
    ],
    ['a fallback without declared reasons', {}, TERMS, 'whose catalog lacks 40101.asleep, 40350.new-terms.'],
    [
      'a reason that nobody gives',
      { languages: { en, fr: { '40101.asleep': 'X.' } } },
      {},
      'kit.auth.languages.languages.fr "40101.asleep" has a reason that no package gives.',
    ],
  ])('are missing with %s', (_what, options, reasons, message) => {
    expect(() => required(options, reasons).onModuleInit()).toThrow(message);
    expect(() => required(options, reasons, false).onModuleInit()).not.toThrow();
  });

  it('are there with those of the application', () => {
    const languages = {
      en: { ...en, '40101.asleep': 'Wake up.', '40350.new-terms': 'Read.' },
      fr: { '40350.x': 'X.' },
    };
    expect(() => required({ languages }, TERMS).onModuleInit()).not.toThrow();
  });
});

describe('kit-auth languages check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalogs-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, catalog: unknown) => {
    writeFileSync(join(folder, name), typeof catalog === 'string' ? catalog : JSON.stringify(catalog));
    return join(folder, name);
  };

  async function check(args: string[], options: AuthCommandContext['options'] = {}) {
    const printed: unknown[] = [];
    const output = {
      line: (text: string) => printed.push(text),
      json: (value: unknown) => printed.push(value),
    };
    const fail = (message: string, code = 1): never => {
      throw new Error(`${code} ${message}`);
    };
    const context = { args, options, output, fail } as unknown as AuthCommandContext;
    return [await new LanguagesCheckCommand(required()).run(context), ...printed];
  }

  it('is a command of applications that import the module', async () => {
    const app = await testApp({ imports: [KitAuthLanguagesModule] });
    const commands = app.nest.get<AuthCommand>(AUTH_COMMAND, { strict: false, each: true });
    expect(commands.flat().map(({ name }) => name)).toContain('languages check');
  });

  it('finds nothing wrong in a complete catalog', async () => {
    const complete = file('de.json', de);
    expect(await check([complete])).toEqual([0, `${complete} is complete.`]);
  });

  it('lists what is wrong, and what lacks', async () => {
    const { '40110': _ours, '40101.idle': _idle, ...rest } = de;
    const wrong = file('texts.json', { ...rest, '42900': 'Später.', '40101.asleep': 'X.' });
    const problems = [
      '"42900" lacks the placeholder {duration}',
      '"40101.asleep" has a reason that no package gives',
    ];
    expect(await check([wrong], { language: 'de' })).toEqual([
      ...[1, ...problems.map((problem) => `${wrong}: ${problem}`), `${wrong} lacks 40110`],
    ]);
    expect(await check([wrong], { language: 'de', json: true })).toEqual([
      1,
      { language: 'de', problems, missing: ['40110'] },
    ]);
    expect(await check([file('fr.json', {})])).toEqual(
      expect.arrayContaining([0, `${folder}/fr.json lacks 40110`]),
    );
  });

  it.each<[string[], AuthCommandContext['options'], string]>([
    [[], {}, '2 Name a file: kit-auth languages check <file>'],
    [['no_tag.json'], {}, '2 Name the language: kit-auth languages check <file> --language <tag>'],
    [['absent-fr.json'], { language: 'fr' }, '1 Error: ENOENT'],
    [[file('it.json', '[]')], {}, '1 Error: a catalog is an object with sentences by code'],
    [[file('nl.json', '{')], {}, '1 SyntaxError'],
  ])('refuses %j', async (args, options, message) => {
    await expect(check(args, options)).rejects.toThrow(message);
  });
});
