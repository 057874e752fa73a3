import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AuthException, LoginUser } from 'kit-auth';
import { describeAuthProvider } from 'kit-auth-testing';
import { JwtAuthProvider } from '../../../packages/kit-auth-jwt/src/jwt.provider.js';
import { type Running, start } from './platforms.js';
import { ShopModule } from './shop.module.js';

describe('kit-auth-jwt', () => {
  let running: Running;
  beforeAll(async () => {
    running = await start(ShopModule.with({ password: { cost: 10 } }));
  });
  afterAll(() => running.app.close());

  describeAuthProvider('jwt-stateless', { canInvalidate: false }, () => ({
    provider: running.app.get(JwtAuthProvider, { strict: false }),
    user: {
      userId: 7,
      username: 'ada',
      nickname: 'Ada',
      superAdmin: false,
      roles: ['a'],
      permissions: ['b:c'],
    },
  }));
});

describe('a token that was verified before', () => {
  let running: Running;
  let token: string;
  const provider = () => running.app.get(JwtAuthProvider, { strict: false });
  const user = {
    userId: 7,
    username: 'ada',
    nickname: 'Ada',
    superAdmin: false,
    roles: ['a'],
    permissions: [],
  };
  const reasonNow = () => {
    try {
      void provider().resolveToken(token);
      return 'live';
    } catch (error) {
      return (error as AuthException).reason;
    }
  };
  beforeAll(async () => {
    running = await start(ShopModule.with({ password: { cost: 10 }, jwt: { expireMinutes: 1 } }));
    jest.useFakeTimers({ now: 1_800_000_000_000 });
    token = await provider().issueToken(user);
  });
  afterAll(async () => {
    jest.useRealTimers();
    await running.app.close();
  });

  it('gives the same user, whom nobody can change', () => {
    const users = [1, 2, 3].map(() => provider().resolveToken(token) as LoginUser);
    expect(users[2]).toEqual(user);
    expect(users[2]).toBe(users[1]);
    expect(() => users[2]!.roles.push('SUPER_ADMIN')).toThrow(TypeError);
    expect(() => Object.assign(users[2]!, { superAdmin: true })).toThrow(TypeError);
  });

  it('ends when its time comes, and begins no sooner than it says', () => {
    jest.setSystemTime(1_800_000_060_000 - 1);
    expect(reasonNow()).toBe('live');
    jest.setSystemTime(1_800_000_060_000);
    expect(reasonNow()).toBe('expired');
    jest.setSystemTime(1_800_000_000_000 - 6000);
    expect(reasonNow()).toBe('malformed');
  });

  it('is not taken for another that differs in one character', () => {
    jest.setSystemTime(1_800_000_000_000);
    const last = token.at(-10)!;
    const other = `${token.slice(0, -10)}${last === 'A' ? 'B' : 'A'}${token.slice(-9)}`;
    expect(() => provider().resolveToken(other)).toThrow(expect.objectContaining({ reason: 'signature' }));
  });
});
