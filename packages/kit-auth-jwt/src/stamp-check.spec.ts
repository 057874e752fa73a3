import { describe, expect, it } from '@jest/globals';
import type { ActiveUserStore } from 'kit-auth/extend';
import { ClientLeftException } from '../../kit-auth/src/errors/auth.exception.js';
import { StampCheck } from './stamp-check.js';

describe('StampCheck', () => {
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
