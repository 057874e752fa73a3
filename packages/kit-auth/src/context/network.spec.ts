import { describe, expect, it } from '@jest/globals';
import { OWN_TURN } from '../contract/hash-turn.js';
import { networkOf, turnOf } from './network.js';

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
    ['1:0:0:2::/64', ['1::2:3:4:5:6', '1:0:0:2:3:4:5:6']],
    ['0:2:0:0::/64', ['0:2::8', '0000:0002:0:0:5:6:7:8']],
  ])('is %s', (network, addresses) => {
    for (const address of addresses) {
      expect([address, networkOf(address)]).toEqual([address, network]);
    }
  });

  it.each(['192.0.2.1:80', '[192.0.2.1]:80', '[::ffff:192.0.2.1]:65535', ' 192.0.2.1:1 '])(
    'reads %j without its port',
    (text) => expect(networkOf(text)).toBe('192.0.2.1'),
  );

  it.each(['[2001:db8::1]', '[2001:db8::1]:443', '[2001:DB8:0:0:1::]:1', '[2001:db8::1%eth0]:80'])(
    'reads %j without brackets and port',
    (text) => expect(networkOf(text)).toBe('2001:db8:0:0::/64'),
  );

  it.each<[string, string[]]>([
    ['names', ['', 'unknown', 'localhost']],
    ['addresses with too little or too much', ['1.2.3', '::1::', '1.2.3.256', '::ffff:1.2.3']],
    ['brackets without an address', ['[]', '[::1', '::1]:80', '[::1]x', '[[::1]]:80']],
    ['ports without an address', ['1.2.3.4:', '1.2.3.4:x', '1.2.3.4:123456', ':80']],
  ])('is none of %s', (_what, texts) => expect(texts.map(networkOf)).toEqual(texts.map(() => undefined)));
});

describe('turnOf', () => {
  it('has one group for each network, one for all unknown addresses, and one outside of requests', () => {
    const groupOf = (address: string | undefined) =>
      turnOf({ address, userAgent: undefined, hasLeft: () => false }).group;
    expect([groupOf('2001:db8::1'), groupOf('2001:db8::2')]).toEqual(Array(2).fill('2001:db8:0:0::/64'));
    expect([undefined, 'x'].map(groupOf)).toEqual(['unknown', 'unknown']);
    expect(turnOf(undefined)).toBe(OWN_TURN);
    expect([OWN_TURN.group, OWN_TURN.isKnown, OWN_TURN.hasLeft()]).toEqual(['own', false, false]);
  });

  it('sees that the client leaves', () => {
    let left = false;
    const turn = turnOf({ address: '192.0.2.1', userAgent: undefined, hasLeft: () => left });
    expect(turn.isKnown).toBe(false);
    expect(turn.hasLeft()).toBe(false);
    left = true;
    expect(turn.hasLeft()).toBe(true);
  });
});
