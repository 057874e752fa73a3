import { beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { LOGIN_STEP, type LoginStep } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { UserIdentities } from 'kit-auth-oidc';
import type { AuthUser } from 'kit-auth/typeorm';
import { sharedTestApp, totpCode } from 'test-support';
import { sharedHostileProvider } from './hostile-provider.js';
import { API, APP_URL, newVerifier, OidcApp, PAGE, TestBrowser } from './app.js';

/** Waits for the user, who confirms each login on a phone. */
@Injectable()
class PhoneStep implements LoginStep {
  meanwhile: () => Promise<unknown> = () => Promise.resolve();

  async afterFirstFactor(): Promise<undefined> {
    await this.meanwhile();
  }
}

describe('logins with a provider that take long', () => {
  const provider = sharedHostileProvider();
  const app = sharedTestApp(
    new OidcApp({
      platform: 'express',
      provider: 'session',
      imports: [
        KitAuthBrowserModule,
        KitAuthFactorsModule.forRoot({ keys: ['k'.repeat(32)], issuer: 'Example' }),
      ],
      providers: [PhoneStep, { provide: LOGIN_STEP, useExisting: PhoneStep }],
      oidc: {
        returnTo: [PAGE, APP_URL],
        providers: [provider.settings()],
      },
    }),
  );
  let number = 0;
  let sub: string;
  let user: AuthUser;
  beforeEach(async () => {
    provider.reset();
    app.get(PhoneStep).meanwhile = () => Promise.resolve();
    sub = `sub-${++number}`;
    user = await app.user();
    await app.get(UserIdentities).link(user.id, { provider: 'test', subject: sub });
  });

  const logIn = (browser: TestBrowser, query?: Record<string, string>) =>
    provider.logIn(browser, { sub, sid: sub }, 'test', query);

  const me = (browser: TestBrowser) =>
    browser.visit(`${API}/v1/api/auth/me`, { headers: ['Sec-Fetch-Site: same-origin'] });

  async function removeIdentities(): Promise<void> {
    const token = await app.adminToken();
    expect((await app.call(token, 'DELETE', `users/${user.id}/identities`)).status).toBe(204);
  }

  /** Once: the administrator logs in too. */
  function meanwhile(work: () => Promise<unknown>): void {
    const step = app.get(PhoneStep);
    step.meanwhile = async () => {
      step.meanwhile = () => Promise.resolve();
      await work();
    };
  }

  it('fail when an administrator removes the identity meanwhile', async () => {
    const browser = new TestBrowser(app);
    meanwhile(removeIdentities);
    expect((await logIn(browser))['kit-auth']).not.toBe('ok');
    expect((await me(browser)).status).toBe(401);
  });

  it('fail with a code when an administrator removes the identity meanwhile', async () => {
    const { verifier, challenge } = newVerifier();
    const { code } = await logIn(new TestBrowser(app), { returnTo: APP_URL, challenge });
    meanwhile(removeIdentities);
    const answer = await app.call(undefined, 'POST', 'oidc/exchange', { code, verifier });
    expect(answer.status).toBe(401);
  });

  it('fail when the user ends all sessions before the second factor', async () => {
    const token = await app.tokenOf(user);
    const { json } = await app.call(token, 'POST', 'factors/totp', { name: 'Phone' });
    const first = totpCode(json.secret, Date.now() - 30_000);
    const confirmed = await app.call(token, 'POST', `factors/totp/${json.id}/confirm`, { code: first });
    expect(confirmed.status).toBe(200);
    const { challenge } = await logIn(new TestBrowser(app));
    expect((await app.call(confirmed.json.token, 'DELETE', 'sessions')).status).toBe(204);
    const body = { challenge, factor: 'totp', code: totpCode(json.secret) };
    expect((await app.call(undefined, 'POST', 'login/factor', body)).status).toBe(401);
  });

  it('with a password fail, too, when the user ends all sessions before the second factor', async () => {
    const token = await app.tokenOf(user);
    const { json } = await app.call(token, 'POST', 'factors/totp', { name: 'Phone' });
    const first = totpCode(json.secret, Date.now() - 30_000);
    const confirmed = await app.call(token, 'POST', `factors/totp/${json.id}/confirm`, { code: first });
    const { challenge } = (await app.login(user.username)).json;
    expect((await app.call(confirmed.json.token, 'DELETE', 'sessions')).status).toBe(204);
    const body = { challenge, factor: 'totp', code: totpCode(json.secret) };
    expect((await app.call(undefined, 'POST', 'login/factor', body)).status).toBe(401);
  });

  it('begin in no frame of another site', async () => {
    for (const dest of ['iframe', 'frame', 'object', 'embed']) {
      const { status, cookies } = await new TestBrowser(app).visit(`${API}/v1/api/auth/oidc/test/start`, {
        headers: [`Sec-Fetch-Dest: ${dest}`, 'Sec-Fetch-Mode: navigate'],
      });
      expect([dest, status, cookies]).toEqual([dest, 401, []]);
    }
  });
});
