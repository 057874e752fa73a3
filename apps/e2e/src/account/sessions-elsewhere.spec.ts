import { beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { AUTH_LOGINS, type EndAllOptions, type UserId } from 'kit-auth';
import { LoginThrottle } from 'kit-auth/login';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { type Answer, freezeDate, PASSWORD, sharedTestApp } from 'test-support';
import { EmailApp, NEW_PASSWORD, type UserWithAddress } from '../email/app.js';
import { MemoryLogins } from '../login/memory-logins.js';

/** Logins that are not part of the transaction of a change. */
@Injectable()
class LoginsElsewhere extends MemoryLogins {
  /** What happens at the next calls. */
  readonly ends: ((end: () => Promise<number>) => Promise<number>)[] = [];

  override endAllOf(userId: UserId, options?: EndAllOptions): Promise<number> {
    const end = () => super.endAllOf(userId, options);
    return (this.ends.shift() ?? ((run) => run()))(end);
  }
}

@Module({ providers: [LoginsElsewhere, { provide: AUTH_LOGINS, useExisting: LoginsElsewhere }] })
class LoginsElsewhereModule {}

const away = () => Promise.reject(new Error('the store is away'));

describe('sessions that are not part of the transaction of a change', () => {
  const app = sharedTestApp(
    new EmailApp({
      provider: 'jwt',
      admin: true,
      imports: [LoginsElsewhereModule],
      email: { adminSetsPasswords: true },
      options: { jwt: { checkStamp: 60 } },
    }),
  );
  let user: UserWithAddress;
  let wanted: string;
  beforeEach(async () => {
    app.sendAtOnce();
    user = await app.addressed();
    wanted = `wanted.${user.id}@example.com`;
  });

  type Change = (session: string) => Promise<() => Promise<Answer>>;
  const newPassword: Change = async (session) => () =>
    app.call(session, 'POST', 'password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
  const reset: Change = async () => {
    const token = await app.resetToken(user);
    return () => app.reset(token);
  };
  const newAddress: Change = async (session) => {
    const token = await app.changeToken(session, wanted);
    await app.mailsSent();
    return () => app.confirm(token);
  };
  const byAdministrator =
    (method: string, path: string, body?: object): Change =>
    async () => {
      const admin = await app.adminToken();
      return () => app.call(admin, method, `users/${user.id}${path}`, body);
    };
  const ownChanges: [string, Change][] = [
    ['a new password', newPassword],
    ['a reset', reset],
    ['a new address', newAddress],
  ];
  const resetByAdministrator = byAdministrator('POST', '/password', { newPassword: NEW_PASSWORD });
  const stampOf = async () => (await app.users.findOneByOrFail({ id: user.id })).securityStamp;

  it.each([...ownChanges, ['a reset by an administrator', resetByAdministrator] as const])(
    'end before %s, and those that began meanwhile and could not be ended are refused after it',
    async (_, prepare) => {
      const change = await prepare(await app.tokenOf(user));
      const stamp = await stampOf();
      app.get(LoginsElsewhere).ends.push(away);
      expect([await app.outcomeOf(change()), await stampOf()]).toEqual([50300, stamp]); // it was not made

      let meanwhile = '';
      const loginAfter = async (end: () => Promise<number>) => {
        const count = await end();
        meanwhile = await app.tokenOf(user);
        expect(await app.codeOf(meanwhile)).toBe(200);
        return count;
      };
      app.get(LoginsElsewhere).ends.push(loginAfter, away);
      expect(await app.outcomeOf(change())).toBe(50300);
      expect(await app.stateOf(meanwhile)).toBe('40101 revoked');
      expect(app.heard('sessions-ended').at(-1)).toMatchObject({ subjectId: user.id, success: false });
    },
  );

  it.each([
    ['disabled', byAdministrator('PATCH', '', { status: AuthUserStatus.DISABLED })],
    ['deleted', byAdministrator('DELETE', '')],
  ])('are refused once the user is %s, also where they could not be ended', async (_, prepare) => {
    const session = await app.tokenOf(user);
    const change = await prepare(session);
    expect(await app.codeOf(session)).toBe(200);
    app.get(LoginsElsewhere).ends.push(away);
    expect(await app.outcomeOf(change())).toBe(50300);
    expect(await app.stateOf(session)).toBe('40101 revoked');
  });

  it('do not keep the notice of a change from the former address', async () => {
    const change = await newAddress(await app.tokenOf(user));
    app.mailbox.mails.length = 0;
    app.get(LoginsElsewhere).ends.push((end) => end(), away);
    expect(await app.outcomeOf(change())).toBe(50300);
    expect((await app.addresses.find(user.id))?.address).toBe(wanted);
    await app.mailsSent();
    expect(app.mailbox.to(user.address, 'address-changed')).toHaveLength(1);
  });

  it('do not keep a reset from unlocking the login', async () => {
    freezeDate(Date.now() - 60 * 60_000); // so that nobody has to wait after this test
    const change = await reset('');
    for (let i = 0; i < 6; i++) {
      await app.login(user.username, `a wrong one ${i}`);
    }
    const throttle = app.get(LoginThrottle);
    expect(await throttle.lockedUntil(user.username)).not.toBeNull();
    app.get(LoginsElsewhere).ends.push((end) => end(), away);
    expect(await app.outcomeOf(change())).toBe(50300);
    expect(await throttle.lockedUntil(user.username)).toBeNull();
  });
});
