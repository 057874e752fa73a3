import { describe, expect, it } from '@jest/globals';
import { NewPasswords } from 'kit-auth/extend';
import { EVERYWHERE, PASSWORD, testApp } from 'test-support';

describe.each(EVERYWHERE)('passwords that administrators choose on $platform with $provider', (where) => {
  it('are refused where a module offers something better', async () => {
    const app = await testApp({ ...where, admin: true });
    const [admin, user] = [await app.adminToken(), await app.user()];
    const set = (id: number) =>
      app.call(admin, 'POST', `users/${id}/password`, { newPassword: 'another right one 4712' });
    app.get(NewPasswords).disableAdminResets('Send a link');
    for (const id of [user.id, 4711]) {
      const { status, json } = await set(id);
      expect([status, json.code, json.message]).toEqual([403, 40300, 'Send a link']);
    }
    expect((await app.login(user.username)).status).toBe(200);
    const own = { currentPassword: 'admin', newPassword: PASSWORD };
    expect((await app.call(admin, 'POST', 'password', own)).status).toBe(204);
  });
});
