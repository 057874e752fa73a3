import { describe, expect, it } from '@jest/globals';
import { permissionList, readPermissions } from './role-permissions.js';

describe('readPermissions', () => {
  it.each<[unknown, string[]]>([
    ['["note:read","note:*"]', ['note:read', 'note:*']],
    ['[]', []],
    ['null', []],
    [null, []],
    // A driver has parsed a column of a JSON type.
    [['note:read'], ['note:read']],
  ])('reads %j', (stored, permissions) => {
    expect(readPermissions(stored)).toEqual(permissions);
  });

  it.each<[unknown]>([
    [''],
    ['note:read'],
    ['["note:read"'],
    ['["note:read"] x'],
    ['{"0":"note:read","length":1}'],
    ['"note:read"'],
    ['1'],
    ['true'],
    ['["note:read",1]'],
    ['["note:read",null]'],
    ['[["note:read"]]'],
    [undefined],
    [{ 0: 'note:read', length: 1 }],
  ])('takes nothing out of %j', (stored) => {
    expect(readPermissions(stored)).toEqual([]);
  });

  it('is no list that somebody could add to, when it is broken', () => {
    expect(() => readPermissions('x').push('*')).toThrow(TypeError);
    readPermissions('[]').push('*');
    expect(readPermissions('[]')).toEqual([]);
  });

  it('is written as it was read, but for a broken list', () => {
    const written = (stored: unknown) => permissionList.to(permissionList.from(stored)) as unknown;
    expect(['["a"]', '[]', null, 'x', '{}'].map(written)).toEqual(['["a"]', '[]', null, null, null]);
  });
});
