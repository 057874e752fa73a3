import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OneTimeTokens } from 'kit-auth/store';
import { atOnce, nameOf, PASSWORD, type Place, sharedInstances } from 'test-support';
import { EmailApp, loginDuringReset, NEW_PASSWORD, type UserWithAddress } from './app.js';

const AT_ONCE = 20;

/** What a reset does on every database. */
export function describeReset(place: Place): void {
  describe(`a reset of the password ${nameOf(place)}`, () => {
    const [app, second] = sharedInstances(
      place,
      (options) => new EmailApp({ ...options, admin: true, options: { jwt: { checkStamp: true } } }),
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
    const outcomeOf = (token: string, password?: string) => app.outcomeOf(second.reset(token, password));

    it('sets the password, proves the address, and ends all sessions', async () => {
      await app.addresses.assign(user.id, user.address, { verified: false });
      await app.users.update(user.id, { mustChangePassword: true });
      const sessions = [await app.tokenOf(user), await second.tokenOf(user)];
      const token = await app.resetToken(user);
      expect(app.mailbox.to(user.address)).toMatchObject([
        {
          kind: 'reset',
          link: expect.stringMatching(/^https:\/\/app\.example\/reset#kato_[\w-]+$/),
          user: { userId: user.id, username: user.username },
        },
      ]);
      const answer = await app.reset(token);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect([await app.codeOf(sessions[0]), await second.codeOf(sessions[1])]).toEqual([40101, 40101]);
      expect((await app.login(user.username)).json.code).toBe(40110);
      expect((await second.login(user.username, NEW_PASSWORD)).status).toBe(200);
      expect((await app.addresses.find(user.id))?.verifiedAt).toBeInstanceOf(Date);
      expect((await app.users.findOneByOrFail({ id: user.id })).mustChangePassword).toBe(false);
      expect(await outcomeOf(token)).toBe(40010);
      await app.mailsSent();
      expect(app.mailbox.to(user.address).map(({ kind }) => kind)).toEqual(['reset', 'password-changed']);
      const events = ['password-reset-requested', 'password-reset'];
      expect(app.eventsOf(user)).toEqual(expect.arrayContaining(events));
    });

    it('sets the first password of an account without one', async () => {
      await app.users.update(user.id, { passwordHash: null });
      expect(await outcomeOf(await app.resetToken(user))).toBe(204);
      expect((await app.login(user.username, NEW_PASSWORD)).status).toBe(200);
    });

    it('happens once, however often its token arrives at two instances', async () => {
      const token = await app.resetToken(user);
      const codes = await atOnce([app, second], AT_ONCE, (i) =>
        app.outcomeOf([app, second][i % 2]!.reset(token)),
      );
      expect(codes.sort()).toEqual([204, ...Array<number>(AT_ONCE - 1).fill(40010)]);
    });

    it('leaves the link usable when the new password is not allowed', async () => {
      const token = await app.resetToken(user);
      const { json } = await app.reset(token, 'short');
      expect([json.code, json.reason]).toEqual([40000, 'password-too-short']);
      expect(await outcomeOf(token)).toBe(204);
    });

    it('leaves the link usable when it fails between claim and commit', async () => {
      const token = await app.resetToken(user);
      const cancel = jest.spyOn(app.get(OneTimeTokens), 'cancel');
      cancel.mockRejectedValueOnce(new Error('the process dies'));
      expect(await app.outcomeOf(app.reset(token))).toBe(50300);
      cancel.mockRestore();
      expect((await app.login(user.username)).status).toBe(200);
      expect(await outcomeOf(token)).toBe(204);
    });

    it('takes the newest link only, none of another purpose, and cancels the others of the user', async () => {
      const change = await app.changeToken(await app.tokenOf(user), `new.${user.username}@example.com`);
      const first = await app.resetToken(user);
      await app.call(admin, 'POST', `users/${user.id}/reset-link`);
      await app.mailsSent();
      const [, newest = ''] = app.mailbox.to(user.address, 'reset').map(({ link }) => link!.split('#')[1]!);
      expect(await outcomeOf(first)).toBe(40010);
      expect(await outcomeOf(change)).toBe(40010);
      expect(await app.outcomeOf(app.confirm(newest))).toBe(40010);
      expect(await outcomeOf(newest)).toBe(204);
      expect(await app.outcomeOf(app.confirm(change))).toBe(40010);
      expect(await app.tokensOf(user)).toEqual([]);
    });

    it.each([
      [
        'the password was changed',
        async () => {
          const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
          await app.call(await app.tokenOf(user), 'POST', 'password', body);
        },
      ],
      [
        'the user was deleted, of whom nothing is left',
        async () => {
          expect((await app.call(admin, 'DELETE', `users/${user.id}`)).status).toBe(204);
          expect([await app.addresses.find(user.id), await app.tokensOf(user)]).toEqual([undefined, []]);
        },
      ],
      [
        'the user has another address',
        () => app.addresses.assign(user.id, `x.${user.address}`, { verified: true }),
      ],
    ])('takes no link from before %s', async (_, change) => {
      const token = await app.resetToken(user);
      await change();
      expect(await outcomeOf(token, 'yet another one 4713')).toBe(40010);
    });

    it.each(['before', 'after'] as const)(
      'ends a login with the old password %s its token is issued',
      async (when) => {
        const { code, token } = await loginDuringReset(second, when, user, await app.resetToken(user));
        expect(code).toBe(40110);
        const kept = await app.call(await app.tokenOf(user.username, NEW_PASSWORD), 'GET', 'sessions');
        if (kept.status === 501) {
          return; // these logins are not listed, and this one ends with its answer
        }
        expect(kept.json).toHaveLength(1);
        expect(await app.codeOf(token)).toBe(40101);
      },
    );
  });
}
