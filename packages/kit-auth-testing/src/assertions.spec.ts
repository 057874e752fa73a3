import { describe, expect, it } from '@jest/globals';
import type { LoginUser } from 'kit-auth';
import { testUser } from './application/test-user.js';
import { assertLoginUser } from './assertions.js';

describe('assertLoginUser', () => {
  it('accepts a complete user', () => {
    expect(() => assertLoginUser(testUser(), 'number')).not.toThrow();
  });

  it.each([
    [{ userId: 'x' }, 'userId is a number'],
    [{ nickname: null }, 'nickname is a string'],
    [{ superAdmin: 1 }, 'superAdmin is a boolean'],
    [{ roles: [undefined] }, 'roles is a list of strings, and not [ undefined ]'],
    [{ permissions: undefined }, 'permissions is a list of strings, and not undefined'],
  ])('names the field in %o that is wrong', (part, message) => {
    const user = { ...testUser(), ...part } as unknown as LoginUser;
    expect(() => assertLoginUser(user, 'number')).toThrow(message);
  });
});
