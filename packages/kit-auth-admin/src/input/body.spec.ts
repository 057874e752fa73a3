import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp } from 'test-support';
import { userIdFrom } from '../users/managed-user.js';
import { DISPLAY_NAME, PERMISSIONS, ROLE_CODES } from './body.js';

const PASSWORD = 'a right one 4711';
const bob = { username: 'bob', password: PASSWORD };
const [CREATE_USER, CHANGE_USER, CHANGE_ROLES, RESET] = [
  ...['POST users', 'PATCH users/1', 'PUT users/1/roles', 'POST users/1/password'],
] as [string, string, string, string];
const [CREATE_ROLE, CHANGE_ROLE] = ['POST roles', 'PATCH roles/x'] as const;

describe('the body of a request', () => {
  const app = sharedTestApp({ admin: true });
  let token: string;
  beforeAll(async () => {
    token = await app.adminToken();
  });
  const send = (endpoint: string, body: object | null) => {
    const [method, path] = endpoint.split(' ') as [string, string];
    return app.call(token, method, path, body);
  };

  type Row = [string, object | null, RegExp];
  const rows: Row[] = [
    [CREATE_USER, {}, /^username/],
    [CREATE_USER, null, /./],
    [CREATE_USER, { username: 'bob' }, /^password/],
    [CREATE_USER, { ...bob, password: '' }, /^password/],
    [CREATE_USER, { ...bob, password: 'x'.repeat(1025) }, /^password/],
    [CREATE_USER, { ...bob, username: ' bob' }, /^username must have 1 to 255/],
    [CREATE_USER, { ...bob, roles: 'editor' }, /^roles/],
    [CREATE_USER, { ...bob, roles: ['a b'] }, /^roles/],
    [CREATE_USER, { ...bob, status: 'enabled' }, /^status/],
    [CREATE_USER, { ...bob, nickname: null }, /^nickname/],
    [CHANGE_USER, { status: 'GONE' }, /^status/],
    [CHANGE_ROLES, {}, /^roles must be a list/],
    [CHANGE_ROLES, { roles: [' a'] }, /^roles must be a list/],
    [RESET, {}, /^newPassword/],
    ...['', ' x', 'x y', '../x', 'x'.repeat(65), undefined].map((code): Row => [
      CREATE_ROLE,
      { code, name: 'N' },
      /^code must be 1 to 64/,
    ]),
    [CREATE_ROLE, { code: 'x' }, /^name/],
    [CHANGE_ROLE, { name: '' }, /^name/],
    [CHANGE_ROLE, { permissions: ['note read'] }, /^permissions/],
    [CHANGE_ROLE, { permissions: Array.from({ length: 101 }, (_, i) => `a:${i}`) }, /^permissions/],
    [CHANGE_ROLE, { includes: ['a b'] }, /^includes/],
  ];
  it.each(rows)('of %s is not %j', async (endpoint, body, message) => {
    expect((await send(endpoint, body)).json).toMatchObject({
      code: 40000,
      message: expect.stringMatching(message),
    });
  });

  it('loses members that nobody asks for, and those of objects', async () => {
    const body = JSON.parse(
      `{"__proto__":{"status":"DISABLED"},"constructor":{},"prototype":{},"superAdmin":true,"extra":{"deep":[]},` +
        `"username":"eve","password":"${PASSWORD}"}`,
    ) as object;
    expect((await send(CREATE_USER, body)).json).toMatchObject({ status: 'ENABLED', superAdmin: false });
  });
});

describe('a member of a body', () => {
  const refusal = (message: string) => expect.objectContaining({ code: 40000, message });

  it('that is a display name has no more than 255 characters, and says so', () => {
    expect(DISPLAY_NAME.read('x'.repeat(255), 'name')).toHaveLength(255);
    for (const name of ['x'.repeat(256), 'a\nb', null]) {
      expect(() => DISPLAY_NAME.read(name, 'name')).toThrow(
        refusal(
          'name must have 1 to 255 characters, without control characters, and without spaces at its beginning and end',
        ),
      );
    }
  });

  const codes = (length: number) => Array.from({ length }, (_, i) => `c${i}`);
  it.each([[[]], [['a', 'b']], [codes(100)]])('that is a list may be %j', (list) => {
    expect(ROLE_CODES.read(list, 'roles')).toBe(list);
  });

  it.each([['a'], [['a b']], [['a', 'a']], [[1]], [codes(101)], [null], [{ length: 0 }]])(
    'that is a list is not %j',
    (list) => {
      expect(() => ROLE_CODES.read(list, 'roles')).toThrow(
        refusal('roles must be a list of at most 100 different role codes'),
      );
      expect(() => PERMISSIONS.read(list, 'permissions')).toThrow(
        refusal(
          'permissions must be a list of at most 100 different permissions such as "note:read" or "note:*"',
        ),
      );
    },
  );
});

describe('the id of a user in a path', () => {
  it.each([
    ['1', 1],
    ['2147483647', 2147483647],
  ])('is %s', (text, id) => {
    expect(userIdFrom(text)).toBe(id);
  });

  it.each(['', '0', '-1', '01', 'x', '1e1', '1.0', ' 1', '1\0', '2147483648', '99999999999', '../1'])(
    'is not "%s"',
    (text) => {
      expect(() => userIdFrom(text)).toThrow(expect.objectContaining({ code: 40400 }));
    },
  );
});
