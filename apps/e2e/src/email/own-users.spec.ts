import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { AuthErrorCode, AuthException, KitAuthModule, type UserId } from 'kit-auth';
import { PASSWORD, sharedTestApp, until } from 'test-support';
import { EmailApp, NEW_PASSWORD, tokenIn } from './app.js';
import { OwnUsers, OwnUsersModule } from '../users/own-users.js';
import { TransactionsModule, UsersInTransactions } from '../users/in-transactions.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);

describe.each([
  ['without transactions', OwnUsersModule, OwnUsers],
  ['with transactions of TypeORM', TransactionsModule, UsersInTransactions],
])('users of an application with text ids, %s', (_, users, store) => {
  const app = sharedTestApp(
    new EmailApp({ core: KitAuthModule.forRoot({ users, password: { cost: 10 }, jwt: { checkStamp: 0 } }) }),
  );
  let id: UserId;
  let count = 0;
  const address = () => `Ada.${count}@example.com`;
  beforeEach(async () => {
    app.sendAtOnce();
    count++;
    id = app.get<OwnUsers>(store).insert({ name: `ada.${count}@example.com`, hash: HASH });
    await app.addresses.assign(id, address(), { verified: false });
  });
  const login = (password?: string) => app.login(`ada.${count}@example.com`, password);

  it('reset their password once', async () => {
    const session = (await login()).json.token;
    const token = await app.resetToken({ address: address() });
    expect((await app.reset(token, 'short')).json.code).toBe(40000);
    expect([await app.outcomeOf(app.reset(token)), await app.outcomeOf(app.reset(token))]).toEqual([
      204, 40010,
    ]);
    expect((await login()).json.code).toBe(40110);
    expect((await login(NEW_PASSWORD)).status).toBe(200);
    expect(await app.codeOf(session)).toBe(40101);
    expect(await app.addresses.find(id)).toMatchObject({ verifiedAt: expect.any(Date), source: 'owner' });
    await app.mailsSent();
    expect(app.mailbox.to(address()).map(({ kind }) => kind)).toEqual(['reset', 'password-changed']);
  });

  it('change their address', async () => {
    const wanted = `new.${count}@example.com`;
    const { token } = (await login()).json;
    expect((await app.call(token, 'POST', 'email', { email: wanted })).status).toBe(202);
    const link = tokenIn(await until(() => app.mailbox.to(wanted)[0]));
    expect((await app.confirm(link, token)).status).toBe(204);
    expect(await app.addresses.find(id)).toMatchObject({ userId: id, address: wanted });
    expect((await app.login(wanted)).status).toBe(200);
  });

  if (store === UsersInTransactions) {
    it('learn why their store refuses a password, and that a link is of no use after a change', async () => {
      const token = await app.resetToken({ address: address() });
      const change = jest.spyOn(app.get(UsersInTransactions), 'changePassword');
      const refusal = { message: 'You have had this password before' };
      change.mockRejectedValueOnce(new AuthException(AuthErrorCode.CONFLICT, refusal));
      expect((await app.reset(token)).json).toMatchObject({ code: 40900, ...refusal });
      change.mockResolvedValueOnce(false);
      expect(await app.outcomeOf(app.reset(token))).toBe(40010);
    });
  }
});
