import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { UserIdentities } from 'kit-auth-oidc';
import { AuthIdentityLogin } from 'kit-auth-oidc/typeorm';
import { sharedTestApp } from 'test-support';
import { OidcApp, TEST, TestBrowser } from './app.js';
const FACTORS = KitAuthFactorsModule.forRoot({ keys: ['k'.repeat(32)], issuer: 'X', requiredFor: ['staff'] });
const now = () => Math.floor(Date.now() / 1000);

describe('a second factor after a login with a provider', () => {
  const appWith = (secondFactor: 'ask' | 'trust') =>
    sharedTestApp(
      new OidcApp({
        provider: 'session',
        imports: [KitAuthBrowserModule, FACTORS],
        oidc: { secondFactor, providers: [{ ...TEST, mfa: ['mfa'] }] },
      }),
    );
  const [asking, trusting] = [appWith('ask'), appWith('trust')];
  let number = 0;
  let sub: string;
  beforeEach(() => {
    sub = `sub-${++number}`;
  });

  it('completes the login, which the provider can end', async () => {
    const user = await asking.linked(sub);
    const { secret } = await asking.enrol(user);
    const browser = new TestBrowser(asking);
    const { challenge, ...answer } = await browser.logInAs({ sub, sid: `sid-${sub}`, amr: ['mfa'] });
    expect(answer).toEqual({
      'kit-auth': '40112',
      provider: 'test',
      factors: 'totp,recovery',
      expiresAt: expect.stringMatching(/^\d+$/),
    });
    const { status, json } = await asking.showTotp(challenge, secret);
    expect([status, json.user.userId]).toEqual([200, user.id]);
    expect(asking.heard('login').at(-1)).toMatchObject({ detail: 'oidc:test' });
    const row = await asking.rowsOf(AuthIdentityLogin).findOneByOrFail({ sid: `sid-${sub}` });
    expect(row).toMatchObject({ userId: String(user.id), subject: sub });
    const sessions = await asking.call(json.token, 'GET', 'sessions');
    expect(sessions.json.map(({ id }: { id: string }) => id)).toContain(row.id);
  });

  it.each([
    ['has asked for one', ['mfa'], 'ok'],
    ['has not', ['pwd'], '40112'],
  ])('is what a trusted provider %s', async (_, amr, outcome) => {
    const user = await trusting.user();
    await trusting.enrol(user);
    await trusting.get(UserIdentities).link(user.id, { provider: 'test', subject: sub });
    expect((await new TestBrowser(trusting).logInAs({ sub, amr }))['kit-auth']).toBe(outcome);
  });

  describe('that a role requires', () => {
    const proofOf = async (browser: TestBrowser) => (await browser.get('proof')).json;

    beforeAll(async () => {
      await asking.role({ code: 'staff' });
      await trusting.role({ code: 'staff' });
    });
    const staff = (app: OidcApp) => app.linked(sub, { roles: ['staff'] });

    it('is what a trusted provider has asked for', async () => {
      await staff(trusting);
      const [browser, time] = [new TestBrowser(trusting), now() - 5];
      await browser.logInAs({ sub, amr: ['mfa'], auth_time: time });
      expect(await proofOf(browser)).toEqual({ oidc: time, mfa: time });
    });

    it.each<[string, OidcApp, string]>([
      ['another provider has asked for', asking, 'mfa'],
      ['a trusted provider has not asked for', trusting, 'pwd'],
    ])('is not what %s', async (_, app, method) => {
      await staff(app);
      const browser = new TestBrowser(app);
      expect(await browser.logInAs({ sub, amr: [method] })).toEqual({ 'kit-auth': 'ok' });
      expect(await proofOf(browser)).toMatchObject({ code: 40303 });
    });

    it('is that of a trusted provider, which the password alone does not replace', async () => {
      const token = await trusting.tokenOf(await staff(trusting));
      expect((await trusting.request('/v1/proof', { token })).json.code).toBe(40303);
      const { json } = await trusting.call(token, 'POST', 'factors/totp', { name: 'Phone' });
      expect(json).toMatchObject({ code: 40120, missing: ['oidc'] });
    });

    it.each([
      ['trusted', trusting, { mfa: expect.any(Number) }],
      ['other', asking, { code: 40303 }],
    ])('is shown at a confirmation by a %s provider', async (_, app, proof) => {
      await staff(app);
      const browser = new TestBrowser(app);
      await browser.logInAs({ sub });
      expect(await proofOf(browser)).toMatchObject({ code: 40303 });
      const { json } = await browser.post('oidc/test/fresh', {});
      const confirmed = await browser.comeBackAs({ sub, amr: ['mfa'], auth_time: now() }, json.url);
      expect(confirmed).toEqual({ 'kit-auth': 'ok' });
      expect(await proofOf(browser)).toMatchObject(proof);
    });
  });
});
