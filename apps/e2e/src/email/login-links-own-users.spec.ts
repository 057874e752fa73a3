import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthModule, type UserId } from 'kit-auth';
import { KitAuthRegistrationModule } from 'kit-auth-registration';
import { sharedTestApp } from 'test-support';
import { LoginLinkApp, SIGN_UP } from './login-links-app.js';
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
});
