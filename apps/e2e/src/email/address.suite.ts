import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ActiveLogins } from 'kit-auth/login';
import { OneTimeTokens } from 'kit-auth/store';
import {
  type Answer,
  CloseRace,
  freezeDate,
  nameOf,
  PASSWORD,
  type Place,
  sharedInstances,
  until,
} from 'test-support';
import { DataSource, type EntityManager } from 'typeorm';
import { EmailApp, NEW_PASSWORD, tokenIn, type UserWithAddress } from './app.js';

const AT_ONCE = 20;
const RACES = 100;
const DAY = 24 * 60 * 60_000;
let addresses = 0;

/** What a change of an address does on every database. */
export function describeAddresses(place: Place): void {
  describe(`addresses ${nameOf(place)}`, () => {
    const [app, second] = sharedInstances(place, (options) => new EmailApp({ ...options, admin: true }));
    let admin: string;
    let user: UserWithAddress;
    let session: string;
    let wanted: string;

    beforeAll(async () => {
      admin = await app.adminToken();
    });
    afterAll(() => {
      jest.restoreAllMocks();
    });
    beforeEach(async () => {
      user = await app.addressed();
      session = await app.tokenOf(user);
      wanted = `Wanted.${++addresses}@example.com`;
    });
    const own = async () => (await app.call(session, 'GET', 'email')).json;
    const storedAddress = async () => (await app.addresses.find(user.id))?.address;
    const confirmed = (token: string) => app.outcomeOf(second.confirm(token));
    const done = async (answer: Promise<Answer>) => expect((await answer).status).toBe(204);
    const asking = async () => (await app.get(ActiveLogins).sessions().listOf(user.id))[0]!.id;

    it('change once the new one is proved, and other sessions end', async () => {
      const other = await second.tokenOf(user);
      const token = await app.changeToken(session, wanted);
      expect(await own()).toEqual({ email: user.address, verified: true });
      const [notice] = await until(() => app.mailbox.some(user.address, 'address-changed'));
      expect(notice?.expiresAt?.getTime()).toBeGreaterThan(Date.now() + DAY - 60_000);
      expect(notice?.link).toBeUndefined();
      expect([await confirmed(token), await confirmed(token)]).toEqual([204, 40010]);
      expect(await own()).toEqual({ email: wanted, verified: true });
      expect(await second.codeOf(other)).toBe(40101);
      await second.mailsSent();
      expect(second.mailbox.to(user.address)).toEqual([
        { kind: 'address-changed', to: user.address, user: expect.objectContaining({ userId: user.id }) },
      ]);
      expect(app.eventsOf(user)).toContain('address-change-requested');
      expect(second.eventsOf(user)).toContain('address-changed');
      expect((await app.login(user.username)).status).toBe(200);
    });

    it('take the username with them where that is the address', async () => {
      const former = user.address.toLowerCase();
      await app.users.update(user.id, { username: former });
      const token = await app.changeToken(await app.tokenOf(former), wanted);
      expect(await confirmed(token)).toBe(204);
      expect((await app.login(former)).status).toBe(401);
      const { json } = await app.login(wanted.toLowerCase());
      expect(json.user).toMatchObject({ userId: user.id, username: wanted.toLowerCase() });
      const [event] = second.heard('address-changed').slice(-1);
      expect(event).toMatchObject({ subjectId: user.id, subject: wanted.toLowerCase(), detail: null });
    });

    it('keep a link whose address, or username, somebody else has got, until it is free again', async () => {
      await app.users.update(user.id, { username: user.address.toLowerCase() });
      const token = await app.changeToken(await app.tokenOf(user.address.toLowerCase()), wanted);
      const owner = await app.user({ username: wanted.toLowerCase() });
      expect(await confirmed(token)).toBe(40900);
      await app.users.delete(owner.id);
      await app.addresses.assign(4711, wanted, { verified: false });
      expect(await confirmed(token)).toBe(40900);
      await app.addresses.remove(4711);
      expect(await storedAddress()).toBe(user.address);
      expect(await confirmed(token)).toBe(204);
    });

    it('keep a link when the change fails between claim and commit', async () => {
      const token = await app.changeToken(session, wanted);
      const cancel = jest.spyOn(second.get(OneTimeTokens), 'cancel');
      cancel.mockRejectedValueOnce(new Error('the process dies'));
      expect(await confirmed(token)).toBe(50300);
      cancel.mockRestore();
      expect(await storedAddress()).toBe(user.address);
      expect(await confirmed(token)).toBe(204);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['a logout', () => done(app.call(session, 'POST', 'logout'))],
      ['an end of all others', () => done(app.call(session, 'DELETE', 'sessions'))],
      ['a kick', async () => done(app.call(admin, 'DELETE', `users/${user.id}/sessions/${await asking()}`))],
      ['DELETE email/pending', () => done(app.call(session, 'DELETE', 'email/pending'))],
      [
        'a change of the password',
        () => {
          const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
          return done(app.call(session, 'POST', 'password', passwords));
        },
      ],
    ])('do not change after %s', async (_, end) => {
      const link = await app.changeToken(session, wanted);
      await end();
      const [dead, ended] = [await app.confirm(`${link.slice(0, -1)}_`), await second.confirm(link)];
      expect([ended.json.code, ended.text]).toEqual([40010, dead.text]);
      expect(await storedAddress()).toBe(user.address);
    });

    it('do not change where that is taken back before the mail has left', async () => {
      jest.spyOn(Math, 'random').mockReturnValue(1); // the longest delay, for slow databases
      expect((await app.call(session, 'POST', 'email', { email: wanted })).status).toBe(202);
      await done(second.call(session, 'DELETE', 'email/pending'));
      await done(second.call(session, 'DELETE', 'email/pending'));
      app.sendAtOnce();
      await app.mailsSent();
      expect([app.mailbox.to(wanted), await app.tokensOf(user)]).toEqual([[], []]);
    });

    it('change after the end of another login, and keep the one that asked', async () => {
      const link = await app.changeToken(session, wanted);
      await done(app.call(await app.tokenOf(user), 'POST', 'logout'));
      const other = await app.tokenOf(user);
      const { json } = await app.call(session, 'GET', 'sessions');
      const { id } = (json as { id: string; current: boolean }[]).find(({ current }) => !current)!;
      await done(app.call(session, 'DELETE', `sessions/${id}`));
      const fresh = await app.call(session, 'POST', 'fresh', { password: PASSWORD });
      expect([fresh.status, await app.codeOf(other)]).toEqual([200, 40101]);
      await done(second.confirm(link));
      expect(await app.codeOf(fresh.json.token)).toBe(200);
    });

    if (place.database !== 'sqlite') {
      // SQLite locks its file, and a connection that waits blocks the process.
      it('change before a kick is answered, or not at all', async () => {
        const outcomes = new Set<number>();
        const race = new CloseRace();
        for (let round = 0; round < RACES; round++) {
          user = await app.addressed();
          await app.tokenOf(user);
          const loginId = await asking();
          const key = `raced.${++addresses}@example.com`;
          const data = { address: key, key, loginId };
          const wish = { purpose: 'change-address', userId: user.id, data, ttlSeconds: 60 };
          const { token } = await app.get(OneTimeTokens).issue(wish);
          const one = round % 2 === 0 ? `/${loginId}` : '';
          const kick = async () => {
            const kicked = await app.outcomeOf(app.call(admin, 'DELETE', `users/${user.id}/sessions${one}`));
            return [kicked, await storedAddress()];
          };
          const [outcome, kicked] = await race.run(() => confirmed(token), kick);
          race.wonBy(outcome === 204 ? 'first' : 'second');
          const address = outcome === 204 ? key : user.address;
          expect([kicked, await storedAddress()]).toEqual([[204, address], address]);
          outcomes.add(outcome);
        }
        expect([...outcomes].sort()).toEqual([204, 40010]);
      });

      it('keep the login that asked from ending while they are confirmed', async () => {
        const link = await app.changeToken(session, wanted);
        const logins = second.get(ActiveLogins);
        const endAllOf = logins.endAllOf.bind(logins);
        let isLoggedOut = false;
        let logout: Promise<void> | undefined;
        const ending = jest.spyOn(logins, 'endAllOf').mockImplementationOnce(async (...args) => {
          logout = done(app.call(session, 'POST', 'logout')).then(() => void (isLoggedOut = true));
          for (let i = 0; i < AT_ONCE; i++) {
            await app.call(admin, 'GET', 'email');
          }
          expect(isLoggedOut).toBe(false);
          await endAllOf(...args);
        });
        expect(await confirmed(link)).toBe(204);
        await logout;
        ending.mockRestore();
        expect(await app.codeOf(session)).toBe(40101);
      });
    }

    it('are not changed by links to the former address', async () => {
      const reset = await app.resetToken(user);
      expect(await confirmed(await app.changeToken(session, wanted))).toBe(204);
      expect(await app.outcomeOf(app.reset(reset))).toBe(40010);
      expect(await app.tokensOf(user)).toEqual([]);
    });

    it('of other accounts get no mail, and the answer is the same', async () => {
      const other = await app.addressed();
      const answers = [other.address, wanted].map((email) => app.call(session, 'POST', 'email', { email }));
      const [known, unknown] = await Promise.all(answers);
      expect(known).toMatchObject({ status: 202, text: '' });
      const linesOf = ({ lines }: Answer) => lines.filter((line) => !/^date/i.test(line));
      expect(linesOf(known!)).toEqual(linesOf(unknown!));
      await app.mailsSent();
      expect(app.mailbox.to(other.address)).toEqual([]);
      expect(app.mailbox.to(user.address, 'address-changed')).toHaveLength(2);
    });

    it('are verified by the newest link of their own, without a login', async () => {
      const moveDate = freezeDate();
      await app.addresses.assign(user.id, user.address, { verified: false });
      expect((await app.call(session, 'POST', 'email/verify')).status).toBe(202);
      const token = tokenIn(await until(() => app.mailbox.to(user.address, 'verify-address')[0]));
      moveDate(61_000);
      const again = await app.call(session, 'POST', 'email', { email: user.address.toUpperCase() });
      expect(again.status).toBe(202);
      const newest = tokenIn(await until(() => app.mailbox.to(user.address, 'verify-address')[1]));
      expect(await confirmed(token)).toBe(40010);
      expect(await app.outcomeOf(app.reset(newest))).toBe(40010);
      expect(await own()).toEqual({ email: user.address, verified: false });
      expect([await confirmed(newest), await confirmed(newest)]).toEqual([204, 40010]);
      expect(await own()).toEqual({ email: user.address, verified: true });
      expect(second.eventsOf(user)).toContain('address-verified');
      expect(await app.codeOf(session)).toBe(200);
      expect((await app.call(session, 'POST', 'email/verify')).json.code).toBe(40900);
      expect((await app.call(session, 'POST', 'email', { email: user.address })).json.code).toBe(40900);
    });

    it('can be the first one of a user', async () => {
      const without = await app.user();
      session = await app.tokenOf(without);
      expect(await own()).toEqual({ email: null, verified: false });
      expect((await app.call(session, 'POST', 'email/verify')).json.code).toBe(40900);
      expect(await confirmed(await app.changeToken(session, wanted))).toBe(204);
      expect(await own()).toEqual({ email: wanted, verified: true });
    });

    it('belong to one user, however many are given one at once', async () => {
      const assign = (_: unknown, i: number) => {
        const address = i % 3 === 0 ? wanted.toUpperCase() : wanted;
        return [app, second][i % 2]!.addresses.assign(100_000 + i, address, { verified: false }).then(
          () => 0,
          (error: unknown) => (error as { code: number }).code,
        );
      };
      const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, assign));
      expect(outcomes.sort()).toEqual([0, ...Array<number>(AT_ONCE - 1).fill(40900)]);
    });

    it('are given in the transaction of a change, also where that is rolled back', async () => {
      const inTransaction = (work: (manager: EntityManager) => Promise<unknown>) =>
        app.get(DataSource).manager.transaction(async (changes) => {
          await work(changes);
          throw new Error('rolled back');
        });
      const assign = (id: number, address: string, manager?: EntityManager) =>
        app.addresses.assign(id, address, { verified: true }, manager);
      const inChange = (manager: EntityManager) => assign(user.id, wanted, manager);
      await expect(inTransaction(inChange)).rejects.toThrow('rolled back');
      const remove = (manager: EntityManager) => app.addresses.remove(user.id, manager);
      await expect(inTransaction(remove)).rejects.toThrow('rolled back');
      expect(await storedAddress()).toBe(user.address);
      await assign(4712, wanted);
      await expect(inTransaction(inChange)).rejects.toMatchObject({ code: 40900 });
      await app.addresses.remove(4712);
      await expect(assign(4712, 'no address')).rejects.toMatchObject({ code: 40000 });
    });
  });
}
