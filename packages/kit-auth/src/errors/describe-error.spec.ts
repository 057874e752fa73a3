import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { describeError, stackOf } from './describe-error.js';

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
