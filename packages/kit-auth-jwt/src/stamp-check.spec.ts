import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ActiveUserStore } from 'kit-auth/feature';
import { freezeDate } from 'test-support';
import { ClientLeftException } from '../../kit-auth/src/errors/auth.exception.js';
import { StampCheck } from './stamp-check.js';

describe('StampCheck', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each<[number | true, number]>([
    [true, 5],
    [60, 60],
    [0, 0],
  ])('with %j knows of a change within %i seconds', async (option, seconds) => {
    const pass = freezeDate();
    let stamp: string | undefined = 'one';
    const check = new StampCheck({ stampOf: async () => stamp } as unknown as ActiveUserStore, option);
    const revoked = { code: 40101, reason: 'revoked' };
    await check.check(1, 'one');
    stamp = 'two';
    if (seconds > 0) {
      pass(seconds * 1000 - 1);
      await check.check(1, 'one');
      pass(1);
    }
    await expect(check.check(1, 'one')).rejects.toMatchObject(revoked);
    await expect(check.check(1, undefined)).rejects.toMatchObject(revoked);
    stamp = undefined; // unknown, or not enabled
    check.forget(1);
    await expect(check.check(1, 'two')).rejects.toMatchObject(revoked);
  });

  it('asks again for the requests that share a look-up whose client has left', async () => {
    const asked: ((why: Error) => void)[] = [];
    const stampOf = (): Promise<string> =>
      asked.length === 0 ? new Promise((_, reject) => asked.push(reject)) : Promise.resolve('a stamp');
    const check = new StampCheck({ stampOf } as unknown as ActiveUserStore, true);
    const checks = [check.check(1, 'a stamp'), check.check(1, 'another')];
    asked[0]?.(new ClientLeftException());
    expect(await Promise.allSettled(checks)).toMatchObject([
      { status: 'fulfilled' },
      { reason: { code: 40101, reason: 'revoked' } },
    ]);
  });
});
