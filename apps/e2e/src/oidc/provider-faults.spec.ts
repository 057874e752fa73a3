import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { sharedHostileProvider, sharedTestApp } from 'test-support';
import { APP_URL, fragmentOf, newVerifier, OidcApp, PAGE, TestBrowser } from './app.js';

const FAILED = { 'kit-auth': '40114' };

describe('the faults of a provider', () => {
  const provider = sharedHostileProvider();
  const app = sharedTestApp(
    new OidcApp({
      platform: 'fastify',
      connections: false,
      imports: [KitAuthBrowserModule],
      oidc: {
        providers: [provider.settings(), provider.settings('down', { issuer: 'http://127.0.0.1:2' })],
      },
    }),
  );
  beforeEach(() => provider.reset());

  async function logIn(fault: () => void = () => undefined): Promise<object> {
    const browser = new TestBrowser(app);
    const callback = provider.callbackOf(await browser.start('test'));
    fault();
    return Object.fromEntries(fragmentOf(await browser.comeBack(callback)));
  }

  it.each<[string, () => void, object]>([
    ['a forgery', () => (provider.tampering = { claims: { nonce: 'x' } }), { ...FAILED, reason: 'provider' }],
    [
      'an error of the server',
      () => (provider.handlers['/token'] = (_request, response) => response.writeHead(500).end()),
      { 'kit-auth': '50300' },
    ],
  ])('lead back to the page with the code of %s', async (_, fault, answer) => {
    expect(await logIn(fault)).toEqual({ ...answer, provider: 'test' });
    expect(await app.rowsOf(AuthIdentity).count()).toBe(0);
  });

  it('of one provider leave the others alone', async () => {
    const answer = await app.request('/v1/api/auth/oidc/down/start');
    expect([answer.status, answer.json.code]).toEqual([503, 50300]);
    expect((await app.request('/v1/api/auth/oidc')).status).toBe(200);
    expect(await logIn()).toMatchObject({ reason: 'no-account' });
  });

  it('lead back to the page or the app, and nobody to a page that is not allowed', async () => {
    const browser = new TestBrowser(app);
    const { challenge } = newVerifier();
    for (const [returnTo, query] of [
      [`${PAGE}/in`, {}],
      [APP_URL, { challenge }],
    ] as const) {
      const url = await browser.start('down', { returnTo, ...query });
      expect(url).toBe(`${returnTo}#kit-auth=50300&provider=down`);
    }
    await expect(browser.start('down', { returnTo: 'https://evil.example' })).rejects.toThrow(/400 .*40000/);
  });

  it('are logged without what was sent', async () => {
    await app.request('/v1/api/auth/oidc/down/start');
    await logIn(() => (provider.tampering = { claims: { nonce: 'x' } }));
    expect(app.logs.all()).toContain('the discovery of down failed');
    expect(app.logs.all()).not.toMatch(/kato_|a-code|an-access-token|4711|ada@example/);
  });
});
