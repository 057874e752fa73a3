import { describe, expect, it } from '@jest/globals';
import { editDistance } from './edit-distance.js';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', 'abc', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['abc', 'abxc', 1],
    ['abxc', 'abc', 1],
    ['abc', 'axc', 1],
    ['abc', 'bac', 1],
    ['abc', 'acb', 1],
    ['abcd', 'badc', 2],
    ['ca', 'abc', 3],
    ['abc', 'xyz', 3],
    ['kitten', 'sitting', 3],
    ['aab', 'bab', 1],
    ['ab', 'ba', 1],
    ['xab', 'xba', 1],
    ['abab', 'baba', 2],
  ])('between %j and %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});
