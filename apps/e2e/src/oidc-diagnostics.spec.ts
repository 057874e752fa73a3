import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { UserIdentities } from 'kit-auth-oidc';
import { sharedTestApp } from 'test-support';
import { CLIENT_ID, CLIENT_SECRET, sharedHostileProvider } from './hostile-provider.js';
import { fragmentOf, OidcApp, TestBrowser } from './oidc-app.js';

describe('what an application hears of mistakes with a provider', () => {
  const provider = sharedHostileProvider();
  const app = sharedTestApp(
    new OidcApp({
      platform: 'express',
      provider: 'session',
      imports: [KitAuthBrowserModule],
      oidc: {
        providers: [
          {
            name: 'test',
            clientId: CLIENT_ID,
            clientSecret: CLIENT_SECRET,
            get issuer() {
              return provider.issuer;
            },
          },
        ],
      },
    }),
  );
  beforeEach(() => provider.reset());

  /** @returns the lines of the log about a login that failed */
  async function linesOf(claims: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
    const before = app.logs.all().length;
    const browser = new TestBrowser(app);
    const callback = provider.callbackOf(await browser.start('test'));
    provider.tampering = { claims };
    const answer = Object.fromEntries(fragmentOf(await browser.comeBack(callback)));
    expect(answer).toMatchObject({ 'kit-auth': '40114', reason: 'provider' });
    const lines = app.logs.all().slice(before).split('\n');
    return lines.filter((line) => line.includes('a login with test failed'));
  }

  it.each<[string, () => Record<string, unknown>]>([
    ['a clock that is two minutes slow', () => ({ iat: Math.floor(Date.now() / 1000) + 120 })],
    ['another audience', () => ({ aud: [CLIENT_ID, 'another'], azp: CLIENT_ID })],
    ['a subject that is too long', () => ({ sub: 's'.repeat(256), email: 'ada@example.com' })],
  ])('has a line about %s', async (_what, claims) => {
    expect(await linesOf(claims())).toHaveLength(1);
  });

  it('says that the client secret is wrong', async () => {
    provider.handlers['/token'] = (_request, response) => {
      response.writeHead(401, {
        'content-type': 'application/json',
        'www-authenticate': 'Basic realm="idp"',
      });
      response.end(JSON.stringify({ error: 'invalid_client' }));
    };
    expect(await linesOf()).toEqual([expect.stringMatching(/invalid_client|client secret/)]);
  });

  it.each([
    ['an empty subject', ''],
    ['a subject that is too long', 's'.repeat(256)],
    ['null of a column', null as never],
  ])('does not link %s', async (_what, subject) => {
    const { id } = await app.user();
    const link = app.get(UserIdentities).link(id, { provider: 'test', subject });
    await expect(link).rejects.toMatchObject({ status: 400 });
  });
});
