import { beforeEach, describe, expect, it } from '@jest/globals';
import { AUTH_USER_STORE, AuthEvents, AuthManager, type AuthUserStore } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { KitAuthAdminModule } from 'kit-auth-admin';
import { BOTH, freezeDate, PASSWORD, sharedTestApp } from 'test-support';
import { EmailApp, LINKS } from './app.js';

describe.each(BOTH)('a login with an address on %s', (platform) => {
  const app = sharedTestApp(
    new EmailApp(
      { platform, provider: 'session', email: { links: LINKS } },
      { imports: [KitAuthAdminModule.forRoot({})] },
    ),
  );
  let days = 0;
  let address: string;
  beforeEach(() => {
    freezeDate(Date.now() + (days += 2) * 24 * 60 * 60_000); // when former failures are forgotten
    address = `person.${days}@xn--bcher-kva.example`;
  });
  const outcome = (name: string, password?: string) => app.outcomeOf(app.login(name, password));
  const spellings = () => [
    address,
    ` ${address.toUpperCase()}\n`,
    address.replace('xn--bcher-kva', 'bücher'),
    address.replace('xn--bcher-kva', 'BU\u0308CHER').replace('.example', '\u3002example'),
  ];

  it('finds the owner in every spelling, who then confirms the login and changes the password', async () => {
    const { id, username } = await app.user();
    await app.addresses.assign(id, address, { verified: true });
    for (const spelling of spellings()) {
      expect([spelling, (await app.login(spelling)).json.user?.username]).toEqual([spelling, username]);
    }
    expect((await app.get(AuthManager).login(address, PASSWORD)).user.userId).toBe(id);
    const { token } = (await app.login(address)).json;
    const fresh = await app.call(token, 'POST', 'fresh', { password: PASSWORD });
    const change = { currentPassword: PASSWORD, newPassword: 'another fine one 4711' };
    expect((await app.call(fresh.json.token, 'POST', 'password', change)).status).toBe(204);
  });

  it('finds the user of that name, but not an address that is not verified', async () => {
    const [named, other] = [await app.user({ username: address }), await app.user()];
    await app.addresses.assign(other.id, address.replace('person', 'else'), { verified: false });
    expect((await app.login(spellings()[1]!)).json.user.userId).toBe(named.id);
    expect(await outcome(address.replace('person', 'else'))).toBe(40110);
  });

  it('tells the owner of a disabled account so, and nobody else', async () => {
    const { id } = await app.user({ status: AuthUserStatus.DISABLED });
    await app.addresses.assign(id, address, { verified: true });
    expect([await outcome(address), await outcome(address, 'wrong')]).toEqual([40111, 40110]);
  });

  it('counts on the account, whatever name and spelling was typed', async () => {
    const { id, username } = await app.user();
    await app.addresses.assign(id, address, { verified: true });
    const names = [...spellings(), username];
    for (const name of names) {
      expect(await outcome(name, 'wrong')).toBe(40110);
    }
    expect(await Promise.all(names.map((name) => outcome(name)))).toEqual(names.map(() => 42900));
  });

  it('counts all spellings of an unknown address together', async () => {
    for (const name of [...spellings(), address]) {
      expect(await outcome(name, 'wrong')).toBe(40110);
    }
    expect(await outcome(spellings()[2]!, 'wrong')).toBe(42900);
  });

  it('cannot mean two accounts: a verified address is no username of another, and the other way round', async () => {
    const [owner, other] = [await app.user(), await app.user()];
    await app.addresses.assign(owner.id, address, { verified: true });
    const token = await app.adminToken();
    const create = (username: string) =>
      app.outcomeOf(app.call(token, 'POST', 'users', { username, password: 'a long enough passphrase 7' }));
    expect(await Promise.all(spellings().map((name) => create(name.trim())))).toEqual(
      spellings().map(() => 40900),
    );
    const users = app.get(ActiveUserStore);
    const rename = (id: number) =>
      users.transaction(app.get(AuthEvents).begin(), (change) =>
        users.changeUsername(id, { username: address, seenStamp: '' }, change),
      );
    await expect(rename(other.id)).rejects.toMatchObject({ code: 40900 });
    expect(await rename(owner.id)).toBe(true);

    const name = address.replace('person', 'Named');
    expect(await create(name)).toBe(201);
    const verify = () => app.addresses.assign(other.id, name.toUpperCase(), { verified: true });
    await expect(verify()).rejects.toMatchObject({ code: 40900 });
    await app.addresses.assign(other.id, name, { verified: false });
    await expect(app.addresses.markVerified(other.id, name.toLowerCase())).rejects.toMatchObject({
      code: 40900,
    });
    const link = await app.resetToken({ address: name });
    expect((await app.reset(link)).status).toBe(204);
    expect(await app.addresses.find(other.id)).toMatchObject({
      verifiedAt: undefined,
      resetAt: expect.any(Date),
    });
  });

  it('sends no link that would verify the username of another account', async () => {
    await app.user({ username: address });
    await app.forgetMails();
    const token = await app.tokenOf(await app.user());
    expect((await app.call(token, 'POST', 'email', { email: ` ${address} ` })).status).toBe(202);
    await app.mailsSent();
    expect(app.mailbox.to(address)).toEqual([]);
  });
});

describe('usernames that differ in their spelling only', () => {
  const app = sharedTestApp(new EmailApp());

  it('cannot both be created, or be given to somebody', async () => {
    const users = app.get(ActiveUserStore);
    const change = <T>(work: Parameters<typeof users.transaction<T>>[1]) =>
      users.transaction(app.get(AuthEvents).begin(), work);
    const create = (username: string) =>
      change((it) => users.createUser({ username, nickname: 'x', passwordHash: 'x', roles: [] }, it));
    const id = await create('Grace');
    for (const name of ['grace', 'GRACE ', '\uff27race']) {
      await expect(create(name)).rejects.toMatchObject({ code: 40900 });
    }
    const other = await create('hopper');
    const seenStamp = (await app.get<AuthUserStore>(AUTH_USER_STORE).findByUsername?.('hopper'))!
      .securityStamp;
    const rename = (username: string) =>
      change((it) => users.changeUsername(other, { username, seenStamp }, it));
    await expect(rename('graCe')).rejects.toMatchObject({ code: 40900 });
    expect(await rename('Hopper')).toBe(true);
    expect([await users.usernameOf(id), await users.usernameOf(2 ** 40)]).toEqual(['Grace', undefined]);
    await expect(create('ADMIN')).rejects.toMatchObject({ code: 40900 });
  });
});
