import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { describeError, kindOf, plainText, stackOf } from './describe.js';

describe('plainText', () => {
  it.each([
    ['a Persian name with a zero-width non-joiner', '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627'],
    ['a Sinhala name with a zero-width joiner', '\u0dc1\u0dca\u200d\u0dbb\u0dd3'],
    ['an emoji of several', '\u{1f469}\u200d\u{1f4bb}'],
    ['a flag with tag characters', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
    ['marks of direction', 'a\u200e\u05d0\u200f\u061c'],
    ['decomposed letters', 'E\u0301mile'],
    ['soft hyphens and other invisible characters', 'a\u00ad\u200b\u2060\ufeffb'],
    ['a letter for private use', '\ue000'],
  ])('keeps %s', (_what, text) => {
    expect(plainText(text)).toBe(text);
  });

  it.each([
    ['line breaks', 'a\r\nb', 'a??b'],
    ['an escape sequence', '\u001b[31mred', '?[31mred'],
    ['C1 controls', 'a\u0085\u009bb', 'a??b'],
    ['NUL and DEL', 'a\0\u007fb', 'a??b'],
    ['separators', 'a\u2028b\u2029c', 'a?b?c'],
    ['embeddings and overrides', '\u202aa\u202bb\u202cc\u202dd\u202ee', '?a?b?c?d?e'],
    ['isolates', '\u2066a\u2067b\u2068c\u2069', '?a?b?c?'],
    ['lone surrogates', '\ud83da\ude00', '?a?'],
  ])('replaces %s', (_what, text, expected) => {
    expect(plainText(text)).toBe(expected);
    expect(plainText(expected)).toBe(expected);
  });

  it('cuts at 255 code units and leaves no half of a character', () => {
    expect(plainText('x'.repeat(300))).toBe('x'.repeat(255));
    expect(plainText(`${'x'.repeat(254)}\u{1f600}`)).toBe(`${'x'.repeat(254)}?`);
  });
});

describe('describeError', () => {
  it.each<[string, unknown, string]>([
    ['an error', new RangeError('too long'), 'RangeError: too long'],
    ['an error of another realm', runInNewContext('new TypeError("x")'), 'TypeError: x'],
    ['a message of several lines', new Error('a\r\nb\tc'), 'Error: a b c'],
    ['a thrown string, which may be a secret', 'hunter2', 'string'],
    ['nothing', undefined, 'undefined'],
  ])('describes %s in one line', (_what, thrown, text) => {
    expect(describeError(thrown)).toBe(text);
  });
});

describe('stackOf', () => {
  it.each([new TypeError('x'), new ReferenceError('x'), new RangeError('x'), new SyntaxError('x')])(
    'shows where a mistake is, without its message: %s',
    (mistake) => {
      mistake.message = 'hunter2';
      const [stack = '', ...others] = stackOf(mistake);
      const [name, ...calls] = stack.split('\n');
      expect([name, others]).toEqual([mistake.name, []]);
      expect(calls.length).toBeGreaterThan(0);
      calls.forEach((call) => expect(call).toMatch(/^ +at \S/));
    },
  );

  it('leaves lines of a message out that are no calls', () => {
    const mistake = new TypeError('x');
    mistake.stack = 'TypeError: first\n at\n  hunter2 at x\n    at a (b.js:1:2)\n    at ';
    expect(stackOf(mistake)).toEqual(['TypeError\n    at a (b.js:1:2)']);
    delete mistake.stack;
    expect(stackOf(mistake)).toEqual(['TypeError']);
  });

  it.each([[new Error('x')], ['TypeError'], [undefined], [{ name: 'TypeError', stack: 'x' }]])(
    'is empty for anything else: %p',
    (thrown) => expect(stackOf(thrown)).toEqual([]),
  );
});

describe('kindOf', () => {
  it.each<[unknown, string]>([
    [null, 'null'],
    [undefined, 'undefined'],
    [[], 'a list'],
    [{}, 'an object'],
    [Promise.resolve(), 'a promise'],
    [{ then: 1 }, 'an object'],
    ['hunter2', 'a string'],
    [7, 'a number'],
    [false, 'a boolean'],
    [() => 1, 'a function'],
  ])('of %p is %j', (value, kind) => {
    expect(kindOf(value)).toBe(kind);
  });
});
