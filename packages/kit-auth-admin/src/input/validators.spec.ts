import { describe, expect, it } from '@jest/globals';
import { validateSync } from 'class-validator';
import { IsListOf, IsName, IsText, MayBeAbsent } from './validators.js';

class Sample {
  @IsName(10)
  @MayBeAbsent()
  name?: unknown;

  @IsListOf('colors', (text) => text.startsWith('#'))
  @MayBeAbsent()
  colors?: unknown;

  @IsText('a digit', (text) => /^\d$/.test(text))
  @MayBeAbsent()
  digit?: unknown;
}

/** The messages of the rules that are broken. */
const broken = (fields: Sample) =>
  validateSync(Object.assign(new Sample(), fields)).flatMap(({ constraints = {} }) =>
    Object.values(constraints),
  );

describe('IsName', () => {
  it('accepts display names, and says what they are', () => {
    expect(broken({ name: 'x'.repeat(10) })).toEqual([]);
    for (const name of ['x'.repeat(11), 'a\nb', null]) {
      expect(broken({ name })).toEqual([
        'name must have 1 to 10 characters, without control characters, and without spaces at its beginning and end',
      ]);
    }
  });
});

describe('IsListOf', () => {
  const list = (length: number) => Array.from({ length }, (_, i) => `#${i}`);

  it.each([[[]], [['#a', '#b']], [list(100)]])('accepts %j', (colors) => {
    expect(broken({ colors })).toEqual([]);
  });

  it.each([['#a'], [['a']], [['#a', '#a']], [[1]], [list(101)], [null], [{ length: 0 }]])(
    'refuses %j',
    (colors) => {
      expect(broken({ colors })).toEqual(['colors must be a list of at most 100 different colors']);
    },
  );
});

describe('IsText', () => {
  it('accepts what the function accepts', () => {
    expect(broken({ digit: '7' })).toEqual([]);
    for (const digit of ['77', 7, null, ['7']]) {
      expect(broken({ digit })).toEqual(['digit must be a digit']);
    }
  });
});

describe('MayBeAbsent', () => {
  it('accepts undefined', () => {
    expect(broken({ name: undefined })).toEqual([]);
  });
});
