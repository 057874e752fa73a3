import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthException, LoginUser, ResolvedLogin } from 'kit-auth';
import { describeAuthProvider } from 'kit-auth-testing';
import { loginUser, sharedTestApp } from 'test-support';
import { JwtAuthProvider } from '../../../../packages/kit-auth-jwt/src/jwt.provider.js';

describe('kit-auth-jwt', () => {
  const app = sharedTestApp();

  describeAuthProvider('jwt-stateless', { canInvalidate: false, keepsProof: true }, () => ({
    provider: app.get(JwtAuthProvider),
    user: loginUser({ roles: ['a'], permissions: ['b:c'] }),
  }));
});

describe('a token that was verified before', () => {
  afterAll(() => {
    jest.useRealTimers();
  });
  const app = sharedTestApp({ options: { jwt: { expireMinutes: 1 } } });
  const user = loginUser({ roles: ['a'] });
  let token: string;
  beforeAll(async () => {
    jest.useFakeTimers({ now: 1_800_000_000_000 });
    token = await app.issueToken(user);
  });
  beforeEach(() => {
    jest.setSystemTime(1_800_000_000_000);
  });

  const provider = () => app.get(JwtAuthProvider);
  const reasonNow = () => {
    try {
      void provider().resolveToken(token);
      return 'live';
    } catch (error) {
      return (error as AuthException).reason;
    }
  };

  it('resolves to the same frozen user', () => {
    const users = [1, 2, 3].map(() => provider().resolveToken(token) as LoginUser);
    expect(users[2]).toEqual(user);
    expect(users[2]).toBe(users[1]);
    expect(() => users[2]!.roles.push('SUPER_ADMIN')).toThrow(TypeError);
    expect(() => Object.assign(users[2]!, { superAdmin: true })).toThrow(TypeError);
  });

  it('gives the same proof, and allocates nothing for it', async () => {
    const { proof } = { proof: { factors: { password: 1_800_000_000 }, loginId: 'one' } };
    const other = await provider().issueToken(user, proof);
    const [, second, third] = [1, 2, 3].map(() => provider().resolve(other) as ResolvedLogin);
    expect(second).toEqual({ user, proof });
    expect(third).toBe(second);
    expect(() => Object.assign(second!.proof.factors, { totp: 1 })).toThrow(TypeError);
    expect(() => Object.assign(second!.proof, { loginId: 'two' })).toThrow(TypeError);
    expect(provider().resolve(token)).toMatchObject({ proof: { factors: {} } });
  });

  it('expires at its exp, and is refused before its iat', () => {
    jest.setSystemTime(1_800_000_060_000 - 1);
    expect(reasonNow()).toBe('live');
    jest.setSystemTime(1_800_000_060_000);
    expect(reasonNow()).toBe('expired');
    jest.setSystemTime(1_800_000_000_000 - 6000);
    expect(reasonNow()).toBe('malformed');
  });
});
