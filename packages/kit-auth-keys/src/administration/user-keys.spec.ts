import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import { EVERYWHERE, sharedTestApp } from 'test-support';
import { KitAuthKeysModule } from '../kit-auth-keys.module.js';
import { AuthApiKey } from '../stores/auth-api-key.entity.js';
import { actingWithKey } from '../testing.js';

describe.each(EVERYWHERE)('the keys of disabled users on $platform with $provider', (where) => {
  const app = sharedTestApp({ ...where, imports: [KitAuthKeysModule] });
  let eve: AuthUser;
  let admin: string;
  let helper: string;
  beforeAll(async () => {
    const notes = await app.role({ permissions: ['note:*'] });
    const sessions = await app.role({ permissions: ['auth:session:*'] });
    eve = await app.user({ roles: [notes] });
    helper = await app.tokenOf(await app.user({ roles: [sessions] }));
    admin = await app.adminToken();
    await actingWithKey(app.nest, eve.username, ['note:read']);
    await app.users.update(eve.id, { status: AuthUserStatus.DISABLED });
  });

  it('are within the reach of super administrators alone', async () => {
    const path = `users/${eve.id}/keys`;
    const outcome = async (token: string, method: string) => {
      const { status, json } = await app.call(token, method, path);
      return json?.code ?? status;
    };
    expect([await outcome(helper, 'GET'), await outcome(helper, 'DELETE')]).toEqual([40300, 40300]);
    expect([await outcome(admin, 'GET'), await outcome(admin, 'DELETE')]).toEqual([200, 204]);
    const rows = await app.rowsOf(AuthApiKey).findBy({ userId: String(eve.id) });
    expect(rows.map(({ endedBy }) => endedBy)).toEqual(['kicked']);
  });
});
