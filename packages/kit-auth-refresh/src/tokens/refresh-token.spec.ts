import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isOwnedBy } from 'kit-auth/login';
import {
  FamilySeal,
  hashOf,
  newSalt,
  newToken,
  readToken,
  successorOf,
  writeToken,
} from './refresh-token.js';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url');
const withChecksum = (body: string) => `${body}_${crc32(body).toString(36).padStart(7, '0')}`;

describe('a refresh token', () => {
  it('names its user and its login by a hash', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (userId) => {
        const made = newToken(userId);
        const text = writeToken(made);
        const [, owner, family, secret] = /^katr_([0-9a-z]+)_(.{22})_(.{43})_.{7}$/.exec(text) ?? [];
        expect(readToken(text)).toEqual(made);
        expect(owner).toBe(userId.toString(36));
        expect(made.id).toBe(`${owner}.${sha256(Buffer.from(family ?? '', 'base64url'))}`);
        expect(hashOf(made.secret)).toBe(sha256(Buffer.from(secret ?? '', 'base64url')));
        expect(isOwnedBy(made.id, userId)).toBe(true);
        expect(made.id).toMatch(/^[\w.-]{1,60}$/);
      }),
    );
  });

  it('names its login and no more, for a user with a text id', () => {
    const id = '0198f5a0-7c1b-7d3e-9a55-3f0c2b1a4d5e' as unknown as number;
    const made = newToken(id);
    expect(readToken(writeToken(made))).toEqual({ ...made, userId: undefined });
    expect(isOwnedBy(made.id, id)).toBe(true);
    expect(writeToken(made).length).toBeLessThanOrEqual(96);
  });

  it('is read in one spelling only', () => {
    const token = writeToken(newToken(7));
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'ABCxyz019-_.= \u00e9'), (at, character) => {
        fc.pre(token[at] !== character);
        expect(readToken(token.slice(0, at) + character + token.slice(at + 1))).toBeUndefined();
      }),
    );
    for (const added of ['A', '=', ' ', '\n', '\0', token]) {
      expect(readToken(token + added)).toBeUndefined();
      expect(readToken(added + token)).toBeUndefined();
    }
    for (let length = 0; length < token.length; length++) {
      expect(readToken(token.slice(0, length))).toBeUndefined();
    }
  });

  it.each([
    `katr_7_${'A'.repeat(21)}B_${'A'.repeat(43)}`, // unused bits
    `katr_7_${'A'.repeat(22)}_${'A'.repeat(42)}B`,
    `katr_0_${'A'.repeat(22)}_${'A'.repeat(43)}`,
    `katr_zik0zk_${'A'.repeat(22)}_${'A'.repeat(43)}`, // 2 ** 31
    `kats_7_${'A'.repeat(22)}_${'A'.repeat(43)}`,
    `katr_7_${'A'.repeat(43)}_${'A'.repeat(22)}`,
  ])('cannot be %s', (body) => {
    expect(readToken(withChecksum(body))).toBeUndefined();
  });

  it('is nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readToken(text)).toBeUndefined();
      }),
    );
    expect(readToken('katr_'.repeat(100_000))).toBeUndefined();
  });

  it('has one successor for a salt, which only its holder can compute', () => {
    const { secret } = newToken(7);
    const [one, other] = [newSalt(), newSalt()];
    expect(successorOf(secret, one)).toEqual(successorOf(secret, one));
    expect(successorOf(secret, one)).not.toEqual(successorOf(secret, other));
    expect(successorOf(newToken(7).secret, one)).not.toEqual(successorOf(secret, one));
    expect(successorOf(secret, one)).toHaveLength(32);
  });
});

describe('the seal of a family', () => {
  const { id, family } = newToken(7);
  const seal = new FamilySeal('a key');

  it('opens with its key, for its login', () => {
    const sealed = seal.seal(id, family);
    expect(sealed).toMatch(/^[\w-]{22}$/);
    expect(sealed).not.toBe(family.toString('base64url'));
    expect(seal.open(id, sealed)).toEqual(family);
  });

  it('does not open otherwise', () => {
    const sealed = seal.seal(id, family);
    expect(new FamilySeal('another key').open(id, sealed)).toBeUndefined();
    expect(seal.open(newToken(7).id, sealed)).toBeUndefined();
    for (const text of ['', '*', 'A'.repeat(1000), sealed.slice(1)]) {
      expect(seal.open(id, text)).toBeUndefined();
    }
  });
});
