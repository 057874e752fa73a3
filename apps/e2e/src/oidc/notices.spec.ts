import { describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthOidcModule, UserIdentities } from 'kit-auth-oidc';
import { ProviderConnections } from 'kit-auth-oidc/testing';
import { BOTH, PASSWORD, sharedTestApp, until } from 'test-support';
import { EmailApp } from '../email/app.js';
import { API, FAKE, PAGE, TEST, TestBrowser } from './app.js';

describe.each(BOTH)('the owner of an address on %s', (platform) => {
  const { module, providers = [] } = KitAuthOidcModule.forRoot({
    redirectBase: API,
    returnTo: [PAGE],
    signUp: 'open',
    providers: [TEST],
  });
  const app = sharedTestApp(
    new EmailApp({
      platform,
      imports: [
        KitAuthBrowserModule,
        { module, providers: [...providers, { provide: ProviderConnections, useValue: FAKE }] },
      ],
    }),
  );

  it('gets a mail when an identity is linked or removed', async () => {
    app.sendAtOnce();
    const user = await app.addressed();
    const mails = () => app.mailbox.to(user.address, 'factor-changed');
    const browser = new TestBrowser(app);
    await browser.post('login', { username: user.username, password: PASSWORD });
    const { json } = await browser.post('oidc/test/link', {});
    expect(await browser.comeBackAs({ sub: user.username }, json.url)).toEqual({ 'kit-auth': 'ok' });
    await until(() => mails()[0]);
    const id = (await app.get(UserIdentities).listOf(user.id))[0]?.id;
    expect((await app.call(await app.tokenOf(user), 'DELETE', `identities/${id}`)).status).toBe(204);
    await until(() => mails()[1]);
    await app.mailsSent();
    expect(mails()).toHaveLength(2);
  });

  it('alone learns that somebody has come back from a provider with it', async () => {
    app.sendAtOnce();
    const user = await app.addressed();
    const browser = new TestBrowser(app);
    const answer = await browser.logInAs({ sub: 'eve', email: user.address });
    expect(answer).toEqual({ 'kit-auth': '40900', reason: 'link', provider: 'test' });
    await until(() => app.mailbox.some(user.address, 'already-registered'));
  });
});
