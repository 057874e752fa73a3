import { describe, expect, it } from '@jest/globals';
import { deviceNameFrom, isDisplayName, nicknameFrom } from './display-name.js';

const refusal = expect.objectContaining({ code: 40000 });

describe('a display name', () => {
  it.each(['Phone', 'Ada’s 📱', 'नमस्ते', '👩‍💻', 'a b', 'x'.repeat(64)])('can be %j', (name) => {
    expect(isDisplayName(name, 64)).toBe(true);
    expect([deviceNameFrom, nicknameFrom].map((read) => read(` ${name} `))).toEqual([name, name]);
  });

  it.each<[string, unknown[]]>([
    ['no text', [7, null, ['Phone'], {}]],
    ['empty or too long', ['', '  ', 'x'.repeat(256)]],
    ['invisible', ['x\u202eb', '\u2066x', '\u200d', '\u0301']],
    ['no line of text', ['a\u0000b', 'a\nb', '\ud800']],
  ])('cannot be %s', (_what, names) => {
    for (const name of names) {
      expect(isDisplayName(name, 64)).toBe(false);
      expect(() => deviceNameFrom(name)).toThrow(refusal);
      expect(() => nicknameFrom(name)).toThrow(refusal);
    }
  });

  it('has its spaces removed by the reader of a device or nickname alone', () => {
    for (const name of [' x', 'x ', 'x'.repeat(65)]) {
      expect(isDisplayName(name, 64)).toBe(false);
    }
    expect(() => deviceNameFrom('x'.repeat(65))).toThrow(refusal);
    expect(nicknameFrom('x'.repeat(255))).toHaveLength(255);
  });

  it('is needed for a device, and not for a user', () => {
    expect(() => deviceNameFrom(undefined)).toThrow(refusal);
    expect(nicknameFrom(undefined)).toBeUndefined();
  });
});
