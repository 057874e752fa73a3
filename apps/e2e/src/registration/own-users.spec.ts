import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BOTH, sharedTestApp } from 'test-support';
import { OwnUsers } from '../users/own-users.js';
import { moduleWith, RegisteredUsers, TransactionalUsers, withStore } from '../users/registered-users.js';
import { RegistrationApp, withoutDelays } from './app.js';

let addresses = 0;
const newAddress = () => `own-${++addresses}@example.com`;

afterEach(() => {
  jest.restoreAllMocks();
});

describe.each([
  ['without transactions', RegisteredUsers, BOTH[0]],
  ['with transactions of its own', TransactionalUsers, BOTH[1]],
] as const)('registration with a user store %s', (_how, store, platform) => {
  const app = sharedTestApp(
    new RegistrationApp({ ...withStore(moduleWith(store)), platform, registration: { roles: ['member'] } }),
  );
  beforeEach(withoutDelays);
  const users = () => app.get(OwnUsers);

  it('makes one account with a text for an id, however many use the link at once', async () => {
    const address = newAddress();
    const token = await app.linkTo(address);
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.complete(token)));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    expect(answers.filter(({ json }) => json.code === 40010)).toHaveLength(9);
    const { userId } = made[0]!.json.user;
    expect([userId, await app.addresses.findByKey(address)]).toEqual([
      expect.stringMatching(/^usr_/),
      expect.objectContaining({ userId, verifiedAt: expect.any(Date) }),
    ]);
    expect((await users().loadLoginUser(userId))?.roles).toEqual(['member']);
    expect(await app.stateOf(await app.tokenOf(address))).toBe('live');
    expect(app.eventsOf(address)).toEqual(expect.arrayContaining(['registered', 'login']));
  });

  if (store === TransactionalUsers) {
    return;
  }

  it('writes to the address of an account, and refuses links to taken names', async () => {
    const [address, name] = [newAddress(), newAddress()];
    await app.complete(await app.linkTo(address));
    await app.register(address);
    expect((await app.mail('already-registered', address)).user).toMatchObject({ username: address });
    const token = await app.linkTo(name);
    users().insert({ name, hash: 'x' });
    expect(await app.outcomeOf(token)).toBe('40900');
    expect(await app.addresses.findByKey(name)).toBeUndefined();
    users().db.prepare('delete from account where name = ?').run(name);
    expect(await app.outcomeOf(token)).toBe('200');
  });

  it('has invitations within the reach of the inviter', async () => {
    const manager = newAddress();
    const token = await app.invitation(await app.adminToken(), manager, { roles: ['manager'] });
    const { json } = await app.complete(token);
    const invite = async (more: object) =>
      (await app.call(json.token, 'POST', 'invitations', { email: newAddress(), ...more })).json.code;
    expect(await invite({ roles: ['root'] })).toBe(40300);
    expect(await invite({ roles: ['nobody'] })).toBe(40000);
    const invited = await app.invitation(json.token, newAddress(), { roles: ['manager'] });
    users().db.prepare('update account set active = 0 where id = ?').run(json.user.userId);
    expect(await app.outcomeOf(invited)).toBe('40010');
    users().db.prepare('update account set active = 1 where id = ?').run(json.user.userId);
    expect(await app.outcomeOf(invited)).toBe('200');
  });
});

describe('the roles of every new account', () => {
  it('make no administrators, neither at the start nor later', async () => {
    @Injectable()
    class Roles implements OnModuleInit {
      constructor(private readonly dataSource: DataSource) {}

      async onModuleInit(): Promise<void> {
        const roles = this.dataSource.getRepository('AuthRole');
        const manager = await roles.save({ code: 'mgr', name: 'M', permissions: ['auth:user:read'] });
        await roles.save({ code: 'lead', name: 'Lead', permissions: ['note:*'], includes: [manager] });
        await roles.save({ code: 'member', name: 'Member', permissions: ['note:read', 'author:read'] });
      }
    }
    const startWith = (...roles: string[]) =>
      new RegistrationApp({ providers: [Roles], registration: { roles } }).start();
    const key = 'kit.auth.registration.roles names the role';
    await expect(startWith('lead')).rejects.toThrow(`${key} lead, which grants auth:user:read`);
    const app = await startWith('member');
    const token = await app.linkTo(newAddress());
    await app.roles.update({ code: 'member' }, { permissions: ['auth:role:write'] });
    expect(await app.outcomeOf(token)).toBe('50300');
    expect(app.logs.all()).toContain(
      '[auth] registration is not possible: kit.auth.registration.roles names',
    );
    await app.roles.update({ code: 'member' }, { permissions: ['note:read'] });
    expect(await app.outcomeOf(token)).toBe('200');
  });
});
