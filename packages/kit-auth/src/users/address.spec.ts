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

  const at = (domain: string) => `ada@${domain}`;
  const inUnicode = ['m\u0131ke', 'M\u0130KE', '\u212aate', 'jos\u00e9', 'jose\u0301', '\uff41da'];
  const invisible = ['ada\u200b', '\ufeffada', 'ada\u202e', 'ada\u00a0', 'ada\ud800', 'a\0', ' ada'];
  const quoted = ['"a b"', 'ada(x)', 'a,b', 'a\\b', '@a.example:ada', 'group:ada', 'a@b', '-oQ/tmp', ''];
  it.each<[string, unknown[]]>([
    ['letters that are not of ASCII, or look like another one', inUnicode.map((it) => `${it}@example.com`)],
    ['invisible characters', invisible.map((it) => `${it}@example.com`)],
    ['local parts that mail programs read differently', quoted.map((it) => `${it}@example.com`)],
    ['invisible characters in the domain', ['exam\u200dple.com', 'exam\u00adple.com'].map(at)],
    ['headers and line breaks', ['a@b.c\r\nBcc: eve@example.com', 'a@b.c\n']],
    ['several addresses', ['a@b,c@d', 'a@b.c;d@e.f']],
    ['names of a person', ['Ada <ada@example.com>', '<ada@example.com>']],
    ['half an address', ['ada', 'ada@', '']],
    ['numbers as a domain', ['192.0.2.1', '[192.0.2.1]', '0x7f000001', '\uff11\uff12\uff17.1'].map(at)],
    ['empty labels', ['example..com', 'example.com.'].map(at)],
    ['other characters in the domain', ['-example.com', 'ex_ample.com'].map(at)],
    ['URLs as a domain', ['exam%70le.com', 'example.com/x'].map(at)],
    [
      'URLs as a domain beyond ASCII',
      ['exam%70le.ü.com', 'b.com/ü', 'b.com#ü', 'b.com\\ü', 'ü:1.com'].map(at),
    ],
    ['long labels and local parts', [at(`${'b'.repeat(64)}.example`), `a${local}@example.com`]],
    ['lists and objects', [[at('example.com')], { toString: () => at('b.c') }, new String(at('b.c'))]],
    ['no text', [1, null, undefined]],
  ])('refuses %s', (_what, values) => {
    expect(values.filter((value) => parseAddress(value) !== undefined)).toEqual([]);
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
