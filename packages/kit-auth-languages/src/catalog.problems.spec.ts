import { describe, expect, it } from '@jest/globals';
import { catalogProblems } from './catalog.problems.js';

const polish = {
  one: '{count} znak.',
  few: '{count} znaki.',
  many: '{count} znaków.',
  other: '{count} znaku.',
};
const SHORT = '40000.password-too-short';

describe('a catalog', () => {
  it.each([
    ['fr', { $language: 'Français', $direction: 'ltr', '40110': 'Réessayez.', 'factor.totp': 'Code' }],
    ['fr', { '40101.idle': 'Reconnectez-vous.', '40350': 'Acceptez.', '40350.new-terms': 'Acceptez.' }],
    ['fr', { [SHORT]: { one: '{count} caractère.', other: '{count} caractères.' } }],
    ['pl', { [SHORT]: polish }],
    ['fa', { '40110': 'می\u200cتوانید دوباره تلاش کنید.' }],
    ['de', { '42900': ['In {duration} noch einmal.', 'Später noch einmal.'] }],
  ])('is right: %s %j', (tag, catalog) => {
    expect(catalogProblems(tag, catalog)).toEqual([]);
  });

  const { few: _few, ...withoutFew } = polish;
  it.each<[string, string, object, string]>([
    ['a code that does not exist', 'de', { '40199x': 'X.' }, '"40199x" is not a valid key'],
    [
      'a member of objects',
      'de',
      JSON.parse('{"__proto__":"X."}') as object,
      '"__proto__" is not a valid key',
    ],
    ['a wrong direction', 'de', { $direction: 'up' }, "\"$direction\" must be 'ltr' or 'rtl'"],
    ['no string', 'de', { '40110': 7 }, '"40110" must be a string, a list of them, or an object with plural'],
    ['an empty list', 'de', { '40110': [] }, '"40110" must have at least one sentence'],
    ['a list of something else', 'de', { '40110': ['X.', 7] }, '"40110" must be a string (sentence 2)'],
    ['a list of names', 'de', { 'role.editor': ['X'] }, '"role.editor" must be a string'],
    [
      'a list whose first sentence lacks a placeholder',
      'de',
      { '42900': ['Später.', 'In {duration}.'] },
      '"42900" lacks the placeholder {duration} (sentence 1)',
    ],
    ['plural forms of a name', 'de', { 'role.editor': { other: 'X' } }, '"role.editor" must be a string'],
    ['an empty sentence', 'de', { '40110': ' ' }, '"40110" must be a text without spaces'],
    ['a long sentence', 'de', { '40110': 'x'.repeat(301) }, '"40110" must have at most 300 characters'],
    ['HTML', 'de', { '40110': 'Nein. <b>Halt</b>' }, '"40110" must be plain text'],
    ['an override of the direction', 'de', { '40110': 'Nein\u202e.' }, 'the invisible character U+202E'],
    ['a filler', 'ko', { '40110': 'a\u3164b' }, 'the invisible character U+3164'],
    [
      'an unknown placeholder',
      'de',
      { '40110': 'Hallo {name}.' },
      '"40110" has an unknown placeholder: use {duration}',
    ],
    [
      'half a placeholder',
      'de',
      { '42900': 'In {duration noch einmal.' },
      '"42900" has an unknown placeholder',
    ],
    ['a missing placeholder', 'de', { '42900': 'Später.' }, '"42900" lacks the placeholder {duration}'],
    [
      'an unknown one of a plural',
      'de',
      { [SHORT]: { one: '{x}.', other: '{count}.' } },
      'unknown placeholder: use {duration}, {time}, {count}, {missing} (one)',
    ],
    [
      'a plural form of another language',
      'de',
      { [SHORT]: { few: '{count}.', one: 'x.', other: '{count}.' } },
      `"${SHORT}" has the plural form "few", but de has one, other`,
    ],
    [
      'a Polish plural without a form',
      'pl',
      { [SHORT]: withoutFew },
      `"${SHORT}" lacks the plural form few of pl`,
    ],
    [
      'a plural without other',
      'de',
      { [SHORT]: { one: '{count}.' } },
      `"${SHORT}" lacks the plural form other of de`,
    ],
  ])('is wrong: %s', (_what, tag, catalog, problem) => {
    const problems = catalogProblems(tag, catalog);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it.each([[null], ['x'], [[]], [undefined]])('is no catalog: %j', (value) => {
    expect(catalogProblems('de', value)).toEqual(['must be an object with sentences by code']);
  });
});
