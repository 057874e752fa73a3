import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { ActiveLogins } from 'kit-auth/extend';
import { OneTimeTokens } from 'kit-auth/one-time';
import {
  atOnce,
  type Answer,
  CloseRace,
  type DatabaseName,
  freezeDate,
  PASSWORD,
  type ProviderName,
  sharedDatabase,
  sharedTestApp,
  until,
} from 'test-support';
import { DataSource, type EntityManager } from 'typeorm';
import { EmailApp, EmptyEmailApp, tokenIn, type UserWithAddress } from './app.js';

const AT_ONCE = 20;
/** On servers. SQLite locks its file, and a connection that waits blocks the process. */
const RACES = 100;
const DAY = 24 * 60 * 60_000;
let addresses = 0;

/** What a change of an address does on every database. */
export function describeAddresses(database: DatabaseName, provider: ProviderName): void {
  describe(`addresses on ${database} with ${provider}`, () => {
    const shared = sharedDatabase(database);
    const options = {
      provider,
      admin: true,
      database: shared,
      imports: provider === 'jwt' ? [KitAuthRefreshModule] : [],
    };
    const app = sharedTestApp<EmailApp>(new EmptyEmailApp(shared, options));
    const second = sharedTestApp(
      new EmailApp({
        ...options,
        database: { ...shared, options: { ...shared.options, synchronize: false } as never },
      }),
    );
    let user: UserWithAddress;
    let session: string;
    let wanted: string;

    afterAll(() => {
      jest.restoreAllMocks();
    });
    afterEach(() => {
      jest.useRealTimers();
    });
    beforeEach(async () => {
      user = await app.addressed();
      session = await app.tokenOf(user);
      wanted = `Wanted.${++addresses}@example.com`;
    });
    const own = async () => (await app.call(session, 'GET', 'email')).json;

    it('change once the new one is proved, and other sessions end', async () => {
      const other = await second.tokenOf(user);
      expect(await own()).toEqual({ email: user.address, verified: true });
      const token = await app.changeToken(session, wanted);
      expect(await own()).toEqual({ email: user.address, verified: true });
      const [notice] = await until(() => app.mailbox.some(user.address, 'address-changed'));
      expect(notice?.expiresAt?.getTime()).toBeGreaterThan(Date.now() + DAY - 60_000);
      expect(notice?.link).toBeUndefined();
      expect(await second.outcomeOf(second.confirm(token))).toBe(204);
      expect(await second.outcomeOf(second.confirm(token))).toBe(40010);
      expect(await own()).toEqual({ email: wanted, verified: true });
      expect(await second.codeOf(other)).toBe(40101);
      await second.mailsSent();
      expect(second.mailbox.to(user.address)).toEqual([
        {
          kind: 'address-changed',
          to: user.address,
          user: expect.objectContaining({ userId: user.id, username: user.username }),
        },
      ]);
      expect(second.eventsOf(user)).toContain('address-changed');
      expect((await app.login(user.username)).status).toBe(200);
    });

    it('take the username with them where that is the address', async () => {
      await app.users.update(user.id, { username: user.address.toLowerCase() });
      const token = await app.changeToken(await app.tokenOf(user.address.toLowerCase()), wanted);
      expect(await app.outcomeOf(app.confirm(token))).toBe(204);
      expect((await app.login(user.address.toLowerCase())).status).toBe(401);
      const { json } = await app.login(wanted.toLowerCase());
      expect(json.user).toMatchObject({ userId: user.id, username: wanted.toLowerCase() });
      const [event] = app.heard('address-changed').slice(-1);
      expect(event).toMatchObject({ subjectId: user.id, subject: wanted.toLowerCase(), detail: null });
    });

    it('change once, however often a token arrives at two instances', async () => {
      const token = await app.changeToken(session, wanted);
      const answers = await atOnce([app, second], AT_ONCE, (i) =>
        app.outcomeOf([app, second][i % 2]!.confirm(token)),
      );
      expect(answers.filter((code) => code === 204)).toHaveLength(1);
      expect(answers.filter((code) => code === 40010)).toHaveLength(AT_ONCE - 1);
    });

    it('go to one of two users who prove the same one', async () => {
      const moveDate = freezeDate();
      const rival = await app.addressed();
      const tokens = [await app.changeToken(session, wanted)];
      const [before] = app.mailbox.to(wanted);
      moveDate(61_000);
      await app.call(await app.tokenOf(rival), 'POST', 'email', { email: wanted.toUpperCase() });
      tokens.push(tokenIn(await until(() => app.mailbox.to(wanted.toUpperCase())[0])));
      expect(before?.user?.userId).toBe(user.id);
      const codes = await atOnce([app, second], 2, (i) =>
        app.outcomeOf([app, second][i]!.confirm(tokens[i]!)),
      );
      expect(codes.sort()).toEqual([204, 40900]);
      expect(await app.addresses.findByKey(wanted.toLowerCase())).toBeDefined();
    });

    it('keep a link whose address, or username, somebody else has got, until it is free again', async () => {
      await app.users.update(user.id, { username: user.address.toLowerCase() });
      const token = await app.changeToken(await app.tokenOf(user.address.toLowerCase()), wanted);
      const owner = await app.user({ username: wanted.toLowerCase() });
      expect(await app.outcomeOf(app.confirm(token))).toBe(40900);
      await app.users.delete(owner.id);
      await app.addresses.assign(4711, wanted, { verified: false });
      expect(await app.outcomeOf(app.confirm(token))).toBe(40900);
      await app.addresses.remove(4711);
      expect((await app.addresses.find(user.id))?.address).toBe(user.address);
      expect(await app.outcomeOf(app.confirm(token))).toBe(204);
    });

    it('keep a link when the change fails between claim and commit', async () => {
      const token = await app.changeToken(session, wanted);
      const cancel = jest
        .spyOn(app.get(OneTimeTokens), 'cancel')
        .mockRejectedValueOnce(new Error('the process dies'));
      expect(await app.outcomeOf(app.confirm(token))).toBe(50300);
      cancel.mockRestore();
      expect((await app.addresses.find(user.id))?.address).toBe(user.address);
      expect(await app.outcomeOf(app.confirm(token))).toBe(204);
    });

    it('are not changed by a link that was asked for right before a password change', async () => {
      const own = await second.tokenOf(user);
      expect((await app.call(session, 'POST', 'email', { email: wanted })).status).toBe(202);
      const passwords = { currentPassword: PASSWORD, newPassword: 'a passphrase of some length' };
      expect((await second.call(own, 'POST', 'password', passwords)).status).toBe(204);
      const mail = await until(() => app.mailbox.to(wanted, 'verify-address')[0]);
      expect(await app.outcomeOf(app.confirm(tokenIn(mail)))).toBe(40010);
      expect((await app.addresses.find(user.id))?.address).toBe(user.address);
    });

    describe('that are asked for', () => {
      let admin: string;
      beforeAll(async () => {
        admin = await app.adminToken();
      });

      /** A dead link, and a link after something has happened. */
      async function bytesAfter(end: (link: string) => Promise<unknown>): Promise<void> {
        const link = await app.changeToken(session, wanted);
        await end(link);
        const [dead, ended] = [await app.confirm(`${link.slice(0, -1)}_`), await second.confirm(link)];
        expect([ended.status, ended.json.code]).toEqual([400, 40010]);
        const bytesOf = ({ lines, text }: Answer) => [lines.filter((line) => !/^date/i.test(line)), text];
        expect(bytesOf(ended)).toEqual(bytesOf(dead));
        expect((await app.addresses.find(user.id))?.address).toBe(user.address);
      }
      const done = async (answer: Promise<Answer>) => expect((await answer).status).toBe(204);
      const asking = async () => (await app.get(ActiveLogins).sessions().listOf(user.id))[0]!.id;

      it.each<[string, () => Promise<unknown>]>([
        ['a logout', () => done(app.call(session, 'POST', 'logout'))],
        [
          'its end from another one',
          async () => done(app.call(await app.tokenOf(user), 'DELETE', `sessions/${await asking()}`)),
        ],
        ['an end of all others', () => done(app.call(session, 'DELETE', 'sessions'))],
        [
          'an end of all from another one',
          async () => done(second.call(await second.tokenOf(user), 'DELETE', 'sessions')),
        ],
        ['a kick', () => done(app.call(admin, 'DELETE', `users/${user.id}/sessions`))],
        [
          'a kick of it',
          async () => done(app.call(admin, 'DELETE', `users/${user.id}/sessions/${await asking()}`)),
        ],
        ['DELETE email/pending', () => done(app.call(session, 'DELETE', 'email/pending'))],
        [
          'a lock of the account',
          async () => {
            for (const status of ['DISABLED', 'ENABLED']) {
              expect((await app.call(admin, 'PATCH', `users/${user.id}`, { status })).status).toBe(200);
            }
          },
        ],
      ])('end with the login that asked: %s', (_, end) => bytesAfter(end));

      it('end before the mail has left', async () => {
        jest.spyOn(Math, 'random').mockReturnValue(1); // the longest delay, for slow databases
        expect((await app.call(session, 'POST', 'email', { email: wanted })).status).toBe(202);
        await done(second.call(session, 'DELETE', 'email/pending'));
        await done(second.call(session, 'DELETE', 'email/pending'));
        app.sendAtOnce();
        await app.mailsSent();
        expect([app.mailbox.to(wanted), await app.tokensOf(user)]).toEqual([[], []]);
      });

      it('do not end with another login, nor when that is confirmed', async () => {
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

      it('are confirmed before a kick is answered, or not at all', async () => {
        const tokens = app.get(OneTimeTokens);
        const outcomes = new Set<number>();
        const race = new CloseRace();
        for (let round = 0; round < (database === 'sqlite' ? 20 : RACES); round++) {
          user = await app.addressed();
          await app.tokenOf(user);
          const loginId = await asking();
          const key = `wanted.${++addresses}@example.com`;
          const data = { address: key, key, loginId };
          const { token } = await tokens.issue({
            purpose: 'change-address',
            userId: user.id,
            data,
            ttlSeconds: 60,
          });
          const addressOf = async () => (await app.addresses.find(user.id))!.address;
          const codeOf = ({ status, json }: Answer) => (json?.code as number | undefined) ?? status;
          const confirm = () => second.confirm(token).then(codeOf);
          const one = round % 2 === 0 ? `/${loginId}` : '';
          const kick = async () => {
            const answer = await app.call(admin, 'DELETE', `users/${user.id}/sessions${one}`);
            return { code: codeOf(answer), addressThen: await addressOf() };
          };
          const [confirmed, kicked] = await race.run(confirm, kick);
          race.wonBy(confirmed === 204 ? 'first' : 'second');
          expect(kicked.code).toBe(204);
          expect([204, 40010]).toContain(confirmed);
          const address = confirmed === 204 ? key : user.address;
          expect([kicked.addressThen, await addressOf()]).toEqual([address, address]);
          outcomes.add(confirmed);
        }
        expect(outcomes.size).toBe(2);
      });

      if (database === 'sqlite') {
        return; // It locks its file.
      }

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
        expect(await second.outcomeOf(second.confirm(link))).toBe(204);
        await logout;
        ending.mockRestore();
        expect(await app.codeOf(session)).toBe(40101);
      });
    });

    it('are not changed by links to the former address', async () => {
      const reset = await app.resetToken(user);
      expect(await app.outcomeOf(app.confirm(await app.changeToken(session, wanted)))).toBe(204);
      expect(await app.outcomeOf(app.reset(reset))).toBe(40010);
      expect(await app.tokensOf(user)).toEqual([]);
    });

    it('of other accounts get no mail, and the answer is the same', async () => {
      const other = await app.addressed();
      const answers = [other.address, wanted].map((email) => app.call(session, 'POST', 'email', { email }));
      const [known, unknown] = await Promise.all(answers);
      expect(known).toMatchObject({ status: 202, text: '' });
      expect(known!.lines.filter((line) => !/^date/i.test(line))).toEqual(
        unknown!.lines.filter((line) => !/^date/i.test(line)),
      );
      await app.mailsSent();
      expect(app.mailbox.to(other.address)).toEqual([]);
      expect(app.mailbox.to(user.address, 'address-changed')).toHaveLength(2);
    });

    it('are verified by a link of their own', async () => {
      const moveDate = freezeDate();
      await app.addresses.assign(user.id, user.address, { verified: false });
      expect(await own()).toEqual({ email: user.address, verified: false });
      expect((await app.call(session, 'POST', 'email/verify')).status).toBe(202);
      const token = tokenIn(await until(() => app.mailbox.to(user.address, 'verify-address')[0]));
      moveDate(61_000);
      const again = await app.call(session, 'POST', 'email', { email: user.address.toUpperCase() });
      expect(again.status).toBe(202);
      const newest = tokenIn(await until(() => app.mailbox.to(user.address, 'verify-address')[1]));
      expect(await app.outcomeOf(app.confirm(token))).toBe(40010);
      expect(await app.outcomeOf(app.reset(newest))).toBe(40010);
      const codes = await atOnce([app, second], AT_ONCE, (i) =>
        app.outcomeOf([app, second][i % 2]!.confirm(newest)),
      );
      expect(codes.sort()).toEqual([204, ...Array<number>(AT_ONCE - 1).fill(40010)]);
      expect(await own()).toEqual({ email: user.address, verified: true });
      expect([...app.eventsOf(user), ...second.eventsOf(user)]).toContain('address-verified');
      expect(await app.codeOf(session)).toBe(200);
      expect((await app.call(session, 'POST', 'email/verify')).json.code).toBe(40900);
      expect((await app.call(session, 'POST', 'email', { email: user.address })).json.code).toBe(40900);
    });

    it('can be the first one of a user', async () => {
      const without = await app.user();
      session = await app.tokenOf(without);
      expect(await own()).toEqual({ email: null, verified: false });
      expect((await app.call(session, 'POST', 'email/verify')).json.code).toBe(40900);
      expect(await app.outcomeOf(app.confirm(await app.changeToken(session, wanted)))).toBe(204);
      expect(await own()).toEqual({ email: wanted, verified: true });
    });

    it('belong to one user, however many are given one at once', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, i) =>
          [app, second]
            [i % 2]!.addresses.assign(100_000 + i, i % 3 === 0 ? wanted.toUpperCase() : wanted, {
              verified: false,
            })
            .then(
              () => 0,
              (error: unknown) => (error as { code: number }).code,
            ),
        ),
      );
      expect(outcomes.sort()).toEqual([0, ...Array<number>(AT_ONCE - 1).fill(40900)]);
    });

    it('are given in the transaction of a change, also where that is rolled back', async () => {
      const { manager } = app.get(DataSource);
      const inTransaction = (work: (manager: EntityManager) => Promise<unknown>) =>
        manager.transaction(async (changes) => {
          await work(changes);
          throw new Error('rolled back');
        });
      const { assign, remove } = {
        assign: (id: number, manager: EntityManager) =>
          app.addresses.assign(id, wanted, { verified: true }, manager),
        remove: (id: number, manager: EntityManager) => app.addresses.remove(id, manager),
      };
      await expect(inTransaction((manager) => assign(user.id, manager))).rejects.toThrow('rolled back');
      await expect(inTransaction((manager) => remove(user.id, manager))).rejects.toThrow('rolled back');
      expect(await app.addresses.find(user.id)).toMatchObject({ address: user.address });
      await app.addresses.assign(4712, wanted, { verified: true });
      await expect(inTransaction((manager) => assign(user.id, manager))).rejects.toMatchObject({
        code: 40900,
      });
      await app.addresses.remove(4712);
      await expect(app.addresses.assign(4712, 'no address', { verified: true })).rejects.toMatchObject({
        code: 40000,
      });
    });
  });
}
