import { describe, expect, it } from '@jest/globals';
import { deviceNameFrom, isDisplayName, nicknameFrom } from './display-name.js';

const refusal = expect.objectContaining({ code: 40000 });

describe('a display name', () => {
  it.each(['Phone', 'Ada’s 📱', 'नमस्ते', '👩‍💻', 'a b', 'x'.repeat(64)])('can be %j', (name) => {
    expect([isDisplayName(name, 64), deviceNameFrom(` ${name} `), nicknameFrom(` ${name} `)]).toEqual([
      true,
      name,
      name,
    ]);
  });

  it.each([
    '',
    '  ',
    'a\u0000b',
    'a\nb',
    'x\u202eb',
    '\u2066x',
    '\u200d',
    '\u0301',
    '\ud800',
    'x'.repeat(256),
    7,
    null,
    ['Phone'],
    {},
  ])('cannot be %j', (name) => {
    expect(isDisplayName(name, 64)).toBe(false);
    expect(() => deviceNameFrom(name)).toThrow(refusal);
    expect(() => nicknameFrom(name)).toThrow(refusal);
  });

  it('has its spaces removed by the reader of a device or nickname alone', () => {
    expect([isDisplayName(' x', 64), isDisplayName('x ', 64), isDisplayName('x'.repeat(65), 64)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(() => deviceNameFrom('x'.repeat(65))).toThrow(refusal);
    expect(nicknameFrom('x'.repeat(255))).toHaveLength(255);
  });

  it('is needed for a device, and not for a user', () => {
    expect(() => deviceNameFrom(undefined)).toThrow(refusal);
    expect(nicknameFrom(undefined)).toBeUndefined();
  });
});
