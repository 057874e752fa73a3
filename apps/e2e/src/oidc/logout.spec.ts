import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { FakeProvider } from 'kit-auth-oidc/testing';
import { AuthIdentityLogin } from 'kit-auth-oidc/typeorm';
import {
  BOTH,
  freezeDate,
  type Implementation,
  PASSWORD,
  sharedHostileProvider,
  sharedInstances,
  sharedTestApp,
  type Tampering,
} from 'test-support';
import { MINUTE_MS, OidcApp, TEST, TestBrowser } from './app.js';

describe.each<['express' | 'fastify', Implementation]>([
  ['express', 'jwt with refresh tokens'],
  ['fastify', 'stateful sessions'],
])('back-channel logout on %s with %s', (platform, tokens) => {
  const provider = sharedHostileProvider();
  const settings = provider.settings();
  const [app, second] = sharedInstances(
    { database: 'sqlite', platform, tokens },
    (options) =>
      new OidcApp({
        ...options,
        connections: false,
        imports: [...options.imports, KitAuthBrowserModule],
        oidc: { providers: [settings] },
      }),
  );
  let number = 0;
  let sub: string;
  let start = Date.now();
  beforeEach(async () => {
    freezeDate((start += MINUTE_MS)); // the limit counts the logouts of one test only
    provider.reset();
    sub = `sub-${++number}`;
    await app.linked(sub);
  });

  /** Logs in, in a session of the provider. */
  async function logIn(sid?: string): Promise<TestBrowser> {
    const browser = new TestBrowser(app);
    const callback = provider.callbackOf(await browser.start('test'));
    provider.tampering = { claims: { sub, sid } };
    expect((await browser.comeBack(callback)).hash).toBe('#kit-auth=ok');
    return browser;
  }

  async function logOut(more: Record<string, unknown>, tampering: Tampering = {}): Promise<number> {
    const header = { typ: 'logout+jwt', ...tampering.header };
    const answer = await app.sendLogout(await provider.logoutToken(more, { ...tampering, header }));
    expect(answer.headers['cache-control']).toBe('no-store');
    return answer.status;
  }

  const state = async (browser: TestBrowser) => (await browser.get('api/auth/sessions')).status;

  it('ends the logins of a session of the provider', async () => {
    const [one, other] = [await logIn('one'), await logIn('two')];
    const heard = app.heard('logged-out-by-provider').length;
    expect(await logOut({ sid: 'one' })).toBe(200);
    expect([await state(one), await state(other)]).toEqual([401, 200]);
    expect(app.heard('logged-out-by-provider')).toHaveLength(heard + 1);
    const rows = await app.rowsOf(AuthIdentityLogin).findBy({ subject: sub });
    expect(rows.map(({ sid }) => sid)).toEqual(['two']);
    expect(rows[0]!.expiresAt).toBeGreaterThan(Date.now()); // not removed before the login has ended
  });

  it('ends all logins of an identity', async () => {
    const browsers = [await logIn('one'), await logIn(), await logIn('three')];
    expect(await logOut({ sub })).toBe(200);
    expect(await Promise.all(browsers.map(state))).toEqual([401, 401, 401]);
  });

  it('ends more logins of one identity than it ends at once', async () => {
    const browser = await logIn('one');
    const [row] = await app.rowsOf(AuthIdentityLogin).findBy({ subject: sub });
    const rows = Array.from({ length: 50 }, (_, i) => ({ ...row!, id: `${sub}-${i}` }));
    await app.rowsOf(AuthIdentityLogin).insert(rows);
    expect(await logOut({ sub })).toBe(200);
    expect(await state(browser)).toBe(401);
    expect(await app.rowsOf(AuthIdentityLogin).countBy({ subject: sub })).toBe(0);
  });

  it('uses each token once', async () => {
    const token = await provider.logoutToken({ sub });
    const answers = await Promise.all(
      [app, second, app, second].map((instance) => instance.sendLogout(token)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    expect(answers.find(({ status }) => status === 400)?.json).toEqual({
      error: 'invalid_request',
      error_description: 'The logout token is not valid',
    });
  });

  it('refuses what is no form with a token', async () => {
    const path = '/v1/api/auth/oidc/test/backchannel-logout';
    expect((await app.request(path, { method: 'POST', json: {} })).status).toBe(400);
    expect((await app.request(path, { method: 'POST' })).status).toBe(400);
    expect((await app.sendLogout('x')).status).toBe(400);
  });

  it('is limited', async () => {
    const answers = await Promise.all(Array.from({ length: 21 }, () => app.sendLogout('x')));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

/** Says which of several clients of one provider it has logged out. */
class Clients extends FakeProvider {
  override async logoutUrl({ clientId }: { clientId: string }): Promise<string> {
    return `https://login.example.com/logout?client_id=${clientId}`;
  }
}

describe('a logout at the provider', () => {
  const clients = new Clients();
  const app = sharedTestApp(
    new OidcApp({
      provider: 'session',
      imports: [KitAuthBrowserModule],
      connections: clients,
      oidc: { providers: [TEST, { ...TEST, name: 'shop', clientId: 'shop-client' }] },
    }),
  );

  it('is that of the client of the login', async () => {
    await app.linked('ada');
    const browser = new TestBrowser(app);
    const url = await browser.start('shop');
    await browser.comeBack(`https://api.example.com${clients.logIn(url, { sub: 'ada' })}`);
    const { json } = await browser.post('oidc/logout', {});
    expect(json.url).toBe('https://login.example.com/logout?client_id=shop-client');
  });

  it('is possible for a user who must change the password', async () => {
    const { username } = await app.user({ mustChangePassword: true });
    const browser = new TestBrowser(app);
    expect((await browser.post('login', { username, password: PASSWORD })).status).toBe(200);
    expect((await browser.post('oidc/logout', {})).status).toBe(200);
  });
});

describe.each(BOTH)('back-channel logout on %s without a parser of forms', (platform) => {
  const app = sharedTestApp(
    new OidcApp({
      platform,
      provider: 'session',
      nest: { bodyParser: false },
      configure: (nest) => {
        if (platform === 'express') {
          (nest as NestExpressApplication).useBodyParser('json');
        }
      },
    }),
  );
  const post = (path: string, body: string) =>
    app.request(`/v1/api/auth/${path}`, {
      method: 'POST',
      headers: ['Content-Type: application/x-www-form-urlencoded'],
      body,
    });
  const warnings = () => app.logs.ours().filter((line) => line.includes('parser'));

  it('warns once, and says what to do', async () => {
    expect((await post('login', 'username=ada')).status).toBe(400);
    expect((await post('oidc/test/backchannel-logout', '')).status).toBe(400);
    expect(warnings()).toEqual([]);
    for (let i = 0; i < 2; i++) {
      expect((await post('oidc/test/backchannel-logout', 'logout_token=a.b.c')).status).toBe(400);
    }
    const cure = platform === 'express' ? "app.useBodyParser('urlencoded'" : 'app.register(formbody)';
    expect(warnings()).toEqual([expect.stringContaining(cure)]);
    expect(warnings()[0]).not.toContain('a.b.c');
  });
});
