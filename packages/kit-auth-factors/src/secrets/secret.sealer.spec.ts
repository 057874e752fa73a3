import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SecretSealer } from './secret.sealer.js';

const [OLD, NEW] = ['the old key, of at least 32 bytes', 'the new key, of at least 32 bytes'];
const SECRET = Buffer.from('12345678901234567890');

function sealerWith(...keys: string[]): SecretSealer {
  return new SecretSealer({ settings: { keys, issuer: 'App', requiredFor: [], totp: { window: 1 } } });
}

describe('a sealed secret', () => {
  const sealer = sealerWith(OLD);
  const sealed = sealer.seal(SECRET, '7');

  it('opens for its user', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.string({ maxLength: 128 }), (bytes, userId) => {
        const secret = Buffer.from(bytes);
        expect(sealer.open(sealer.seal(secret, userId), userId)).toEqual(secret);
      }),
    );
  });

  it('shows nothing of the secret, is never the same twice, and fits its column', () => {
    expect(sealed).not.toBe(sealer.seal(SECRET, '7'));
    expect(sealed).toMatch(/^[\w-]{8}\.[\w-]{16}\.[\w-]{48}$/);
    for (const text of [SECRET.toString(), SECRET.toString('base64url')]) {
      expect(sealed).not.toContain(text);
    }
  });

  it.each(['8', '07', '', '7 ', '７'])('does not open for the user %j', (userId) => {
    expect(sealer.open(sealed, userId)).toBeUndefined();
  });

  it('does not open when any bit of it is another', () => {
    const [id = '', nonce = '', body = ''] = sealed.split('.');
    for (const [at, part] of [nonce, body].entries()) {
      const bytes = Buffer.from(part, 'base64url');
      for (let bit = 0; bit < 8 * bytes.length; bit++) {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        const text = changed.toString('base64url');
        expect(
          sealer.open([id, ...(at === 0 ? [text, body] : [nonce, text])].join('.'), '7'),
        ).toBeUndefined();
      }
    }
  });

  it.each(['', 'a.b.c', sealed.slice(0, -16), `x${sealed}`])('is not %j', (text) => {
    expect(sealer.open(text, '7')).toBeUndefined();
  });

  it('opens with every key of the list, and with no other', () => {
    const both = sealerWith(NEW, OLD);
    expect(both.open(sealed, '7')).toEqual(SECRET);
    expect([both.isOutdated(sealed), sealer.isOutdated(sealed)]).toEqual([true, false]);
    const renewed = both.seal(SECRET, '7');
    expect([both.isOutdated(renewed), both.isOutdated('')]).toEqual([false, true]);
    expect(sealerWith(NEW).open(renewed, '7')).toEqual(SECRET);
    expect(sealerWith(NEW).open(sealed, '7')).toBeUndefined();
    expect(sealer.open(renewed, '7')).toBeUndefined();
  });

  it('does not open under the id of another key', () => {
    const id = sealerWith(NEW).seal(SECRET, '7').slice(0, 8);
    expect(sealerWith(NEW, OLD).open(id + sealed.slice(8), '7')).toBeUndefined();
  });
});
