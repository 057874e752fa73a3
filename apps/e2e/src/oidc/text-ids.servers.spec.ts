import { beforeAll, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { KitAuthModule } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { UserIdentities } from 'kit-auth-oidc';
import { PASSWORD, SERVERS, sharedTestApp } from 'test-support';
import { FAKE, OidcApp, TestBrowser } from './app.js';
import { idOf, OwnUsers } from '../users/own-users.js';
import { moduleWith, RegisteredUsers } from '../users/registered-users.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);
/** Ids that some databases take for one. */
const IDS = ['usr_Ab', 'usr_aB'];

describe.each(SERVERS)('identities of users whose ids look alike, on %s', (database) => {
  const app = sharedTestApp(
    new OidcApp({
      platform: 'express',
      provider: 'session',
      admin: false,
      database,
      core: KitAuthModule.forRoot({ users: moduleWith(RegisteredUsers), password: { cost: 10 } }),
      imports: [KitAuthBrowserModule],
    }),
  );
  const identities = () => app.get(UserIdentities);
  beforeAll(async () => {
    const users = app.get(OwnUsers);
    for (const [i, id] of IDS.entries()) {
      users.insert({ id, name: `name ${i}`, hash: HASH });
      await identities().link(idOf(id), { provider: 'test', subject: `sub-${i}` });
    }
  });

  async function logIn(i: number): Promise<TestBrowser> {
    const browser = new TestBrowser(app);
    expect(await browser.logInAs({ sub: `sub-${i}`, sid: 'sid' })).toEqual({ 'kit-auth': 'ok' });
    return browser;
  }

  const me = async (browser: TestBrowser) => (await browser.get('api/auth/me')).json.userId;

  const codeOf = (i: number) => new TestBrowser(app).codeFor({ sub: `sub-${i}` });

  it('log in as who they are, and list their own', async () => {
    for (const [i, id] of IDS.entries()) {
      expect(await me(await logIn(i))).toBe(id);
      const mine = await identities().listOf(idOf(id));
      expect(mine).toHaveLength(1);
    }
  });

  it('are logged out by the provider one by one', async () => {
    const browsers = [await logIn(0), await logIn(1)];
    const { status } = await app.sendLogout(FAKE.logoutToken({ sub: 'sub-1' }));
    expect(status).toBe(200);
    const states = await Promise.all(browsers.map((browser) => me(browser)));
    expect(states).toEqual([IDS[0], undefined]);
  });

  it('lose their own, and no others', async () => {
    const codes = [await codeOf(0), await codeOf(1)];
    expect(await identities().removeAllOf(idOf('usr_Ab'))).toBe(1);
    expect(await identities().listOf(idOf('usr_aB'))).toHaveLength(1);
    const answers = [];
    for (const code of codes) {
      answers.push((await app.exchange(undefined, code)).status);
    }
    expect(answers).toEqual([401, 200]);
  });
});
