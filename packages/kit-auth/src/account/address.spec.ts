import { describe, expect, it } from '@jest/globals';
import { parseAddress } from './address.js';

const local = 'a'.repeat(64);
/** Labels of 63 characters, so that the address has exactly so many. */
const ofLength = (length: number) =>
  `${local}@${`${'b'.repeat(63)}.`.repeat(4).slice(0, length - 65 - 4)}c.de`.replace('.c.de', 'c.de');

describe('parseAddress', () => {
  it.each([
    ['ada@example.com', 'ada@example.com', 'ada@example.com'],
    ['Ada.Lovelace+News@Example.COM', 'Ada.Lovelace+News@Example.COM', 'ada.lovelace+news@example.com'],
    ["o'hara_%&=~|{}^`!#$*/?-@x.example", undefined, undefined],
    ['a@localhost', 'a@localhost', 'a@localhost'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@\u212aelvin.example', 'ada@kelvin.example', 'ada@kelvin.example'],
  ])('accepts %j', (typed, address = typed, key = typed.toLowerCase()) => {
    expect(parseAddress(typed)).toEqual({ address, key });
  });

  it.each([
    ['the dotless i', 'm\u0131ke@example.com'],
    ['the dotted I', 'M\u0130KE@example.com'],
    ['the Kelvin sign', '\u212aate@example.com'],
    ['NFC', 'jos\u00e9@example.com'],
    ['NFD', 'jose\u0301@example.com'],
    ['full width', '\uff41da@example.com'],
    ['a zero width space', 'ada\u200b@example.com'],
    ['a zero width joiner in the domain', 'ada@exam\u200dple.com'],
    ['a soft hyphen in the domain', 'ada@exam\u00adple.com'],
    ['a byte order mark', '\ufeffada@example.com'],
    ['a right-to-left override', 'ada\u202e@example.com'],
    ['a no-break space', 'ada\u00a0@example.com'],
    ['a lone surrogate', 'ada\ud800@example.com'],
    ['a header', 'a@b.c\r\nBcc: eve@example.com'],
    ['a line break', 'a@b.c\n'],
    ['NUL', 'a\0@b.c'],
    ['two addresses', 'a@b,c@d'],
    ['two addresses with a semicolon', 'a@b.c;d@e.f'],
    ['a comma', 'a,b@example.com'],
    ['a quoted local part', '"a b"@example.com'],
    ['a display name', 'Ada <ada@example.com>'],
    ['angle brackets', '<ada@example.com>'],
    ['a comment', 'ada(x)@example.com'],
    ['a source route', '@a.example:ada@example.com'],
    ['a colon', 'group:ada@example.com'],
    ['two @', 'a@b@example.com'],
    ['no @', 'ada'],
    ['no local part', '@example.com'],
    ['no domain', 'ada@'],
    ['an option of a mail program', '-oQ/tmp@example.com'],
    ['a backslash', 'a\\b@example.com'],
    ['surrounding space', ' ada@example.com'],
    ['an IPv4 address', 'ada@192.0.2.1'],
    ['an address literal', 'ada@[192.0.2.1]'],
    ['a number as a domain', 'ada@0x7f000001'],
    ['a number in full width', 'ada@\uff11\uff12\uff17.1'],
    ['an empty label', 'ada@example..com'],
    ['a final dot', 'ada@example.com.'],
    ['a first hyphen in a label', 'ada@-example.com'],
    ['an underscore in the domain', 'ada@ex_ample.com'],
    ['a percent sign in the domain', 'ada@exam%70le.com'],
    ['a slash in the domain', 'ada@example.com/x'],
    ['a label of 64 characters', `ada@${'b'.repeat(64)}.example`],
    ['a local part of 65 characters', `a${local}@example.com`],
    ['an array', ['ada@example.com']],
    ['an object', { toString: () => 'ada@example.com' }],
    ['a String', new String('ada@example.com')],
    ['a number', 1],
    ['null', null],
    ['undefined', undefined],
    ['an empty text', ''],
  ])('refuses %s', (_, value) => {
    expect(parseAddress(value)).toBeUndefined();
  });

  it('accepts 254 characters, and no more, also in Punycode', () => {
    expect(ofLength(254)).toHaveLength(254);
    expect(parseAddress(ofLength(254))?.address).toBe(ofLength(254));
    expect(ofLength(255)).toHaveLength(255);
    expect(parseAddress(ofLength(255))).toBeUndefined();
    const domain = `${'ü'.repeat(40)}.`.repeat(4);
    expect(`a@${domain}de`.length).toBeLessThan(254);
    expect(parseAddress(`${local}@${domain}de`)).toBeUndefined();
  });

  // Backtracking would take hours.
  it('refuses a megabyte at once', () => {
    for (const text of ['a', 'a.', 'a@', '@', 'a-'].map((part) => part.repeat(500_000))) {
      expect(parseAddress(text)).toBeUndefined();
    }
  });
});
