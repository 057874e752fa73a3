import { describe, expect, it } from '@jest/globals';
import type { Grants } from '../contract/user-store.js';
import { AdminAuthority, areAdministrative, isAdminPermission } from './admin-authority.js';

const grants = (...permissions: string[]): Grants => ({ superAdmin: false, permissions });
const SUPER: Grants = { superAdmin: true, permissions: [] };

describe('isAdminPermission', () => {
  it.each(['auth', 'auth:user:read', 'auth:*', '*', '*:audit:read'])('is true for %s', (permission) => {
    expect(isAdminPermission(permission)).toBe(true);
  });

  it.each(['note:auth', 'authority:read', 'note:*', 'au'])('is false for %s', (permission) => {
    expect(isAdminPermission(permission)).toBe(false);
  });
});

describe('areAdministrative', () => {
  it.each([SUPER, grants('note:read', 'auth:user:read'), grants('*')])('is true for %j', (user) => {
    expect(areAdministrative(user)).toBe(true);
  });

  it.each([grants(), grants('note:*', 'authority:read')])('is false for %j', (user) => {
    expect(areAdministrative(user)).toBe(false);
  });
});

describe('AdminAuthority', () => {
  it.each<[string, Grants, Grants]>([
    ['everything to a super administrator', SUPER, { superAdmin: true, permissions: ['*'] }],
    ['permissions of the application', grants('auth:user:write'), grants('note:*', 'authority:read')],
    ['permissions that the administrator has', grants('auth:user:*', 'note:read'), grants('auth:user:write')],
    ['nothing', grants(), grants()],
  ])('allows %s', (_what, own, asked) => {
    expect(() => new AdminAuthority(own).require(asked)).not.toThrow();
  });

  it.each<[string, Grants, Grants, string]>([
    ['SUPER_ADMIN', grants('*'), SUPER, 'Only holders of SUPER_ADMIN'],
    [
      'another permission',
      grants('auth:user:*'),
      grants('auth:role:write', 'auth:user:read'),
      'auth:role:write',
    ],
    ['a wildcard', grants('auth:user:read'), grants('auth:user:*'), 'auth:user:*'],
    ['everything', grants('auth:*'), grants('*'), '*'],
    ['a part of every application', grants('auth:*'), grants('*:read'), '*:read'],
  ])('refuses %s', (_what, own, asked, message) => {
    const require = () => new AdminAuthority(own).require(asked);
    expect(require).toThrow(expect.objectContaining({ code: 40300 }));
    expect(require).toThrow(message);
  });

  it('asks for a fresh login before it grants what is administrative, and never to manage a user', async () => {
    const asked: string[] = [];
    const authority = new AdminAuthority(grants('auth:user:*'), async () => void asked.push('fresh'));
    authority.require(grants('auth:user:write'));
    await authority.requireGrant(grants('note:*'));
    await expect(authority.requireGrant(SUPER)).rejects.toMatchObject({ code: 40300 });
    expect(asked).toEqual([]);
    await authority.requireGrant(grants('note:read', 'auth:user:write'));
    expect(asked).toEqual(['fresh']);
  });
});
