import { randomUUID } from 'node:crypto';
import type { LoginUser, UserId } from 'kit-auth';

/** A user of a test. Omitted properties get defaults: no roles, no permissions, and a unique id. */
export type TestUser = Partial<LoginUser>;

/** Far above the ids of rows that a test may insert. */
let lastId = 1_000_000;

/**
 * Completes a user, for tests without an application, such as those of policies and of services that use
 * `KitAuthContext`.
 *
 * @param idType the type of the ids of your users
 *
 * @example
 * const editor = testUser({ roles: ['editor'] });
 * await context.run(editor, () => notes.create('a note'));
 */
export function testUser(fields: TestUser = {}, idType: 'number' | 'string' = 'number'): LoginUser {
  const given = Object.fromEntries(
    Object.entries<unknown>(fields).filter(([, value]) => value !== undefined),
  );
  const { userId = newId(idType), username = `user-${String(userId)}` } = given as TestUser;
  return {
    userId,
    username,
    nickname: username,
    superAdmin: false,
    roles: [],
    permissions: [],
    ...given,
  };
}

/** String ids are UUIDs, which fit columns of the types `uuid` and `varchar`. */
function newId(idType: 'number' | 'string'): UserId {
  return (idType === 'number' ? ++lastId : randomUUID()) as UserId;
}
