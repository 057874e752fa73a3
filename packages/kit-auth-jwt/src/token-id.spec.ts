import { describe, expect, it } from '@jest/globals';
import { isBoundTo, newTokenId } from './token-id.js';

describe('the id of a token', () => {
  it('is a random UUID', () => {
    const ids = Array.from({ length: 1000 }, () => newTokenId('stamp'));
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    }
  });

  it('tells the stamp that it was made for from any other', () => {
    const id = newTokenId('stamp');
    expect(isBoundTo(id, 'stamp')).toBe(true);
    expect(isBoundTo(id, 'other')).toBe(false);
    expect(isBoundTo(id, '')).toBe(false);
    expect(isBoundTo(newTokenId(''), '')).toBe(true);
  });

  it.each(['', 'x', 'jti', '0'.repeat(32), crypto.randomUUID(), newTokenId('stamp').toUpperCase()])(
    'is of no stamp where it was made by nobody here: %j',
    (id) => expect(isBoundTo(id, 'stamp')).toBe(false),
  );
});
