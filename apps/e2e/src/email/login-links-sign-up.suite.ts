import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ActiveUserStore } from 'kit-auth/feature';
import { AuthOneTime } from 'kit-auth/store';
import { KitAuthRegistrationModule } from 'kit-auth-registration';
import { freezeDate, nameOf, type Place, sharedInstances } from 'test-support';
import { IsNull } from 'typeorm';
import { tokenIn } from './app.js';
import { LoginLinkApp, SIGN_UP } from './login-links-app.js';
import { MemberRole } from '../registration/app.js';

let addresses = 0;
const newAddress = () => `New.${++addresses}@Example.com`;

/** Accounts that login links create, with every database and implementation. */
export function describeSignUp(place: Place): void {
  describe(`sign-up by login links ${nameOf(place)}`, () => {
    const registration = KitAuthRegistrationModule.forRoot({ roles: ['member'] });
    const [app, other] = sharedInstances(
      place,
      ({ imports, ...options }) =>
        new LoginLinkApp({
          ...options,
          admin: true,
          providers: [MemberRole],
          imports: [...imports, registration],
          email: SIGN_UP,
        }),
    );
    let admin: string;
    let address: string;
    let key: string;
    beforeAll(async () => {
      admin = await app.adminToken();
      await app.role({ code: 'editor', permissions: ['note:*'] });
    });
    beforeEach(() => {
      address = newAddress();
      key = address.toLowerCase();
    });
    afterAll(() => {
      jest.restoreAllMocks();
    });

    const accounts = () => app.users.countBy({ username: key });
    const rolesOf = async (userId: number) =>
      [...((await app.get(ActiveUserStore).loadLoginUser(userId))?.roles ?? [])].sort();

    it('makes an account without a password, and logs in again later', async () => {
      const pass = freezeDate();
      const link = await app.linkTo(address);
      expect(link.mail).toMatchObject({ kind: 'login', to: address, code: link.code });
      expect(link.mail.user).toBeUndefined();
      expect([await accounts(), await app.addresses.findByKey(key)]).toEqual([0, undefined]);
      expect(await other.outcome({ token: link.token })).toBe('40010 other-browser');
      const { status, json } = await other.complete({ token: link.token }, link.cookie);
      expect([status, json.user]).toEqual([
        200,
        { userId: expect.any(Number), username: key, nickname: address.split('@')[0], superAdmin: false },
      ]);
      const { userId } = json.user;
      expect(await rolesOf(userId)).toEqual(['member']);
      expect(await app.users.countBy({ id: userId, passwordHash: IsNull() })).toBe(1);
      expect(await app.addresses.findByKey(key)).toMatchObject({ address, verifiedAt: expect.any(Date) });
      expect(other.eventsOf({ id: userId })).toEqual(['registered', 'login']);
      expect(other.heard('registered').at(-1)?.detail).toBe('roles: member');
      expect(await app.open(link)).toBe('40010');
      expect(await app.outcome({ email: address, code: link.code })).toBe('40010');
      pass(61_000);
      const again = await app.linkTo(address);
      expect(again.mail.user?.userId).toBe(userId);
      expect(await app.open(again)).toBe('200');
      expect(await accounts()).toBe(1);
    });

    it('makes no account with what was not sent', async () => {
      const owner = await app.user();
      await app.addresses.assign(owner.id, address, { verified: false });
      expect((await app.ask(address)).status).toBe(202);
      await app.mailsSent();
      await app.addresses.remove(owner.id);
      const rows = app.rowsOf(AuthOneTime);
      const sent = await app.linkTo(newAddress());
      const { id, data, subject } = (await rows.findOneByOrFail({
        subject: sent.mail.to.toLowerCase(),
      })) as AuthOneTime & { data: string };
      const { browser, code } = JSON.parse(data);
      await rows.delete({ subject: subject! });
      await rows.update({ subject: key }, { id, data: JSON.stringify({ browser, code }) });
      expect(await app.outcome({ email: address, code: sent.code })).toBe('40010');
      expect(await app.open(sent)).toBe('40010');
      expect([await accounts(), await rows.countBy({ subject: key })]).toEqual([0, 1]);
    });

    it('gives invited users the roles of the invitation, which is used up', async () => {
      const invitation = { email: address, roles: ['editor'], nickname: 'Ada' };
      expect((await app.call(admin, 'POST', 'invitations', invitation)).status).toBe(201);
      const link = await other.linkTo(address);
      const { json } = await other.complete({ token: link.token }, link.cookie);
      expect([json.user.nickname, await rolesOf(json.user.userId)]).toEqual(['Ada', ['editor', 'member']]);
      expect(other.heard('registered').at(-1)?.detail).toBe('invited, roles: member, editor');
      await app.mailsSent();
      const [mail] = app.mailbox.to(address, 'invite');
      const body = { token: tokenIn(mail!), password: 'another fine one 4712' };
      expect((await app.call(undefined, 'POST', 'register/complete', body)).json.code).toBe(40010);
    });
  });
}
