import { describe, expect, it } from '@jest/globals';
import { kindOf } from './kind-of.js';

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
