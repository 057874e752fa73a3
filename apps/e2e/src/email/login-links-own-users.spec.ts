import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthModule, type UserId } from 'kit-auth';
import { KitAuthRegistrationModule } from 'kit-auth-registration';
import { freezeDate, sharedTestApp } from 'test-support';
import { LoginLinkApp, otherThan, SIGN_UP } from './login-links-app.js';
import { OwnUsers } from '../users/own-users.js';
import { moduleWith, RegisteredUsers, TransactionalUsers } from '../users/registered-users.js';

describe.each([
  ['without transactions', RegisteredUsers],
  ['with transactions of its own', TransactionalUsers],
])('login links of users with text ids, in a store %s', (_, store) => {
  const app = sharedTestApp(
    new LoginLinkApp({
      provider: 'jwt',
      core: KitAuthModule.forRoot({
        users: moduleWith(store),
        password: { cost: 10 },
        jwt: { checkStamp: 0 },
      }),
      imports: [KitAuthRegistrationModule.forRoot({ roles: ['member'] })],
      email: { ...SIGN_UP, loginLinks: { signUp: true } },
    }),
  );
  let id: UserId;
  let address: string;
  let count = 0;
  beforeEach(async () => {
    app.sendAtOnce();
    address = `Ada.${++count}@example.com`;
    id = app.get(OwnUsers).insert({ name: `ada.${count}`, hash: '' });
    await app.addresses.assign(id, address, { verified: true });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('make accounts of unknown addresses', async () => {
    const unknown = `new.${count}@example.com`;
    const link = await app.linkTo(unknown);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => app.open(link)));
    expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['200', '40010']));
    const owner = await app.addresses.findByKey(unknown);
    expect(await app.get(OwnUsers).loadLoginUser(owner!.userId)).toMatchObject({
      username: unknown,
      roles: ['member'],
    });
  });

  if (store === TransactionalUsers) {
    return;
  }

  it('log in once, and end with five wrong codes', async () => {
    const pass = freezeDate();
    const link = await app.linkTo(address);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => app.open(link)));
    expect(outcomes.sort()).toEqual(['200', ...Array<string>(9).fill('40010')]);
    pass(61_000);
    const { code } = await app.linkTo(address);
    const wrong = { email: address, code: otherThan(code) };
    await Promise.all(Array.from({ length: 6 }, () => app.complete(wrong)));
    expect(await app.outcome({ email: address, code })).toBe('40010');
    pass(61_000);
    const newest = await app.linkTo(address);
    const { json } = await app.complete({ email: address, code: newest.code });
    expect(json.user.userId).toBe(id);
  });

  it('end with a change of the user, and with the address', async () => {
    const link = await app.linkTo(address);
    expect((await app.reset(await app.resetToken({ address }))).status).toBe(204);
    expect(await app.open(link)).toBe('40010');
    const pass = freezeDate();
    pass(61_000);
    const next = await app.linkTo(address);
    await app.addresses.remove(id);
    expect(await app.open(next)).toBe('40010');
    expect(await app.outcome({ email: address, code: next.code })).toBe('40010');
  });
});
