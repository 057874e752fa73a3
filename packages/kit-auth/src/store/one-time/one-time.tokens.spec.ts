import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthErrorCode } from '../../errors/auth-error-code.js';
import { AuthException } from '../../errors/auth.exception.js';
import type { ActiveUserStore } from '../../users/active.user-store.js';
import { OneTimeTokens } from './one-time.tokens.js';

const TOKEN = 'kato_x';

describe('an attempt with a one-time token', () => {
  const tokens = new OneTimeTokens({} as ActiveUserStore, { enabled: true }, undefined);
  const order: unknown[] = [];
  beforeEach(() => {
    order.length = 0;
    jest
      .spyOn(tokens, 'attempt')
      .mockImplementation(async (...args) => void order.push(['attempt', ...args]));
    jest
      .spyOn(tokens, 'giveBack')
      .mockImplementation(async (...args) => void order.push(['giveBack', ...args]));
  });

  it.each([undefined, 5])('counts before its work, of which there are at most %s', async (most) => {
    const work = async () => order.push('work');
    expect(await tokens.attempting('reset', TOKEN, work, most)).toBe(2);
    expect(order).toEqual([['attempt', 'reset', TOKEN, most ?? 20], 'work']);
  });

  it('does no work when there are no more', async () => {
    const refusal = new AuthException(AuthErrorCode.LINK_INVALID);
    jest.spyOn(tokens, 'attempt').mockRejectedValueOnce(refusal);
    await expect(tokens.attempting('reset', TOKEN, async () => order.push('work'))).rejects.toBe(refusal);
    expect(order).toEqual([]);
  });

  it.each<[string, Error, boolean]>([
    ['is refused', new AuthException(AuthErrorCode.BAD_REQUEST), true],
    ['conflicts', new AuthException(AuthErrorCode.CONFLICT), true],
    ['has no place in a queue', new AuthException(AuthErrorCode.AUTH_UNAVAILABLE), false],
    ['is for a client that has left', new AuthException(AuthErrorCode.LOGIN_FAILED), false],
    ['fails', new Error('no connection'), false],
  ])('whose work %s counts, or is given back', async (_, error, counts) => {
    await expect(tokens.attempting('reset', TOKEN, () => Promise.reject(error))).rejects.toBe(error);
    expect(order.slice(1)).toEqual(counts ? [] : [['giveBack', 'reset', TOKEN]]);
  });

  it('tells why its work has failed, also where it cannot be given back', async () => {
    jest.spyOn(tokens, 'giveBack').mockRejectedValueOnce(new Error('no connection'));
    const work = () => Promise.reject(new Error('the work failed'));
    await expect(tokens.attempting('reset', TOKEN, work)).rejects.toThrow('the work failed');
  });
});
