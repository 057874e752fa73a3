import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ActiveUserStore } from 'kit-auth/feature';
import { NewPasswords } from 'kit-auth/login';
import { nameOf, type Place, sharedInstances } from 'test-support';
import { MemberRole, RegistrationApp, tokenIn, withoutDelays } from './app.js';

let addresses = 0;
const newAddress = () => `user-${++addresses}@example.com`;

/** What registration does with every database and implementation. */
export function describeRegistration(place: Place): void {
  describe(`registration ${nameOf(place)}`, () => {
    const given = { admin: true, providers: [MemberRole], registration: { roles: ['member'] } };
    const [app, second] = sharedInstances(place, (options) => new RegistrationApp({ ...options, ...given }));
    let admin: string;
    beforeAll(async () => {
      admin = await app.adminToken();
      await app.role({ code: 'editor', permissions: ['note:*'] });
    });
    beforeEach(withoutDelays);
    afterEach(() => {
      jest.restoreAllMocks();
    });

    async function inviterWith(...permissions: string[]) {
      const role = await app.role({ permissions });
      const user = await app.user({ roles: [role] });
      return { role, user, token: await app.tokenOf(user) };
    }
    const accountsOf = (username: string) => app.users.countBy({ username });

    it('makes an account of a link, and logs in', async () => {
      const typed = `Ada-${++addresses}@Example.com`;
      const key = typed.toLowerCase();
      const answer = await app.register(typed, { locale: 'pt-br' });
      expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([202, '', 'no-store']);
      const mail = await app.mail('register', typed);
      expect(mail).toMatchObject({ locale: 'pt-BR', expiresAt: expect.any(Date) });
      expect(mail.link).toMatch(/^https:\/\/app\.example\/register#kato_/);
      expect([await accountsOf(key), await app.addresses.findByKey(key)]).toEqual([0, undefined]);
      const { status, json } = await second.complete(tokenIn(mail), { nickname: ' Ada  ' });
      expect(status).toBe(200);
      expect(json.user).toEqual({
        userId: expect.any(Number),
        username: key,
        nickname: 'Ada',
        superAdmin: false,
      });
      expect(await app.stateOf(json.token)).toBe('live');
      expect(await app.stateOf(await app.tokenOf(key))).toBe('live');
      expect(await app.addresses.findByKey(key)).toMatchObject({
        userId: json.user.userId,
        address: typed,
        verifiedAt: expect.any(Date),
      });
      expect((await app.get(ActiveUserStore).loadLoginUser(json.user.userId))?.roles).toEqual(['member']);
      expect(second.eventsOf(key)).toEqual(['registered', 'login']);
      expect(await app.linksTo(key)).toBe(0);
    });

    it('makes one account, however many use a link at once', async () => {
      const address = newAddress();
      const token = await app.linkTo(address);
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) => [app, second][i % 2]!.outcomeOf(token)),
      );
      expect(outcomes.sort()).toEqual(['200', ...Array<string>(19).fill('40010')]);
      expect([await accountsOf(address), await app.linksTo(address)]).toEqual([1, 0]);
    });

    it('makes one account of two links that are used at once', async () => {
      const address = newAddress();
      const links = [await app.linkTo(address), await app.invitation(admin, address)];
      const outcomes = await Promise.all(links.map((link, i) => [app, second][i]!.outcomeOf(link)));
      expect(outcomes.sort()).toEqual(['200', expect.stringMatching(/^(40010|40900)$/)]);
      expect([await accountsOf(address), await app.linksTo(address)]).toEqual([1, 0]);
    });

    it('leaves the link when the address or the username was taken meanwhile', async () => {
      const [address, name] = [newAddress(), newAddress()];
      const links = [await app.linkTo(address), await app.linkTo(name)];
      await app.addresses.assign((await app.user()).id, address, { verified: false });
      await app.user({ username: name });
      for (const link of links) {
        expect(await app.outcomeOf(link)).toBe('40900');
      }
      expect([await app.linksTo(address), await app.linksTo(name)]).toEqual([1, 1]);
      expect(await accountsOf(address)).toBe(0);
    });

    it('leaves the link after a crash between its claim and the commit', async () => {
      const address = newAddress();
      const token = await app.linkTo(address);
      const assign = jest
        .spyOn(app.addresses, 'assign')
        .mockRejectedValue(new Error('the connection to the database ended'));
      expect(await app.outcomeOf(token)).toBe('50300');
      expect([await accountsOf(address), await app.linksTo(address)]).toEqual([0, 1]);
      assign.mockRestore();
      expect(await app.outcomeOf(token)).toBe('200');
    });

    describe('by invitation', () => {
      it('gives the roles of the invitation, and those of everybody', async () => {
        const address = newAddress();
        const sent = await app.call(admin, 'POST', 'invitations', {
          email: address,
          nickname: 'Grace',
          roles: ['editor'],
          locale: 'de',
        });
        expect([sent.status, sent.headers['cache-control'], sent.json]).toEqual([
          201,
          'no-store',
          { id: expect.stringMatching(/^[0-9a-f]{64}$/), email: address, expiresAt: expect.any(String) },
        ]);
        const mail = await app.mail('invite', address);
        expect(mail).toMatchObject({ locale: 'de', link: expect.stringContaining('/invite#kato_') });
        const listed = (await app.call(admin, 'GET', 'invitations')).json as { email: string }[];
        expect(listed.find(({ email }) => email === address)).toEqual({
          ...sent.json,
          nickname: 'Grace',
          roles: ['editor'],
          inviterId: expect.any(Number),
          createdAt: expect.any(String),
        });
        expect(JSON.stringify(listed)).not.toContain(tokenIn(mail));
        const { json } = await second.complete(tokenIn(mail));
        expect(json.user.nickname).toBe('Grace');
        const user = await app.get(ActiveUserStore).loadLoginUser(json.user.userId);
        expect(user?.roles.toSorted()).toEqual(['editor', 'member']);
        expect(app.eventsOf(address)).toEqual(['invited']);
        expect(second.eventsOf(address)).toEqual(['registered', 'login']);
      });

      it('is worth nothing where its inviter is demoted, also while the password is hashed', async () => {
        const { user, token } = await inviterWith('auth:user:write');
        const link = await app.invitation(token, newAddress());
        const passwords = app.get(NewPasswords);
        const hash = passwords.hash.bind(passwords);
        const hashing = jest.spyOn(passwords, 'hash').mockImplementation(async (...args) => {
          await app.users.createQueryBuilder().relation('roles').of(user.id).remove(user.roles);
          return hash(...args);
        });
        expect([await app.outcomeOf(link), await app.outcomeOf(link)]).toEqual(['40010', '40010']);
        expect(hashing).toHaveBeenCalledTimes(1);
      });

      it('needs the permission', async () => {
        const { token } = await inviterWith('auth:user:read');
        for (const endpoint of ['POST invitations', 'GET invitations', 'DELETE invitations/x']) {
          const [method = '', path = ''] = endpoint.split(' ');
          expect((await app.call(token, method, path, { email: newAddress() })).json.code).toBe(40300);
        }
      });
    });
  });
}
