import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Passkey } from 'kit-auth-passkeys/client';
import type { BrowserContext } from 'playwright-core';
import { freePorts, freezeDate, PASSWORD } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { servePage } from '../browser/page-server.js';
import { MINUTE_MS } from './app.js';
import { PasskeysPage, PasskeysPageApp } from './page.js';

const profile = sharedChromium();

describe.each([
  { platform: 'express', provider: 'jwt' },
  { platform: 'fastify', provider: 'session' },
] as const)('passkeys in Chromium, on $platform with $provider', (where) => {
  let app: PasskeysPageApp;
  beforeAll(async () => {
    const [port] = await freePorts(1);
    app = await new PasskeysPageApp(where, port!).start();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  /** The page of a user who is logged in and has added a passkey. */
  async function registered(): Promise<{ page: PasskeysPage; username: string; context: BrowserContext }> {
    const { username } = await app.user();
    const context = await profile();
    const page = await PasskeysPage.open(context, app.url);
    await page.logIn(username);
    expect(JSON.parse(await page.call('add', { name: 'Laptop' }))).toMatchObject({
      name: 'Laptop',
      backedUp: true,
      deviceType: 'multi',
      transports: ['internal'],
    });
    return { page, username, context };
  }

  it('log in with a button', async () => {
    const { page, username } = await registered();
    await page.run('auth.logout()');
    expect(await page.who()).toBe('cancelled');
    await page.tab.click('button');
    await page.hears(`hello ${username}`);
    expect(await page.who()).toBe(JSON.stringify(username));
    await page.tab.reload();
    expect(await page.who()).toBe(JSON.stringify(username));
  });

  it('log in from the field of the user name, while the page shows a form', async () => {
    const { page, username } = await registered();
    await page.run('auth.logout()');
    await page.autofill();
    await page.hears(`chosen ${username}`);
    expect(await page.who()).toBe(JSON.stringify(username));
  });

  it('are added, renamed and removed, also from the authenticator', async () => {
    const { page, context } = await registered();
    expect(await page.call('add')).toBe('InvalidStateError'); // it has one of the user
    const other = await PasskeysPage.open(context, app.url);
    expect(JSON.parse(await other.call('add'))).toMatchObject({ name: 'Passkey' });
    const [first, second] = JSON.parse(await page.call('list')) as [Passkey, Passkey];
    expect([first.name, second.name]).toEqual(['Laptop', 'Passkey']);
    const rename = {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Desk"}',
    };
    await page.run(`auth.fetch('/v1/api/auth/passkeys/${second.id}', ${JSON.stringify(rename)})`);
    expect(JSON.parse(await page.call('list'))).toMatchObject([{ name: 'Laptop' }, { name: 'Desk' }]);
    expect((await other.device.stored()).length).toBe(1);

    await page.call('remove', first);
    expect([await page.device.stored(), (await other.device.stored()).length]).toEqual([[], 1]);
    await page.call('remove', second); // which this authenticator does not have
    expect([JSON.parse(await page.call('list')), (await other.device.stored()).length]).toEqual([[], 1]);
  });

  it('are the second factor after a password', async () => {
    const { page, username } = await registered();
    await page.run('auth.logout()');
    const form = JSON.stringify({ username, password: PASSWORD });
    const challenge = await page.run(
      `auth.login(${form}).catch(({ code, challenge, factors }) => ({ code, challenge, factors }))`,
    );
    const refusal = JSON.parse(challenge) as { challenge: string };
    expect(refusal).toMatchObject({ code: 40112, factors: ['passkey'] });
    await page.device.setVerified(false);
    expect(await page.call('second', refusal.challenge)).toBe('cancelled');
    expect(await page.who()).toBe('cancelled');
    await page.device.setVerified(true);
    expect(JSON.parse(await page.call('second', refusal.challenge))).toMatchObject({ user: { username } });
    expect(await page.codeOf('/v1/proof/full')).toBe('200');
    expect(await page.call('second', refusal.challenge)).toBe('40113 challenge-ended');
  });

  it('confirm a login that is no longer fresh', async () => {
    const pass = freezeDate();
    const { page, username } = await registered();
    pass(11 * MINUTE_MS);
    expect(await page.codeOf('/v1/proof/fresh')).toBe('40120');
    await page.device.setVerified(false);
    expect(await page.call('confirm')).toBe('cancelled');
    expect(await page.codeOf('/v1/proof/fresh')).toBe('40120');
    await page.device.setVerified(true);
    expect(JSON.parse(await page.call('confirm'))).toMatchObject({ user: { username } });
    expect([await page.codeOf('/v1/proof/fresh'), await page.codeOf('/v1/proof/full')]).toEqual([
      '200',
      '200',
    ]);
  });

  it('do not log in from a frame of another site, even if that allows it', async () => {
    const { page, context } = await registered();
    await page.run('auth.logout()');
    const evil = await PasskeysPage.open(context, app.url, page);
    const server = await servePage(`<iframe src="${app.url}" allow="publickey-credentials-get"></iframe>`);
    await evil.tab.goto(`http://evil.localhost:${server.port}/`);
    server.close();
    const frame = evil.tab.frames().find((candidate) => candidate.url() === app.url)!;
    // Without a client: Chromium gives the frame no storage.
    const code = `import('/passkeys.js').then(({ createPasskeys }) => createPasskeys({
      fetch: (path, init) => fetch(path, init),
      authenticate: async (path, body) => {
        const headers = { 'Content-Type': 'application/json' };
        return (await fetch('v1/api/auth/' + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
      },
    }).login())`;
    expect(JSON.parse(await evil.run(code, frame))).toMatchObject({ code: 40113 });
    expect(await page.who()).toBe('cancelled');
    expect(JSON.parse(await page.call('login'))).toHaveProperty('user'); // as in the frame
  });
});
