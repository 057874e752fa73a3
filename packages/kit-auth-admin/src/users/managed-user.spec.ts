import { describe, expect, it } from '@jest/globals';
import { AdminAuthority } from 'kit-auth/feature';
import { sharedTestApp } from 'test-support';
import { managedUserOf, userOf } from './managed-user.js';

describe('managedUserOf', () => {
  const app = sharedTestApp({ admin: true });
  const authority = new AdminAuthority({ superAdmin: false, permissions: ['auth:user:*'] });
  const managed = (id: number) => managedUserOf(app.users.manager, authority, id);

  it('returns a user with roles that grant no more than the administrator has', async () => {
    const roles = [
      await app.role({ permissions: ['note:*'] }),
      await app.role({ permissions: ['auth:user:read'] }),
    ];
    const user = await app.user({ roles });
    expect((await managed(user.id)).roles.map(({ id }) => id).sort()).toEqual(roles.map(({ id }) => id));
  });

  it('refuses a user with more, directly or by an included role', async () => {
    const auditor = await app.role({ permissions: ['auth:audit:read'] });
    const users = [
      await app.user({ roles: [auditor] }),
      await app.user({ roles: [await app.role({ includes: [auditor] })] }),
      await app.administrator(),
    ];
    for (const { id } of users) {
      await expect(managed(id)).rejects.toMatchObject({ code: 40300 });
    }
  });

  it('refuses a user who does not exist', async () => {
    await expect(managed(4711)).rejects.toMatchObject({ code: 40400, message: 'User not found' });
    await expect(userOf(app.users.manager, 4711)).rejects.toMatchObject({ code: 40400 });
  });
});
