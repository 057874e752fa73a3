import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { OneTimeTokens } from 'kit-auth/one-time';
import {
  atOnce,
  type DatabaseName,
  PASSWORD,
  type ProviderName,
  sharedDatabase,
  sharedTestApp,
} from 'test-support';
import {
  EmailApp,
  type EmailAppOptions,
  EmptyEmailApp,
  loginDuringReset,
  NEW_PASSWORD,
  type UserWithAddress,
} from './app.js';

const AT_ONCE = 20;

/** What a reset does on every database. @param rounds of the race with a login */
export function describeReset(database: DatabaseName, provider: ProviderName, rounds: number): void {
  describe(`a reset of the password on ${database} with ${provider}`, () => {
    const shared = sharedDatabase(database);
    const options: EmailAppOptions = {
      provider,
      admin: true,
      database: shared,
      imports: provider === 'jwt' ? [KitAuthRefreshModule] : [],
      options: { jwt: { checkStamp: true } },
    };
    const app = sharedTestApp<EmailApp>(new EmptyEmailApp(shared, options));
    const second = sharedTestApp(
      new EmailApp({
        ...options,
        database: { ...shared, options: { ...shared.options, synchronize: false } as never },
      }),
    );
    let admin: string;
    let user: UserWithAddress;

    beforeAll(async () => {
      admin = await app.adminToken();
    });
    afterAll(() => {
      jest.restoreAllMocks();
    });
    beforeEach(async () => {
      user = await app.addressed();
    });

    it('sets the password, proves the address, and ends all sessions', async () => {
      await app.addresses.assign(user.id, user.address, { verified: false });
      await app.users.update(user.id, { mustChangePassword: true });
      const tokens = [await app.tokenOf(user), await second.tokenOf(user)];
      const [mail] = [await app.resetToken(user)].map(() => app.mailbox.to(user.address)[0]);
      expect(mail).toMatchObject({
        kind: 'reset',
        link: expect.stringMatching(/^https:\/\/app\.example\/reset#kato_[\w-]+$/),
        user: { userId: user.id, username: user.username },
      });
      const token = mail!.link!.split('#')[1];
      const answer = await app.reset(token);
      expect([answer.status, answer.text]).toEqual([204, '']);
      for (const [index, it] of [app, second].entries()) {
        expect(await it.codeOf(tokens[index])).toBe(40101);
      }
      expect((await app.login(user.username)).json.code).toBe(40110);
      expect((await second.login(user.username, NEW_PASSWORD)).status).toBe(200);
      expect((await app.addresses.find(user.id))?.verifiedAt).toBeInstanceOf(Date);
      const { mustChangePassword } = await app.users.findOneByOrFail({ id: user.id });
      expect(mustChangePassword).toBe(false);
      expect(await app.outcomeOf(app.reset(token))).toBe(40010);
      await app.mailsSent();
      expect(app.mailbox.to(user.address).map(({ kind }) => kind)).toEqual(['reset', 'password-changed']);
      expect(app.eventsOf(user)).toEqual(
        expect.arrayContaining(['password-reset-requested', 'password-reset']),
      );
    });

    it('sets the first password of an account without one', async () => {
      await app.users.update(user.id, { passwordHash: null });
      expect(await app.outcomeOf(app.reset(await app.resetToken(user)))).toBe(204);
      expect((await app.login(user.username, NEW_PASSWORD)).status).toBe(200);
    });

    it('happens once, however often its token arrives at two instances', async () => {
      const token = await app.resetToken(user);
      const answers = await atOnce([app, second], AT_ONCE, (i) =>
        app.outcomeOf([app, second][i % 2]!.reset(token)),
      );
      expect(answers.filter((code) => code === 204)).toHaveLength(1);
      expect(answers.filter((code) => code === 40010)).toHaveLength(AT_ONCE - 1);
      await Promise.all([app.mailsSent(), second.mailsSent()]);
      const notices = [app, second].flatMap((instance) =>
        instance.mailbox.to(user.address, 'password-changed'),
      );
      expect(notices).toHaveLength(1);
    });

    it('leaves the link usable when the new password is not allowed', async () => {
      const token = await app.resetToken(user);
      const { json } = await app.reset(token, 'short');
      expect([json.code, json.reason]).toEqual([40000, 'password-too-short']);
      expect(await app.outcomeOf(app.reset(token, 'password123'))).toBe(40000);
      expect(await app.outcomeOf(app.reset(token))).toBe(204);
    });

    it('leaves the link usable when it fails between claim and commit', async () => {
      const token = await app.resetToken(user);
      const session = await app.tokenOf(user);
      const tokens = app.get(OneTimeTokens);
      const cancel = jest.spyOn(tokens, 'cancel').mockRejectedValueOnce(new Error('the process dies'));
      expect(await app.outcomeOf(app.reset(token))).toBe(50300);
      cancel.mockRestore();
      expect((await app.login(user.username)).status).toBe(200);
      expect([200, 40101]).toContain(await app.codeOf(session));
      expect(await app.outcomeOf(second.reset(token))).toBe(204);
    });

    it('cancels the other links of the user', async () => {
      const session = await app.tokenOf(user);
      const other = await app.changeToken(session, `new.${user.username}@example.com`);
      expect(await app.outcomeOf(app.reset(await app.resetToken(user)))).toBe(204);
      expect(await app.outcomeOf(app.confirm(other))).toBe(40010);
      expect(await app.tokensOf(user)).toEqual([]);
    });

    it('takes the newest link only, and none of another purpose', async () => {
      const moved = await app.addressed();
      const first = await app.resetToken(user);
      await app.call(admin, 'POST', `users/${user.id}/reset-link`);
      await app.mailsSent();
      const [, newest] = app.mailbox.to(user.address, 'reset').map(({ link }) => link!.split('#')[1]);
      expect(await app.outcomeOf(app.reset(first))).toBe(40010);
      expect(await app.outcomeOf(app.confirm(newest))).toBe(40010);
      const change = await app.changeToken(await app.tokenOf(moved), `new.${moved.username}@example.com`);
      expect(await app.outcomeOf(app.reset(change))).toBe(40010);
      expect(await app.outcomeOf(app.reset(newest))).toBe(204);
      expect(await app.outcomeOf(app.confirm(change))).toBe(204);
    });

    it.each([
      [
        'the password was changed',
        async () => {
          const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
          await app.call(await app.tokenOf(user), 'POST', 'password', body);
        },
      ],
      ['the user was deleted', () => app.call(admin, 'DELETE', `users/${user.id}`)],
      [
        'the user has another address',
        () => app.addresses.assign(user.id, `moved.${user.id}@example.com`, { verified: true }),
      ],
    ])('takes no link from before %s', async (_, change) => {
      const token = await app.resetToken(user);
      await change();
      expect(await app.outcomeOf(second.reset(token, 'yet another one 4713'))).toBe(40010);
    });

    it('leaves no session of a login with the old password that runs at the same time', async () => {
      for (let round = 0; round < rounds; round++) {
        const raced = await app.addressed();
        const token = await app.resetToken(raced);
        const [login, status] = await Promise.all([
          second.login(raced.username),
          app.outcomeOf(app.reset(token)),
        ]);
        expect(status).toBe(204);
        if (login.status === 200) {
          expect(await second.codeOf(login.json.token)).toBe(40101);
          if (login.json.refreshToken !== undefined) {
            const { json } = await app.call(undefined, 'POST', 'token/refresh', login.json);
            expect(json.code).toBe(40101);
          }
        }
      }
    });

    it.each(['before', 'after'] as const)(
      'ends a login with the old password %s its token is issued',
      async (when) => {
        const { code, token } = await loginDuringReset(second, when, user, await app.resetToken(user));
        expect(code).toBe(40110);
        expect(await app.codeOf(token)).toBe(40101);
        const { json } = await app.call(await app.tokenOf(user.username, NEW_PASSWORD), 'GET', 'sessions');
        expect(json).toHaveLength(1);
      },
    );

    it('is impossible once the user is deleted, of whom nothing is left', async () => {
      await app.resetToken(user);
      const { status } = await app.call(admin, 'DELETE', `users/${user.id}`);
      expect(status).toBe(204);
      expect(await app.addresses.find(user.id)).toBeUndefined();
      expect(await app.tokensOf(user)).toEqual([]);
      const mails = app.mailbox.mails.length;
      expect((await app.forgot(user.address)).status).toBe(202);
      await app.mailsSent();
      expect(app.mailbox.mails).toHaveLength(mails);
    });
  });
}
