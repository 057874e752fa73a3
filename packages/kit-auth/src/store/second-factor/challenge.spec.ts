import { expect, it } from '@jest/globals';
import { readChallenge } from './challenge.js';

it.each([
  { factors: {} },
  { factors: { password: 1 } },
  {
    factors: { password: 1 },
    expiresAt: 2,
    actor: { id: 7 },
    passed: ['pin'],
    first: 'link',
    memo: { x: 1 },
  },
])('a challenge can have the data %j', (data) => {
  expect(readChallenge(data)).toBe(data);
});

it.each([
  undefined,
  null,
  [],
  {},
  { password: 1 },
  { factors: { password: 'now' } },
  { factors: { password: -1 } },
  { factors: [] },
  JSON.parse('{"__proto__":{"factors":{"password":1}}}'),
  ...[
    { expiresAt: 'soon' },
    { expiresAt: -1 },
    { actor: 7 },
    { passed: 'pin' },
    { passed: [7] },
    { first: 7 },
    { memo: 'x' },
  ].map((wrong) => ({ factors: { password: 1 }, ...wrong })),
])('a challenge that was tampered with is none: %j', (data) => {
  expect(readChallenge(data)).toBeUndefined();
});
