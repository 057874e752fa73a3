import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { withChecksum } from 'kit-auth/tools';
import { hashOfKey, idOfKey, isHash, isKeyId, newKey } from './key-token.js';

describe('a key', () => {
  it('names itself, and its hash does not give it away', () => {
    const { id, key } = newKey();
    expect(key).toMatch(/^kapk_[0-9a-z]{13}_[\w-]{43}_[0-9a-z]{7}$/);
    expect(idOfKey(key)).toBe(id);
    expect(isKeyId(id)).toBe(true);
    expect(hashOfKey(key)).toMatch(/^[0-9a-f]{64}$/);
    expect(isHash(hashOfKey(key), hashOfKey(key))).toBe(true);
    expect(isHash(hashOfKey(newKey().key), hashOfKey(key))).toBe(false);
    expect(isHash('', hashOfKey(key))).toBe(false);
    expect(isHash('\u00e9'.repeat(64), hashOfKey(key))).toBe(false);
  });

  it('cannot be misread: any change of it is noise', () => {
    const { key } = newKey();
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(...'abzAZ019_-. \0'.split('')), (at, character) => {
        fc.pre(key[at] !== character);
        expect(idOfKey(key.slice(0, at) + character + key.slice(at + 1))).toBeUndefined();
      }),
    );
    for (const other of [key.toUpperCase(), key.toLowerCase(), ` ${key}`, `${key} `, `${key}\n`, key + key]) {
      expect(idOfKey(other)).toBeUndefined();
    }
  });

  it('is unlike any text that is none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^kapk_[0-9a-z]{13}_[\w-]{43}_\w{7}$/)), (text) => {
        expect(idOfKey(text)).toBeUndefined();
      }),
    );
    expect(idOfKey('kapk_'.padEnd(12_288, 'a'))).toBeUndefined();
  });

  it('has one form, also with a right checksum', () => {
    const { id, key } = newKey();
    const secret = key.slice(19, 62);
    expect(idOfKey(withChecksum(`kapk_${id}_${secret}`))).toBe(id);
    for (const body of [
      `kapk_${id}_${secret.slice(0, 42)}`,
      `kapk_${id}_${secret.slice(0, 42)}B`,
      `kapk_${id.toUpperCase().replace(/^./, 'A')}_${secret}`,
      `kapk_lock.${id}_${secret}`,
      `kapk_${key}`,
    ]) {
      expect([body, idOfKey(withChecksum(body))]).toEqual([body, undefined]);
    }
    expect(idOfKey(`${key.slice(0, -8)}${'_0'.repeat(6000)}`)).toBeUndefined();
  });

  it.each([
    '',
    'A'.repeat(13),
    'a'.repeat(12),
    'a'.repeat(14),
    'aaaaaaaaaaaa\0',
    'aaaaaaaaaaaaa\n',
    'lock.1',
  ])('has no id such as %j', (text) => expect(isKeyId(text)).toBe(false));
});
