import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AuthUserStatus, SUPER_ADMIN } from 'kit-auth/typeorm';
import { sharedTestApp } from 'test-support';
import { Not } from 'typeorm';
import {
  AdministrationLock,
  isActiveAdministrator,
  requireAnotherAdministrator,
} from './administration-lock.js';

describe('the last administrator', () => {
  const app = sharedTestApp({ admin: true });
  afterEach(() => app.users.delete({ username: Not('admin') }));

  const seeded = () => app.users.findOneOrFail({ where: { username: 'admin' }, relations: { roles: true } });
  const requireAnother = async () => requireAnotherAdministrator(app.users.manager, await seeded());

  it('is the only enabled user who is bound to SUPER_ADMIN', async () => {
    await app.user({ roles: [await app.role({ permissions: ['*'] })] });
    await app.user({ roles: [SUPER_ADMIN], status: AuthUserStatus.DISABLED });
    await expect(requireAnother()).rejects.toMatchObject({ code: 40900 });
  });

  it('is not somebody who has a role that includes SUPER_ADMIN', async () => {
    const superAdmin = await app.roles.findOneByOrFail({ code: SUPER_ADMIN });
    await app.user({ roles: [await app.role({ includes: [superAdmin] })] });
    await expect(requireAnother()).rejects.toMatchObject({ code: 40900 });
  });

  it('is not the last one next to another', async () => {
    await app.administrator();
    await expect(requireAnother()).resolves.toBeUndefined();
  });

  it('is active while enabled and bound to SUPER_ADMIN', async () => {
    const administrator = await seeded();
    const { ENABLED, DISABLED } = AuthUserStatus;
    expect([
      isActiveAdministrator(administrator),
      isActiveAdministrator({ ...administrator, status: DISABLED }),
      isActiveAdministrator({ status: ENABLED, roles: [] }),
    ]).toEqual([true, false, false]);
  });
});

describe('the administration lock', () => {
  const app = sharedTestApp({});

  it('costs one write in a transaction, however often it is taken', async () => {
    const lock = new AdministrationLock();
    const writes = () =>
      app.users.manager.transaction(async (manager) => {
        const update = jest.spyOn(manager, 'update');
        await lock.take(manager);
        await lock.take(manager);
        return update.mock.calls.map(([, row]) => row);
      });
    expect(await writes()).toEqual([{ code: SUPER_ADMIN }]);
    const [row, ...more] = await writes();
    expect([row, more]).toEqual([{ id: expect.any(Number) }, []]);
  });
});
