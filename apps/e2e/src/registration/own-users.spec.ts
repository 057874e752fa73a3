import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
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

  it('refuses links to taken names, and keeps them', async () => {
    const name = newAddress();
    const token = await app.linkTo(name);
    users().insert({ name, hash: 'x' });
    expect(await app.outcomeOf(token)).toBe('40900');
    expect(await app.addresses.findByKey(name)).toBeUndefined();
    users().db.prepare('delete from account where name = ?').run(name);
    expect(await app.outcomeOf(token)).toBe('200');
  });

  it('accepts invitations of inviters who may still invite', async () => {
    const manager = await app.invitation(await app.adminToken(), newAddress(), { roles: ['manager'] });
    const { token, user } = (await app.complete(manager)).json;
    const invited = await app.invitation(token, newAddress(), { roles: ['manager'] });
    const setActive = users().db.prepare('update account set active = ? where id = ?');
    setActive.run(0, user.userId);
    expect(await app.outcomeOf(invited)).toBe('40010');
    setActive.run(1, user.userId);
    expect(await app.outcomeOf(invited)).toBe('200');
  });
});
