import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { UserIdentities } from 'kit-auth-oidc';
import { sharedTestApp } from 'test-support';
import { CLIENT_ID, CLIENT_SECRET, sharedHostileProvider } from './hostile-provider.js';
import { APP_URL, fragmentOf, newVerifier, OidcApp, PAGE, TestBrowser } from './app.js';

const providerAt = (name: string, issuer: () => string) => ({
  name,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  get issuer() {
    return issuer();
  },
});

describe('what an application hears of mistakes with a provider', () => {
  const provider = sharedHostileProvider();
  const app = sharedTestApp(
    new OidcApp({
      platform: 'express',
      provider: 'session',
      imports: [KitAuthBrowserModule],
      oidc: {
        providers: [
          providerAt('test', () => provider.issuer),
          providerAt('slash', () => `${provider.issuer}/`),
          providerAt('path', () => `${provider.issuer}/other`),
          providerAt('missing', () => `${provider.issuer}/missing`),
          providerAt('down', () => 'http://127.0.0.1:2'),
        ],
      },
    }),
  );
  beforeEach(() => provider.reset());

  /** @returns the lines of the log about a login that failed */
  async function linesOf(claims: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
    const before = app.logs.all().length;
    const answer = await provider.logIn(new TestBrowser(app), claims);
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

  it('says why the provider does not answer at the end of a login', async () => {
    const before = app.logs.all().length;
    const browser = new TestBrowser(app);
    const callback = provider.callbackOf(await browser.start('test'));
    provider.handlers['/token'] = (_request, response) =>
      response.writeHead(418, { 'content-type': 'application/json' }).end('{}');
    expect(fragmentOf(await browser.comeBack(callback)).get('kit-auth')).toBe('50300');
    expect(app.logs.all().slice(before)).toContain('OAUTH_RESPONSE_IS_NOT_CONFORM, status 418');
  });

  it.each<[string, () => string]>([
    ['slash', () => `is "${provider.issuer}", but that of the options is "${provider.issuer}/"`],
    ['path', () => `is "${provider.issuer}", but that of the options is "${provider.issuer}/other"`],
    ['missing', () => '(status 404)'],
    ['down', () => '(ECONNREFUSED)'],
  ])('says why the discovery of %s failed', async (name, why) => {
    const document = '/.well-known/openid-configuration';
    provider.handlers[`/other${document}`] = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ issuer: provider.issuer }));
    };
    const url = await new TestBrowser(app).start(name, { returnTo: `${PAGE}/in` });
    expect(url).toBe(`${PAGE}/in#kit-auth=50300&provider=${name}`);
    const lines = app.logs.all().split('\n');
    const failed = lines.filter((line) => line.includes(`the discovery of ${name} failed`));
    expect(failed).toEqual([expect.stringContaining(why())]);
  });

  it('sends an app back too, but nobody to a page that is not allowed', async () => {
    const browser = new TestBrowser(app);
    const { challenge } = newVerifier();
    const url = await browser.start('down', { returnTo: APP_URL, challenge });
    expect(url).toBe(`${APP_URL}#kit-auth=50300&provider=down`);
    await expect(browser.start('down', { returnTo: 'https://evil.example' })).rejects.toThrow(/400 .*40000/);
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
