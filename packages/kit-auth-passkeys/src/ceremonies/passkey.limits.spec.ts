import { afterEach, expect, it, jest } from '@jest/globals';
import type { Client } from 'kit-auth';
import { freezeDate, testApp } from 'test-support';
import { KitAuthPasskeysModule } from '../kit-auth-passkeys.module.js';
import { fakePasskey } from '../testing.js';
import { PasskeyLimits } from './passkey.limits.js';

const clientAt = (address: string): Client => ({ address, userAgent: undefined, hasLeft: () => false });

afterEach(() => {
  jest.useRealTimers();
});

it('a user has 60 ceremonies in a minute to add a passkey, and to confirm a login', async () => {
  const app = await testApp({
    provider: 'session',
    imports: [KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' })],
  });
  const pass = freezeDate();
  const [user, other] = [await app.user(), await app.user()];
  const [token, others] = [await app.tokenOf(user), await app.tokenOf(other)];
  const begin = (path: string, of = token) => app.call(of, 'POST', path, { factor: 'passkey' });
  const creation = (await begin('passkeys/options')).json;
  const response = fakePasskey({ origin: 'https://example.com' }).create(creation.options);
  const added = await app.call(token, 'POST', 'passkeys', { ceremony: creation.ceremony, response });
  const login = (added.json as { token?: string }).token ?? token;
  for (let i = 1; i < 60; i++) {
    expect((await begin(i % 2 ? 'passkeys/options' : 'fresh/options', login)).status).toBe(200);
  }
  for (const path of ['passkeys/options', 'fresh/options']) {
    expect([path, (await begin(path, login)).json.code]).toEqual([path, 42900]);
  }
  expect((await begin('passkeys/options', others)).status).toBe(200);
  pass(60_000);
  expect((await begin('fresh/options', login)).status).toBe(200);
});

it('a network has 60 logins and 60 ceremonies in a minute', async () => {
  const app = await testApp({
    imports: [KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' })],
  });
  const pass = freezeDate();
  const limits = app.get(PasskeyLimits);
  const post = (path: string, body: object, token?: string) => app.call(token, 'POST', path, body);
  const user = await app.user();
  const token = await app.tokenOf(user);
  const passkey = fakePasskey({ origin: 'https://example.com' });
  const creation = (await post('passkeys/options', {}, token)).json;
  const created = { ceremony: creation.ceremony, response: passkey.create(creation.options) };
  expect((await post('passkeys', created, token)).status).toBe(201);
  const begin = () => post('login/passkey/options', {});
  const { ceremony, options } = (await begin()).json;
  const login = () => post('login/passkey', { ceremony, response: passkey.get(options) });

  for (let i = 0; i < 60; i++) {
    await limits.countLogin(clientAt('127.0.0.1'));
  }
  const refused = await login();
  expect([refused.status, refused.json.code, Number(refused.headers['retry-after'])]).toEqual([
    429, 42900, 60,
  ]);
  await expect(limits.countLogin(clientAt('192.0.2.1'))).resolves.toBeUndefined();
  for (let i = 1; i < 60; i++) {
    await limits.countCeremony(clientAt('127.0.0.1'));
  }
  for (const path of ['login/passkey/options', 'login/factor/options']) {
    const { json } = await post(path, { challenge: 'kato_x', factor: 'passkey' });
    expect([path, json.code]).toEqual([path, 42900]);
  }
  expect((await app.login(user.username)).status).toBe(200);
  pass(60_000);
  expect((await login()).status).toBe(200);
  expect((await begin()).status).toBe(200);
});
