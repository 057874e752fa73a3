import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KitAuthContext } from 'kit-auth';
import { freezeDate } from 'test-support';
import type { KeyStore } from '../stores/key.store.js';
import { KeyUses } from './key-uses.js';

const MINUTE_MS = 60_000;

describe('the uses of a key', () => {
  const touch = jest.fn<KeyStore['touch']>();
  let address: string | undefined;
  let uses: KeyUses;
  let pass: (milliseconds: number) => void;
  beforeEach(() => {
    pass = freezeDate();
    touch.mockReset().mockResolvedValue();
    address = '192.0.2.1';
    const context = { client: () => (address === undefined ? undefined : { address }) };
    uses = new KeyUses({ touch } as unknown as KeyStore, context as unknown as KitAuthContext);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are written once in five minutes, however many there are', () => {
    for (let i = 0; i < 1000; i++) {
      uses.note('a');
    }
    uses.note('b');
    const now = Date.now();
    expect(touch.mock.calls).toEqual([
      ['a', now, now - 5 * MINUTE_MS, '192.0.2.1'],
      ['b', now, now - 5 * MINUTE_MS, '192.0.2.1'],
    ]);
    pass(5 * MINUTE_MS - 1);
    uses.note('a');
    expect(touch).toHaveBeenCalledTimes(2);
    pass(1);
    uses.note('a');
    expect(touch).toHaveBeenCalledTimes(3);
  });

  it('are not written if another process has done that', () => {
    uses.found('a', Date.now() - MINUTE_MS);
    uses.found('b', null);
    uses.note('a');
    uses.note('b');
    expect(touch.mock.calls.map(([id]) => id)).toEqual(['b']);
  });

  it('have an address that fits its column, or none', () => {
    address = 'x'.repeat(100);
    uses.note('a');
    address = undefined;
    uses.note('b');
    expect(touch.mock.calls.map(([, , , from]) => from)).toEqual(['x'.repeat(64), null]);
  });
});
