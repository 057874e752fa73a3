import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthModule } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthEmailModule } from 'kit-auth-email';
import { AuthUserEmail } from 'kit-auth-email/typeorm';
import { sharedTestApp } from 'test-support';
import { sharedHostileProvider } from './hostile-provider.js';
import { OidcApp, TestBrowser } from './app.js';
import { OwnUsers } from '../users/own-users.js';
import { moduleWith, RegisteredUsers, TransactionalUsers } from '../users/registered-users.js';

const LINKS = { reset: 'https://app.example/reset#{token}', verify: 'https://app.example/verify#{token}' };

describe.each([
  ['without transactions', RegisteredUsers],
  ['with transactions of its own', TransactionalUsers],
])('attacks on sign-ups in a store %s', (_, store) => {
  const provider = sharedHostileProvider();
  const app = sharedTestApp(
    new OidcApp({
      platform: 'express',
      provider: 'jwt',
      admin: false,
      core: KitAuthModule.forRoot({
        users: moduleWith(store),
        password: { cost: 10 },
        jwt: { checkStamp: 0 },
      }),
      imports: [
        KitAuthBrowserModule,
        KitAuthEmailModule.forRoot({ links: LINKS, mailer: { send: () => Promise.resolve() } }),
      ],
      oidc: {
        signUp: 'open',
        providers: [provider.settings()],
      },
    }),
  );
  let count = 0;
  let sub: string;
  beforeEach(() => {
    sub = `sub-${++count}`;
  });

  it('leave nothing when the identity was taken meanwhile', async () => {
    const browser = new TestBrowser(app);
    const offers: string[] = [];
    for (const email of [`${sub}-a@example.com`, `${sub}-b@example.com`]) {
      const { token = '' } = await provider.logIn(browser, { sub, email });
      offers.push(token);
    }
    const answers = [];
    for (const token of offers) {
      answers.push((await browser.post('oidc/complete', { token })).status);
    }
    expect(answers).toEqual([200, 409]);
    const users = app.get(OwnUsers);
    expect(await users.findByUsername(`${sub}-b@example.com`)).toBeUndefined();
    expect(await app.rowsOf(AuthUserEmail).countBy({ addressKey: `${sub}-b@example.com` })).toBe(0);
  });
});
