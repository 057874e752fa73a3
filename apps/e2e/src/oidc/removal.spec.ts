import { beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { LOGIN_STEP, type LoginStep, type UserId } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { UserIdentities } from 'kit-auth-oidc';
import type { AuthUser } from 'kit-auth/typeorm';
import { sharedTestApp } from 'test-support';
import { OidcApp, TestBrowser } from './app.js';

/** Waits for the user, who confirms each login on a phone. */
@Injectable()
class PhoneStep implements LoginStep {
  meanwhile: () => Promise<unknown> = () => Promise.resolve();

  async afterFirstFactor(): Promise<undefined> {
    await this.meanwhile();
  }
}

describe('a login with an identity that is removed meanwhile', () => {
  let onLogin: (userId: UserId) => Promise<unknown>;
  const app = sharedTestApp(
    new OidcApp({
      provider: 'session',
      imports: [KitAuthBrowserModule, KitAuthFactorsModule.forRoot({ keys: ['k'.repeat(32)], issuer: 'X' })],
      providers: [PhoneStep, { provide: LOGIN_STEP, useExisting: PhoneStep }],
      oidc: {
        onLogin: async (_, __, { userId }) => {
          await onLogin(userId);
        },
      },
    }),
  );
  let number = 0;
  let sub: string;
  let user: AuthUser;
  beforeEach(async () => {
    onLogin = () => Promise.resolve();
    app.get(PhoneStep).meanwhile = () => Promise.resolve();
    sub = `sub-${++number}`;
    user = await app.linked(sub);
  });

  async function removeIdentities(): Promise<void> {
    const { status } = await app.call(await app.adminToken(), 'DELETE', `users/${user.id}/identities`);
    expect(status).toBe(204);
  }

  /** Once: the administrator logs in, too. */
  function duringTheStep(work: () => Promise<unknown>): void {
    const step = app.get(PhoneStep);
    step.meanwhile = async () => {
      step.meanwhile = () => Promise.resolve();
      await work();
    };
  }

  it('fails while the application is told of it', async () => {
    onLogin = (userId) => app.get(UserIdentities).removeAllOf(userId);
    expect(await new TestBrowser(app).logInAs({ sub })).toMatchObject({
      'kit-auth': '40114',
      reason: 'state',
    });
  });

  it('fails during a step of the login', async () => {
    const browser = new TestBrowser(app);
    duringTheStep(removeIdentities);
    expect((await browser.logInAs({ sub, sid: sub }))['kit-auth']).not.toBe('ok');
    expect((await browser.get('api/auth/me')).status).toBe(401);
  });

  it('fails during a step of the login with a code', async () => {
    const exchanged = await new TestBrowser(app).codeFor({ sub, sid: sub });
    duringTheStep(removeIdentities);
    expect((await app.exchange(undefined, exchanged)).status).toBe(401);
  });

  it('fails with a code that is older than the removal', async () => {
    const exchanged = await new TestBrowser(app).codeFor({ sub });
    await app.get(UserIdentities).removeAllOf(user.id);
    expect((await app.exchange(undefined, exchanged)).status).toBe(401);
  });

  it('fails with a second factor', async () => {
    const { secret } = await app.enrol(user);
    const { challenge } = await new TestBrowser(app).logInAs({ sub });
    await removeIdentities();
    expect((await app.showTotp(challenge, secret)).status).toBe(401);
  });

  it('fails with a code where its user ends all sessions meanwhile', async () => {
    const token = await app.tokenOf(user);
    const exchanged = await new TestBrowser(app).codeFor({ sub });
    expect((await app.call(token, 'DELETE', 'sessions')).status).toBe(204);
    expect((await app.exchange(undefined, exchanged)).status).toBe(401);
  });
});
