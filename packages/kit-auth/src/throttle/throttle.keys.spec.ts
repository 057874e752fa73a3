import { describe, expect, it } from '@jest/globals';
import { canonicalName, networkOf, throttleKeys } from './throttle.keys.js';

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

describe('networkOf', () => {
  it.each([
    [
      '192.0.2.1',
      ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:c000:0201', ' 192.0.2.1'],
    ],
    ['2001:db8:0:0::/64', ['2001:db8::', '2001:DB8::1', '2001:0db8:0000:0000:ffff:ffff:ffff:ffff']],
    ['2001:db8:0:0::/64', ['2001:db8:0:0:1::', '2001:db8::192.0.2.1', '2001:db8::1%eth0']],
    ['2001:db8:1:2::/64', ['2001:db8:1:2::', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:0:ffff:192.0.2.1']],
    ['0:0:0:0::/64', ['::', '::1', '::192.0.2.1', '0::0:fffe:c000:201']],
    ['1:0:0:0::/64', ['1::', '1::ffff:c000:201']],
    ['0:2:0:0::/64', ['0:2::8', '0000:0002:0:0:5:6:7:8']],
  ])('is %s', (network, addresses) => {
    for (const address of addresses) {
      expect([address, networkOf(address)]).toEqual([address, network]);
    }
  });

  it.each(['', 'unknown', '1.2.3', '1.2.3.4:80', '[::1]', '::1::', '1.2.3.256', 'localhost', '::ffff:1.2.3'])(
    'is none of %j',
    (text) => expect(networkOf(text)).toBeUndefined(),
  );
});

describe('throttleKeys', () => {
  it('are short, tell nothing, and are different for different things', () => {
    const { account, address, pair } = throttleKeys('ada', '192.0.2.1');
    for (const key of [account, address, pair]) {
      expect(key).toMatch(/^[\w-]{22}$/);
    }
    expect(new Set([account, address, pair, throttleKeys('192.0.2.1', undefined).account]).size).toBe(4);
  });

  it('have no address and no pair where there is no address', () => {
    for (const address of [undefined, 'unknown']) {
      expect(throttleKeys('ada', address)).toEqual({
        account: throttleKeys('ada', '192.0.2.1').account,
        name: throttleKeys('ada', '192.0.2.1').name,
        address: undefined,
        pair: undefined,
      });
    }
  });

  it('follow the account and the address', () => {
    const one = throttleKeys('ada', '2001:db8::1');
    expect(throttleKeys('ada', '2001:db8::2')).toEqual(one);
    expect(throttleKeys('ada', '2001:db8:1::1')).toMatchObject({ account: one.account });
    expect(throttleKeys('ada', '2001:db8:1::1').pair).not.toBe(one.pair);
    expect(throttleKeys('bob', '2001:db8::1')).toMatchObject({ address: one.address });
    expect(throttleKeys('bob', '2001:db8::1').pair).not.toBe(one.pair);
  });

  it('have one budget for all spellings of a name, and keep their successes apart', () => {
    const [one, other] = ['ada', ' ADA'].map((name) => throttleKeys(name, '192.0.2.1'));
    expect(other).toMatchObject({ account: one!.account, address: one!.address });
    expect(other!.name).not.toBe(one!.name);
    expect(other!.pair).not.toBe(one!.pair);
  });
});
