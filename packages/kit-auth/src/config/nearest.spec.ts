import { describe, expect, it } from '@jest/globals';
import { editDistance } from '../ports/port.check.js';
import { nearest } from './nearest.js';

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

describe('nearest', () => {
  const candidates = [
    'KIT_AUTH_JWT_SECRET',
    'KIT_AUTH_JWT_EXPIRE_HOURS',
    'KIT_AUTH_SESSION_IDLE_MINUTES',
    'KIT_AUTH_STRICT',
  ];

  it.each([
    ['KIT_AUTH_JWT_SECRT', 'KIT_AUTH_JWT_SECRET'],
    ['KIT_AUTH_JWT_SECERT', 'KIT_AUTH_JWT_SECRET'],
    ['KIT_AUTH_STRIKT', 'KIT_AUTH_STRICT'],
    ['KIT_AUTH_JWT_EXPIRE_HOUR', 'KIT_AUTH_JWT_EXPIRE_HOURS'],
    ['KIT_AUTH_STRICT_MODE', 'KIT_AUTH_STRICT'],
    ['KIT_AUTH_IDLE_MINUTES', 'KIT_AUTH_SESSION_IDLE_MINUTES'],
    ['KIT_AUTH_SECRET', 'KIT_AUTH_JWT_SECRET'],
    ['KIT_AUTH_STRICTLY', 'KIT_AUTH_STRICT'],
    ['KIT_AUTH_STRICTEST', undefined],
    ['KIT_AUTH_JWT_SCRET_KEY', undefined],
    ['KIT_AUTH_OTHER', undefined],
  ])('to %s is %s', (name, meant) => {
    expect(nearest(name, candidates)).toBe(meant);
  });
});
