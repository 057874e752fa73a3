import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext, Type } from '@nestjs/common';
import { CreateRole, ChangeRole } from '../roles/role.inputs.js';
import { KitAuthUserController } from '../users/user.controller.js';
import { ChangeUser, ChangeUserRoles, CreateUser, ResetPassword } from '../users/user.inputs.js';
import { userIdFrom } from './user-id.decorator.js';

type Factory = (type: Type<object>, context: ExecutionContext) => object;

/** That of the decorator, as Nest finds it on a handler. */
const { factory } = Object.values(
  Reflect.getMetadata('__routeArguments__', KitAuthUserController, 'create') as Record<
    string,
    { readonly data: unknown; readonly factory: Factory }
  >,
).find(({ data }) => data === CreateUser)!;

const read = (type: Type<object>, body: unknown) => {
  const request = { body, headers: { 'content-type': 'application/json' } };
  return factory(type, { switchToHttp: () => ({ getRequest: () => request }) } as ExecutionContext);
};

const refusal = (message: RegExp) =>
  expect.objectContaining({ code: 40000, message: expect.stringMatching(message) });
const PASSWORD = 'a right one 4711';
const bob = { username: 'bob', password: PASSWORD };

describe('the body of a request', () => {
  type Row = [Type<object>, unknown, RegExp];
  const rows: Row[] = [
    [CreateUser, {}, /username.*password/],
    [CreateUser, null, /./],
    [CreateUser, { ...bob, password: '' }, /^password/],
    [CreateUser, { ...bob, password: 'x'.repeat(1025) }, /^password/],
    [CreateUser, { ...bob, username: ' bob' }, /^username must have 1 to 255/],
    [CreateUser, { ...bob, roles: 'editor' }, /^roles/],
    [CreateUser, { ...bob, roles: ['a b'] }, /^roles/],
    [CreateUser, { ...bob, status: 'enabled' }, /^status/],
    [CreateUser, { ...bob, nickname: null }, /^nickname/],
    [ChangeUser, { status: 'GONE' }, /^status/],
    [ChangeUserRoles, { roles: undefined }, /^roles must be a list/],
    [ChangeUserRoles, { roles: [' a'] }, /^roles must be a list/],
    [ResetPassword, {}, /^newPassword/],
    ...['', ' x', 'x y', '../x', 'x'.repeat(65), undefined].map((code): Row => [
      CreateRole,
      { code, name: 'N' },
      /^code must be 1 to 64/,
    ]),
    [CreateRole, { code: 'x' }, /^name/],
    [ChangeRole, { name: '' }, /^name/],
    [ChangeRole, { permissions: ['note read'] }, /^permissions/],
    [ChangeRole, { permissions: Array.from({ length: 101 }, (_, i) => `a:${i}`) }, /^permissions/],
    [ChangeRole, { includes: ['a b'] }, /^includes/],
  ];
  it.each(rows)('for %p is not %j', (type, body, message) => {
    expect(() => read(type, body)).toThrow(refusal(message));
  });

  it.each<[Type<object>, object]>([
    [CreateUser, bob],
    [CreateUser, { ...bob, nickname: 'Bob', status: 'DISABLED', roles: ['a', 'b'] }],
    [ChangeUser, {}],
    [ChangeUserRoles, { roles: [] }],
    [CreateRole, { code: 'x'.repeat(64), name: 'N', permissions: ['note:*'], includes: [] }],
    [ChangeRole, {}],
  ])('for %p may be %j', (type, body) => {
    expect({ ...read(type, body) }).toEqual(body);
  });

  it('loses members that nobody asks for, and those of objects', () => {
    const body = JSON.parse(
      `{"__proto__":{"status":"DISABLED"},"constructor":{},"prototype":{},"superAdmin":true,"extra":{"deep":[]},` +
        `"username":"eve","password":"${PASSWORD}"}`,
    ) as object;
    const input = read(CreateUser, body);
    expect(Object.keys(input).sort()).toEqual(['password', 'username']);
    expect(input).toBeInstanceOf(CreateUser);
    expect((input as CreateUser).status).toBeUndefined();
  });
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
