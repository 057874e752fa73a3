import { expect, it } from '@jest/globals';
import { abilitiesOf } from './stored-key.js';

it.each(['', '{', 'null', '"*"', '[7]', '{"0":"*"}'])(
  'a row with the abilities %j grants nothing',
  (abilities) => {
    expect(abilitiesOf({ abilities })).toEqual([]);
  },
);

it('a row grants the strings of its list', () => {
  expect(abilitiesOf({ abilities: '["note:read",7,"note:*"]' })).toEqual(['note:read', 'note:*']);
});
