import { describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { nameOf, type Place, sharedInstances } from './instances.js';
import { API, fragmentOf, OidcApp, TestBrowser } from './oidc-app.js';
import { sharedProvider } from './oidc-provider.process.js';

const CLIENT = {
  client_id: 'app',
  client_secret: 's'.repeat(32),
  redirect_uris: [`${API}/v1/api/auth/oidc/test/callback`],
  post_logout_redirect_uris: [`${API}/app`],
};

/** Logins with a real provider, with two instances on one database. */
export function describeOidc(place: Place): void {
  describe(`logins with a provider ${nameOf(place)}`, () => {
    const provider = sharedProvider({ clients: [CLIENT] });
    const settings = {
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
          imports: [...options.imports, KitAuthBrowserModule],
          oidc: { providers: [settings] },
        }),
    );

    it('logs in with an identity', async () => {
      const user = await app.user();
      const browser = new TestBrowser(app);
      await app.rowsOf(AuthIdentity); 
      await provider.next({ sub: 'ada' });
      const end = await browser.logIn('test');
      expect(Object.fromEntries(fragmentOf(end))).toEqual({ 'kit-auth': '40114', reason: 'no-account', provider: 'test' });
      void user; void second;
    });
  });
}
