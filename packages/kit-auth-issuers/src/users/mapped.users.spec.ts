import { describe, expect, it } from '@jest/globals';
import type { LoginUser } from 'kit-auth';
import type { ClaimsMapping } from '../issuer.js';
import { MappedUsers } from './mapped.users.js';

const ISS = 'https://login.example.com';
const MAPPING: ClaimsMapping = {
  roles: { fromClaim: 'realm_access.roles', map: { 'app-editor': 'editor', app_reader: 'reader' } },
  permissions: { fromScope: { 'notes.read': ['note:read'], 'notes.write': ['note:read', 'note:write'] } },
};
const userOf = (claims: object, mapping: ClaimsMapping = MAPPING): LoginUser =>
  new MappedUsers(mapping).userOf({ iss: ISS, sub: '4711', ...claims });

describe('users of claims', () => {
  it('have an id of their own at each issuer', () => {
    const { userId } = userOf({});
    expect(userId).toMatch(/^ext_[a-z2-7]{26}$/);
    expect(userOf({ name: 'Ada' }).userId).toBe(userId);
    expect(new Set([userId, userOf({ sub: '4712' }).userId, userOf({ iss: `${ISS}/` }).userId]).size).toBe(3);
    // An issuer and a subject that begin and end elsewhere.
    expect(userOf({ iss: 'a', sub: 'b,c' }).userId).not.toBe(userOf({ iss: 'a,b', sub: 'c' }).userId);
  });

  it('stay the same, so that the id may be stored', () => {
    expect(userOf({}).userId).toBe('ext_tj3kgctwno2tfy6awoinbo6abp');
  });

  it('have names, roles and permissions', () => {
    const claims = {
      preferred_username: 'ada',
      name: 'Ada L.',
      realm_access: { roles: ['app-editor', 'app-editor', 'admin', 7, null] },
      scope: 'openid notes.read notes.write',
    };
    expect(userOf(claims)).toMatchObject({
      username: 'ada',
      nickname: 'Ada L.',
      superAdmin: false,
      roles: ['editor'],
      permissions: ['note:read', 'note:write'],
    });
  });

  it('have their subject as a name, if they have no other', () => {
    expect(userOf({})).toMatchObject({ username: '4711', nickname: '4711', roles: [], permissions: [] });
    expect(userOf({ preferred_username: ' ', name: 7 })).toEqual(userOf({}));
    const { username, nickname } = userOf({ preferred_username: 'a\u0000\n\u202eb', name: 'x'.repeat(1000) });
    expect([username, nickname]).toEqual(['a???b', 'x'.repeat(255)]);
  });

  it.each<[string, object]>([
    ['text', { scope: 'notes.read x' }],
    ['a text in scp', { scp: 'notes.read' }],
    ['a list in scp', { scp: ['notes.read', 7] }],
    ['a list', { scope: ['notes.read'] }],
  ])('have permissions by scopes as %s', (_name, claims) => {
    expect(userOf(claims).permissions).toEqual(['note:read']);
  });

  it('have claims whose names are URLs', () => {
    const fromClaim = 'https://example.com/roles';
    const mapping = { ...MAPPING, roles: { fromClaim, map: { a: 'editor' } } };
    expect(userOf({ [fromClaim]: ['a'] }, mapping).roles).toEqual(['editor']);
  });

  it.each<[string, unknown]>([
    ['a text', 'app-editor'],
    ['an object', { 0: 'app-editor' }],
    ['what objects inherit', ['__proto__', 'constructor', 'toString', 'hasOwnProperty']],
    ['too many', [...Array.from({ length: 1000 }, (_, i) => `role-${i}`), 'app-editor']],
  ])('have no roles from %s', (_name, roles) => {
    expect(userOf({ realm_access: { roles } }).roles).toEqual([]);
    expect(userOf({ scope: roles, scp: roles }).permissions).toEqual([]);
  });

  it.each<[string, object]>([
    ['a list as the parent of roles', { realm_access: ['app-editor'] }],
    ['roles in prototypes', JSON.parse('{"realm_access":{"__proto__":{"roles":["app-editor"]}}}')],
    ['other spellings', { realm_access: { roles: ['App-Editor', 'app-editor ', 'SUPER_ADMIN', 'editor'] } }],
    ['our roles', { roles: ['editor', 'app-editor'], permissions: ['auth:*', '*'], superAdmin: true }],
    ['other spellings of scopes', { scope: 'Notes.read notes.read2\tnotes.read', scp: { 0: 'notes.read' } }],
    ['other users', { userId: 'admin', actor: { userId: 'x' }, act: { sub: 'x' }, mustChangePassword: true }],
  ])('get nothing from claims with %s', (_name, claims) => {
    expect(userOf(claims)).toEqual(userOf({}));
  });

  it.each(['__proto__.roles', 'constructor.name', 'realm_access.constructor.name', 'a.b.c'])(
    'have nothing from the path %s',
    (path) => {
      const mapping = { username: path, roles: { fromClaim: path, map: { Object: 'editor' } } };
      expect(userOf({ realm_access: {} }, mapping)).toMatchObject({ username: '4711', roles: [] });
    },
  );
});
