import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { sharedTestApp, until } from 'test-support';
import { EmailApp, NEW_PASSWORD, tokenIn } from './app.js';

describe('links that administrators send', () => {
  const app = sharedTestApp(new EmailApp({ admin: true }));
  let admin: string;
  let helpdesk: string;
  beforeAll(async () => {
    admin = await app.adminToken();
    await app.role({ code: 'helpdesk', permissions: ['auth:user:*'] });
    await app.role({ code: 'roles', permissions: ['auth:role:write'] });
    helpdesk = await app.tokenOf(await app.user({ roles: ['helpdesk'] }));
  });
  beforeEach(() => app.sendAtOnce());
  const send = (token: string, id: unknown) => app.call(token, 'POST', `users/${String(id)}/reset-link`);

  it('go to the stored address, whatever others have asked for', async () => {
    const user = await app.addressed({ verified: false });
    await app.resetToken(user);
    expect(await send(helpdesk, user.id)).toMatchObject({ status: 202, text: '' });
    const mail = await until(() => app.mailbox.to(user.address)[1]);
    expect(mail).toMatchObject({ kind: 'reset', user: { userId: user.id } });
    expect(app.heard('password-reset-requested').slice(-1)).toEqual([
      expect.objectContaining({ subjectId: user.id, subject: user.username, actor: expect.any(String) }),
    ]);
    expect((await app.reset(tokenIn(mail))).status).toBe(204);
    expect((await app.login(user.username, NEW_PASSWORD)).status).toBe(200);
  });

  it('are refused where they cannot be sent', async () => {
    const plain = await app.user();
    const disabled = await app.addressed({ status: AuthUserStatus.DISABLED });
    const codes = [];
    for (const id of [4711, 'x', plain.id, disabled.id]) {
      codes.push((await send(admin, id)).json.code);
    }
    expect(codes).toEqual([40400, 40400, 40900, 40900]);
    expect(await app.outcomeOf(send(await app.tokenOf(plain), plain.id))).toBe(40300);
    expect((await app.call(undefined, 'POST', `users/${plain.id}/reset-link`)).json.code).toBe(40100);
  });

  it('are sent once a minute', async () => {
    const user = await app.addressed();
    expect((await send(admin, user.id)).status).toBe(202);
    const again = await send(admin, user.id);
    expect([again.status, again.json.code]).toEqual([429, 42900]);
    expect(again.headers['retry-after']).toBe('60');
    await app.mailsSent();
    expect(app.mailbox.to(user.address, 'reset')).toHaveLength(1);
  });

  it('reach nobody who may do more', async () => {
    const root = await app.administrator();
    await app.addresses.assign(root.id, `root.${root.id}@example.com`, { verified: true });
    const other = await app.addressed({ roles: ['roles'] });
    const peer = await app.addressed({ roles: ['helpdesk'] });
    expect((await send(helpdesk, root.id)).json.code).toBe(40300);
    expect((await send(helpdesk, other.id)).json).toMatchObject({
      code: 40300,
      message: expect.stringContaining('auth:role:write'),
    });
    expect(app.heard('access-denied').length).toBeGreaterThanOrEqual(2);
    expect((await send(helpdesk, peer.id)).status).toBe(202);
    expect((await send(admin, root.id)).status).toBe(202);
  });

  it('take the place of passwords that administrators choose', async () => {
    const user = await app.addressed();
    const { status, json } = await app.call(admin, 'POST', `users/${user.id}/password`, {
      newPassword: NEW_PASSWORD,
    });
    expect([status, json.code]).toEqual([403, 40300]);
    expect(json.message).toContain('POST /v1/api/auth/users/{id}/reset-link');
  });
});

it('lets administrators choose passwords where the application wants that', async () => {
  const app = await new EmailApp({ admin: true, email: { adminSetsPasswords: true } }).start();
  const user = await app.addressed();
  const token = await app.resetToken(user);
  const admin = await app.adminToken();
  const { status } = await app.call(admin, 'POST', `users/${user.id}/password`, {
    newPassword: NEW_PASSWORD,
  });
  expect(status).toBe(204);
  await until(() => app.mailbox.to(user.address, 'password-changed')[0]);
  expect(await app.outcomeOf(app.reset(token))).toBe(40010);
});
