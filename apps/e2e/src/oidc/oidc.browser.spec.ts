import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Header } from '@nestjs/common';
import { Public } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import type { Page } from 'playwright-core';
import { freePorts } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { scriptOf } from '../browser/page-server.js';
import { ADDRESSES, OidcApp } from './app.js';
import { ProviderProcess } from './provider.process.js';

const CLIENT = { client_id: 'app', client_secret: 's'.repeat(32) };
const PAGE = `<!doctype html>
<title>Login</title>
<output></output>
<script type="module">
import { createAuthClient } from '/client.js';
import { createOidc } from '/oidc.js';
const auth = createAuthClient();
const oidc = createOidc(auth);
const result = oidc.result();
const me = async () => (await (await auth.fetch('v1/api/auth/me')).json()).username ?? 'nobody';
Object.assign(globalThis, { auth, oidc, result, me });
const who = await me();
document.querySelector('output').append(who + ' ' + JSON.stringify(result) + ' ' + document.referrer);
</script>`;

@Controller('app')
@Public()
class PageController {
  @Get()
  @Header('Content-Type', 'text/html')
  page() {
    return PAGE;
  }
}

@Controller()
@Public()
class ScriptsController {
  @Get('client.js')
  @Header('Content-Type', 'text/javascript')
  client() {
    return scriptOf('kit-auth-browser');
  }

  @Get('oidc.js')
  @Header('Content-Type', 'text/javascript')
  oidc() {
    return scriptOf('kit-auth-oidc');
  }
}

const profile = sharedChromium();

// The demo has SameSite=Lax: see ../demo/providers.browser.spec.ts.
describe('logins with a provider in Chromium, with SameSite=Strict', () => {
  const provider = new ProviderProcess();
  let app: OidcApp;
  let url: string;
  let number = 0;
  let sub: string;
  beforeAll(async () => {
    const [port] = await freePorts(1);
    url = `http://localhost:${port}`;
    const redirect_uris = [`${url}/v1/api/auth/oidc/test/callback`];
    await provider.start({
      host: '127.0.0.1',
      clients: [{ ...CLIENT, redirect_uris, post_logout_redirect_uris: [`${url}/app`] }],
    });
    app = new OidcApp({
      platform: 'fastify',
      provider: 'session',
      connections: false,
      imports: [KitAuthBrowserModule.forRoot({ insecureLocalhost: true, sameSite: 'strict' }), ADDRESSES],
      controllers: [PageController, ScriptsController],
      oidc: {
        redirectBase: url,
        returnTo: [`${url}/app`],
        signUp: 'open',
        providers: [
          {
            name: 'test',
            issuer: provider.issuer,
            clientId: CLIENT.client_id,
            clientSecret: CLIENT.client_secret,
          },
        ],
      },
    });
    await app.create();
    await app.nest.listen(port!, '127.0.0.1');
  });
  afterAll(() => provider.stop());
  beforeEach(async () => {
    sub = `sub-${++number}`;
    await provider.next({ sub });
  });

  /** A tab with the page, in a browser of its own. */
  async function opened(): Promise<Page> {
    const tab = await (await profile()).newPage();
    await tab.goto(`${url}/app`);
    await textOf(tab);
    return tab;
  }

  /** What the page says once it knows who the user is. */
  async function textOf(tab: Page): Promise<string> {
    await tab.locator('output', { hasText: /\S/ }).waitFor();
    return (await tab.textContent('output')) ?? '';
  }

  /** Runs a script that leaves the page. @returns what the page says that the browser comes back to */
  async function through(tab: Page, script: string): Promise<string> {
    await tab.evaluate(`document.querySelector('output').textContent = ''; ${script}`);
    return textOf(tab);
  }

  /** Creates the account of the next user. */
  async function signedUp(): Promise<Page> {
    const tab = await opened();
    expect(await through(tab, "void oidc.start('test')")).toContain('nobody {"status":"complete"');
    await tab.evaluate("auth.authenticate('oidc/complete', { token: result.token })");
    expect(await tab.evaluate('me()')).toBe(`${sub}@example.com`);
    return tab;
  }

  it('show the user on the first page after the login, and hide what was in the URL', async () => {
    await signedUp();
    const tab = await opened();
    const text = await through(tab, "void oidc.start('test')");
    expect(text).toBe(`${sub}@example.com {"status":"ok"} `);
    expect(tab.url()).toBe(`${url}/app`);
    await tab.reload();
    expect(await textOf(tab)).toContain(`${sub}@example.com`);
  });

  it('do nothing again when the user goes back', async () => {
    await signedUp();
    const tab = await opened();
    await through(tab, "void oidc.start('test')");
    const before = app.heard('login').length;
    await tab.goBack({ timeout: 2000 }).catch(() => undefined); // a page that leads on has no end
    await tab.goto(`${url}/app`);
    expect(await textOf(tab)).toContain(`${sub}@example.com undefined`);
    expect(app.heard('login')).toHaveLength(before);
  });
});
