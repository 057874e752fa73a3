import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { AuthUserEmail } from 'kit-auth-email/typeorm';
import { UserIdentities } from 'kit-auth-oidc';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { AuthUserStatus, type AuthUser } from 'kit-auth/typeorm';
import { nameOf, PASSWORD, type Place, sharedInstances, type UserFields } from 'test-support';
import { IsNull } from 'typeorm';
import { ADDRESSES, API, APP_URL, fragmentOf, newVerifier, OidcApp, PAGE, TestBrowser } from './app.js';
import { sharedProvider } from './provider.process.js';

const CLIENT = {
  client_id: 'app',
  client_secret: 's'.repeat(32),
  redirect_uris: [`${API}/v1/api/auth/oidc/test/callback`],
  post_logout_redirect_uris: [PAGE],
};

/** Logins with a real provider, with two instances on one database. */
export function describeOidc(place: Place): void {
  describe(`logins with a provider ${nameOf(place)}`, () => {
    const provider = sharedProvider({ clients: [CLIENT] });
    const test = {
      name: 'test',
      title: 'Test',
      get issuer() {
        return provider.issuer;
      },
      clientId: CLIENT.client_id,
      clientSecret: CLIENT.client_secret,
    };
    const [app, second] = sharedInstances(
      place,
      (options) =>
        new OidcApp({
          ...options,
          imports: [...options.imports, KitAuthBrowserModule, ADDRESSES],
          connections: false,
          oidc: { providers: [test], signUp: 'open' },
        }),
    );
    const hasSessions = place.tokens !== 'jwt' && place.tokens !== 'stateless sessions';
    let number = 0;
    let sub: string;
    beforeEach(async () => {
      sub = `sub-${++number}`;
      await provider.next({ sub });
    });

    /** A user who is logged in with cookies. */
    async function loggedIn(fields: UserFields = {}): Promise<{ user: AuthUser; browser: TestBrowser }> {
      const user = await app.user(fields);
      const browser = new TestBrowser(app);
      expect((await browser.post('login', { username: user.username, password: PASSWORD })).status).toBe(200);
      return { user, browser };
    }

    /** A user with an identity. */
    async function linked(fields: UserFields = {}): Promise<{ user: AuthUser; browser: TestBrowser }> {
      const found = await loggedIn(fields);
      expect(await outcomeOf(found.browser, link(found.browser))).toEqual({ 'kit-auth': 'ok' });
      return found;
    }

    async function link(browser: TestBrowser): Promise<string> {
      const { status, json } = await browser.post('oidc/test/link', {});
      expect(status).toBe(200);
      return browser.through(json.url);
    }

    async function outcomeOf(browser: TestBrowser, callback: Promise<string>): Promise<object> {
      return Object.fromEntries(fragmentOf(await browser.comeBack(await callback)));
    }

    const logIn = async (browser = new TestBrowser(second), query?: Record<string, string>) =>
      Object.fromEntries(fragmentOf(await browser.logIn('test', query)));
    const me = (browser: TestBrowser) => browser.get('api/auth/me');

    it('logs a user in with a linked identity, with cookies', async () => {
      const { user } = await linked();
      const browser = new TestBrowser(second);
      const callback = await browser.through(await browser.start('test'));
      const answer = await browser.visit(callback);
      expect([answer.status, answer.headers['location']]).toEqual([302, `${PAGE}#kit-auth=ok`]);
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      expect((await me(browser)).json).toMatchObject({ userId: user.id });
      expect(browser.cookieNames(API).filter((name) => name.includes('oidc'))).toEqual([]);
      const { lastUsedAt } = await app.rowsOf(AuthIdentity).findOneByOrFail({ userId: String(user.id) });
      expect(lastUsedAt).toEqual(expect.any(Number));
      expect(second.heard('login').at(-1)).toMatchObject({ subjectId: user.id, detail: 'oidc:test' });
    });

    it('gives a code to nobody without its verifier, and once', async () => {
      const { user } = await linked();
      const { verifier, challenge } = newVerifier();
      const end = await new TestBrowser(app).logIn('test', { returnTo: APP_URL, challenge });
      const code = fragmentOf(end).get('code')!;
      const exchange = async (given: string) =>
        (await app.call(undefined, 'POST', 'oidc/exchange', { code, verifier: given })).json;
      expect(await exchange(newVerifier().verifier)).toMatchObject({ code: 40114, reason: 'state' });
      const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(verifier)));
      const [first, ...others] = answers.filter(({ token }) => token !== undefined);
      expect([first!.user.userId, others]).toEqual([user.id, []]);
      expect(await app.proofOf(first!.token as string)).toEqual({ oidc: 0 });
      expect(answers.filter(({ code }) => code === 40114)).toHaveLength(9);
    });

    it('creates an account once its user has seen where it goes', async () => {
      const browser = new TestBrowser(app);
      const end = fragmentOf(await browser.logIn('test', { remember: 'true' }));
      expect(Object.fromEntries(end)).toMatchObject({
        'kit-auth': 'complete',
        provider: 'test',
        address: `${sub}@example.com`,
        name: sub,
      });
      const token = end.get('token');
      expect(await app.users.countBy({ username: `${sub}@example.com` })).toBe(0);
      const foreign = await new TestBrowser(app).post('oidc/complete', { token });
      expect(foreign.json).toMatchObject({ code: 40114, reason: 'state' });
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => browser.post('oidc/complete', { token, nickname: ' Ada ' })),
      );
      const [created] = answers.filter(({ status }) => status === 200);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(401)]);
      expect(created!.json.user).toMatchObject({ username: `${sub}@example.com`, nickname: 'Ada' });
      expect(created!.cookies.join()).toMatch(/Max-Age=\d{3}/);
      const { userId } = created!.json.user;
      expect(await app.users.countBy({ id: userId, passwordHash: IsNull() })).toBe(1);
      expect(await app.rowsOf(AuthUserEmail).findOneBy({ userId: String(userId) })).toMatchObject({
        addressKey: `${sub}@example.com`,
        verifiedAt: expect.any(Number),
        source: 'owner',
      });
      expect(app.heard('registered').at(-1)).toMatchObject({ detail: 'oidc:test, roles: none' });
      expect(await logIn()).toEqual({ 'kit-auth': 'ok' });
    });

    it('creates no account for an address that was taken meanwhile', async () => {
      const browser = new TestBrowser(app);
      const token = fragmentOf(await browser.logIn('test')).get('token');
      await app.user({ username: `${sub}@example.com` });
      const { status, json } = await browser.post('oidc/complete', { token });
      expect([status, json.code]).toEqual([409, 40900]);
      expect(await app.rowsOf(AuthIdentity).countBy({ subject: sub })).toBe(0);
    });

    it('neither links nor logs in an account with the verified address', async () => {
      const victim = await app.user({ username: `victim-${sub}@example.com` });
      await provider.next({ sub, accounts: { [sub]: { email: victim.username.toUpperCase() } } });
      expect(await logIn()).toEqual({ 'kit-auth': '40900', reason: 'link', provider: 'test' });
      expect(await app.rowsOf(AuthIdentity).countBy({ subject: sub })).toBe(0);
      const [event] = second.heard('external-login-failed').slice(-1);
      expect(event).toMatchObject({ subjectId: victim.id, success: false, detail: 'test: link' });
    });

    it('refuses disabled users', async () => {
      const { user } = await linked();
      await app.users.update(user.id, { status: AuthUserStatus.DISABLED });
      expect(await logIn()).toMatchObject({ 'kit-auth': '40111' });
    });

    describe('the callback', () => {
      it('belongs to one browser', async () => {
        await linked();
        const browser = new TestBrowser(app);
        const callback = await browser.through(await browser.start('test'));
        const stranger = new TestBrowser(app);
        await stranger.start('test');
        const refused = await stranger.visit(callback);
        expect([refused.status, refused.json.code, refused.json.reason]).toEqual([401, 40114, 'state']);
        expect(refused.headers['location']).toBeUndefined();
        expect(await browser.comeBack(callback)).toMatchObject({ hash: '#kit-auth=ok' });
      });

      it('works once', async () => {
        await linked();
        const browser = new TestBrowser(app);
        const callback = await browser.through(await browser.start('test'));
        const cookie = `Cookie: ${browser.cookiesFor(API)}`;
        const target = callback.slice(API.length);
        const answers = await Promise.all(
          Array.from({ length: 6 }, (_, i) => [app, second][i % 2]!.request(target, { headers: [cookie] })),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([302, ...Array<number>(5).fill(401)]);
        expect((await app.request(target, { headers: [cookie] })).json).toMatchObject({ reason: 'state' });
      });
    });

    describe('a link', () => {
      it('needs a fresh login', async () => {
        const user = await app.user();
        const token = await app.issueToken({ userId: user.id, username: user.username });
        const answer = await app.call(token, 'POST', 'oidc/test/link', {});
        expect([answer.status, answer.json.url === undefined]).toEqual([200, false]);
        const { browser } = await linked();
        await browser.post('logout', {});
        const { json } = await new TestBrowser(app).logInApp('test');
        const refused = await app.call(json.token, 'POST', 'oidc/test/link', {});
        expect(refused.json).toMatchObject({ code: 40120, missing: ['password', 'oidc'] });
      });

      it('ends with the login that has asked', async () => {
        const { browser } = await loggedIn();
        const callback = link(browser);
        await callback;
        const other = await app.user();
        await browser.post('login', { username: other.username, password: PASSWORD });
        expect(await outcomeOf(browser, callback)).toMatchObject({ 'kit-auth': '40114', reason: 'state' });
        expect(await app.rowsOf(AuthIdentity).countBy({ subject: sub })).toBe(0);
      });

      it('takes no identity of another user', async () => {
        await linked();
        const { browser } = await loggedIn();
        expect(await outcomeOf(browser, link(browser))).toMatchObject({
          'kit-auth': '40900',
          reason: 'taken',
        });
      });

      it('of an app ends with its token and its verifier', async () => {
        const user = await app.user();
        const token = await app.tokenOf(user);
        const { verifier, challenge } = newVerifier();
        const { json } = await app.call(token, 'POST', 'oidc/test/link', { returnTo: APP_URL, challenge });
        const browser = new TestBrowser(app);
        const code = fragmentOf(await browser.comeBack(await browser.through(json.url))).get('code');
        expect(
          (await app.call(undefined, 'POST', 'oidc/exchange', { code, verifier: challenge })).status,
        ).toBe(401);
        expect((await app.call(token, 'POST', 'oidc/exchange', { code, verifier })).json).toEqual({});
        expect((await app.call(token, 'GET', 'identities')).json).toMatchObject([
          { provider: 'test', title: 'Test' },
        ]);
      });
    });

    it('confirms a login', async () => {
      const { user, browser } = await linked();
      const { json } = await browser.post('oidc/test/fresh', {});
      expect(new URL(json.url).searchParams.get('prompt')).toBe('login');
      expect(await outcomeOf(browser, browser.through(json.url))).toEqual({ 'kit-auth': 'ok' });
      expect(app.heard('login-confirmed').at(-1)).toMatchObject({ subjectId: user.id });
      const proof = await browser.visit(`${API}/v1/proof`, { headers: ['Sec-Fetch-Site: same-origin'] });
      expect(proof.json.oidc).toBeGreaterThan(Date.now() / 1000 - 60);
    });

    it('removes identities, but not the last way to log in', async () => {
      const browser = new TestBrowser(app);
      const token = fragmentOf(await browser.logIn('test')).get('token');
      const { userId } = (await browser.post('oidc/complete', { token })).json.user;
      const { json } = await browser.post('oidc/test/fresh', {});
      expect(await outcomeOf(browser, browser.through(json.url))).toEqual({ 'kit-auth': 'ok' });
      const list = await browser.visit(`${API}/v1/api/auth/identities`, {
        headers: ['Sec-Fetch-Site: same-origin'],
      });
      const [{ id }] = list.json;
      const remove = () =>
        app.request(`/v1/api/auth/identities/${id}`, {
          method: 'DELETE',
          headers: ['Sec-Fetch-Site: same-origin', `Cookie: ${browser.cookiesFor(API)}`],
        });
      expect((await remove()).json).toMatchObject({ code: 40900, reason: 'last' });
      expect((await browser.post('password', { newPassword: 'a new one 4711!' })).status).toBe(204);
      // A stateless token is from before the change.
      await browser.post('login', { username: `${sub}@example.com`, password: 'a new one 4711!' });
      expect((await remove()).status).toBe(204);
      expect(await app.rowsOf(AuthIdentity).countBy({ userId: String(userId) })).toBe(0);
    });

    it('leaves one of two identities that are removed at once, if there is no other way to log in', async () => {
      const user = await app.user();
      const token = await app.tokenOf(user);
      const identities = app.get(UserIdentities);
      for (const subject of [`${sub}-a`, `${sub}-b`]) {
        await identities.link(user.id, { provider: 'test', subject });
      }
      await app.users.update(user.id, { passwordHash: null });
      const found = await identities.listOf(user.id);
      const answers = await Promise.all(
        found.map(({ id }, i) => [app, second][i]!.call(token, 'DELETE', `identities/${id}`)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
      expect(await identities.listOf(user.id)).toHaveLength(1);
    });

    it('are seen and ended by administrators', async () => {
      const { user, browser } = await linked();
      const admin = await app.adminToken();
      const path = `users/${user.id}/identities`;
      const { json } = await app.call(admin, 'GET', path);
      expect(json).toMatchObject([{ provider: 'test', address: `${sub}@example.com` }]);
      expect((await app.call(admin, 'DELETE', `${path}/${json[0].id}`)).status).toBe(204);
      expect((await app.call(admin, 'GET', path)).json).toEqual([]);
      expect((await me(browser)).status).toBe(hasSessions ? 401 : (await me(browser)).status);
    });

    it('end at the provider too', async () => {
      await linked();
      const browser = new TestBrowser(app);
      await browser.logIn('test');
      const { json } = await browser.post('oidc/logout', {});
      const url = new URL(json.url);
      expect([url.origin, url.searchParams.get('post_logout_redirect_uri')]).toEqual([provider.issuer, PAGE]);
      expect(browser.cookieNames(API)).toEqual([]);
    });

    it('logs no secret', () => {
      const logs = app.logs.all() + second.logs.all();
      expect(logs).not.toMatch(/kato_|example\.com|sub-\d|s{32}/);
    });
  });
}
