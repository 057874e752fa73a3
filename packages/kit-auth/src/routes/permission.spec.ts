import { describe, expect, it } from '@jest/globals';
import { hasPermission, isPermission } from './permission.js';

const may = (granted: string[], permission: string) =>
  hasPermission({ superAdmin: false, permissions: granted }, permission);

describe('hasPermission', () => {
  it.each([
    ['note:read', 'note:read', true],
    ['note:read', 'note:write', false],
    ['note:read', 'note', false],
    ['note:read', 'note:read:own', false],
    ['note', 'note:read', false],
    ['note:*', 'note:read', true],
    ['note:*', 'note:read:own', true],
    ['note:*', 'note', false],
    ['note:*', 'notes:read', false],
    ['*', 'note:read', true],
    ['*:read', 'note:read', true],
    ['*:read', 'note:write', false],
    ['*:read', 'note:read:own', false],
    ['note:*:own', 'note:read:own', true],
    ['note:*:own', 'note:read:any', false],
    ['note:*:own', 'note:read', false],
    ['Note:read', 'note:read', false],
  ])('%s and %s: %s', (granted, permission, expected) => {
    expect(may([granted], permission)).toBe(expected);
    expect(may(['other:x', granted], permission)).toBe(expected);
  });

  it('is true for super administrators, and false for who has none', () => {
    expect(hasPermission({ superAdmin: true, permissions: [] }, 'note:read')).toBe(true);
    expect(may([], 'note:read')).toBe(false);
  });
});

describe('isPermission', () => {
  it.each(['note:read', 'note:*', '*', 'a.b_c-d:1', 'note', 'a'.repeat(128)])('takes %j', (text) =>
    expect(isPermission(text)).toBe(true),
  );
  it.each([
    '',
    ':',
    'note:',
    ':read',
    'note::read',
    'no te:read',
    'note:re*',
    '**',
    1,
    null,
    'a'.repeat(129),
  ])('refuses %j', (text) => expect(isPermission(text)).toBe(false));
});
