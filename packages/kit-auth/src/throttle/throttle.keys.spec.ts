import { describe, expect, it } from '@jest/globals';
import { addressKey, canonicalName, knownKey, subjectOf, throttleKeys, unlockKey } from './throttle.keys.js';

describe('canonicalName', () => {
  it.each([
    [
      'ada',
      ['ADA', 'Ada', ' ada', 'ada ', 'ada\t', 'ada\u3000', '\uff41\uff44\uff41', 'a\u0301da', '\u00e1da'],
    ],
    ['ada', ['ada\u200b', 'a\u00adda', '\ufeffada', 'ada\0', 'ad\u0000a', '\u202eada', 'ada\r\n']],
    ['stra\u00dfe', ['strasse', 'STRASSE', 'stra\u1e9ee']],
    ['\u03c3\u03c3', ['\u03c3\u03c2', '\u03a3\u03a3']],
    ['info', ['\u0130nfo', '\u0131nfo', 'INFO', '\ufb01nfo'.slice(1).replace(/^/, 'i')]],
    ['\ufb01n', ['fin', 'FIN']],
    ['a b', ['a\u00a0b', 'A\tB', 'a\u2003b']],
  ])('takes for %j what a collation may', (name, others) => {
    for (const other of others) {
      expect([other, canonicalName(other)]).toEqual([other, canonicalName(name)]);
    }
  });

  it('tells different names apart', () => {
    const names = ['ada', 'adb', 'a da', 'ad', 'adaa', 'a.da', 'ada@x', '\u0430\u0434\u0430', '1ada'];
    expect(new Set(names.map(canonicalName)).size).toBe(names.length);
  });
});

const keysOf = (username: string, address?: string, epoch = 0) => {
  const subject = subjectOf(username, { address });
  return {
    ...throttleKeys(subject, epoch),
    address: addressKey(subject),
    unlock: unlockKey(subject),
    known: knownKey(subject),
  };
};

describe('throttleKeys', () => {
  it('are short, tell nothing, and are different for different things', () => {
    const keys = Object.values(keysOf('ada', '192.0.2.1'));
    for (const key of keys) {
      expect(key).toMatch(/^[\w-]{22}$/);
    }
    expect(new Set([...keys, ...Object.values(keysOf('192.0.2.1', '192.0.2.2'))]).size).toBe(2 * keys.length);
  });

  it('have one address for all clients whose address nobody knows, and none outside of requests', () => {
    const { address } = keysOf('ada', undefined);
    expect(address).toMatch(/^[\w-]{22}$/);
    expect([keysOf('bob', 'unknown').address, keysOf('bob', '').address]).toEqual([address, address]);
    expect(keysOf('ada', undefined).known).toBeUndefined();
    const outside = subjectOf('ada');
    expect([addressKey(outside), knownKey(outside)]).toEqual([undefined, undefined]);
    expect(throttleKeys(outside, 0).account).toBe(keysOf('ada', '192.0.2.1').account);
  });

  it('follow the account and the address', () => {
    const one = keysOf('ada', '2001:db8::1');
    expect(keysOf('ada', '2001:db8::2')).toEqual(one);
    const elsewhere = keysOf('ada', '2001:db8:1::1');
    expect(elsewhere).toMatchObject({ account: one.account, name: one.name, unlock: one.unlock });
    const bob = keysOf('bob', '2001:db8::1');
    expect(bob.address).toBe(one.address);
    for (const key of ['device', 'share', 'known'] as const) {
      expect(new Set([one[key], elsewhere[key], bob[key]]).size).toBe(3);
    }
  });

  it('have one budget for all spellings of a name, and keep their successes apart', () => {
    const [one, other] = ['ada', ' ADA'].map((name) => keysOf(name, '192.0.2.1'));
    expect(other).toMatchObject({ account: one!.account, address: one!.address, unlock: one!.unlock });
    for (const key of ['name', 'device', 'share', 'known'] as const) {
      expect(other![key]).not.toBe(one![key]);
    }
  });

  it('begin anew when the account is unlocked, and the device stays known', () => {
    const [before, after] = [keysOf('ada', '192.0.2.1', 0), keysOf('ada', '192.0.2.1', 1)];
    const same = Object.keys(before).filter((key) => before[key as 'name'] === after[key as 'name']);
    expect(same).toEqual(['address', 'unlock', 'known']);
  });
});
