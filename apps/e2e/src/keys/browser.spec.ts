import { beforeAll, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import type { AuthUser } from 'kit-auth/typeorm';
import { bearer, EVERYWHERE, sharedTestApp } from 'test-support';
import { OWN_PAGE, sentBack } from '../browser/app.js';
import { type CreatedKey, KEY_FORM, KeysApp } from './app.js';

describe.each(EVERYWHERE)('API keys and browsers on $platform with $provider', (where) => {
  const app = sharedTestApp(new KeysApp({ ...where, imports: [KitAuthBrowserModule.forRoot()] }));
  let owner: AuthUser;
  let created: CreatedKey;
  beforeAll(async () => {
    await app.role({ code: 'editor', permissions: ['note:*'] });
    owner = await app.user({ roles: ['editor'] });
    created = await app.newKey(await app.tokenOf(owner), { abilities: ['note:*'] });
  });
  const notes = async (...headers: string[]) => {
    const { status, json } = await app.request('/v1/notes', { headers });
    return status === 200 ? json.username : json.code;
  };

  it('do not mix: a key in a cookie is no token', async () => {
    for (const site of [[], [OWN_PAGE], ['Sec-Fetch-Site: cross-site']]) {
      expect(await notes(`Cookie: __Host-kit-auth=${created.key}`, ...site)).toBe(40100);
      expect(await notes(`Cookie: __Host-kit-auth="${created.key}"`, ...site)).toBeGreaterThanOrEqual(40100);
    }
    const headers = [`Cookie: __Host-kit-auth=${created.key}`, OWN_PAGE];
    const { json, text } = await app.request('/v1/notes', { method: 'POST', headers });
    expect(json).toMatchObject({
      code: 40100,
      message: expect.stringContaining('such as an API key, is read from the header Authorization only'),
    });
    expect(text).not.toContain(created.key.slice(-20));
  });

  it('do not mix: a key in the header wins over the cookie of a user', async () => {
    const other = await app.user({ roles: ['editor'] });
    const cookie = sentBack(await app.login(other.username, undefined, OWN_PAGE));
    expect(await notes(`Cookie: ${cookie}`)).toBe(other.username);
    expect(await notes(`Cookie: ${cookie}`, bearer(created.key))).toBe(owner.username);
    expect(await notes(`Cookie: ${cookie}`, bearer(`${created.key}0`))).toBe(40101);
  });

  it('are for other sites, too: a header is sent by nobody unawares', async () => {
    const { status } = await app.request('/v1/notes', {
      method: 'POST',
      token: created.key,
      headers: ['Sec-Fetch-Site: cross-site'],
    });
    expect(status).toBe(201);
  });

  it('are shown to a page that creates one, once', async () => {
    const cookie = sentBack(await app.login(owner.username, undefined, OWN_PAGE));
    const json = { name: 'Script', abilities: ['note:read'] };
    const create = (...headers: string[]) =>
      app.request('/v1/api/auth/keys', { method: 'POST', json, headers: [`Cookie: ${cookie}`, ...headers] });
    const answer = await create(OWN_PAGE);
    expect([answer.status, answer.json.key, answer.cookies]).toEqual([
      201,
      expect.stringMatching(KEY_FORM),
      [],
    ]);
    expect((await create('Sec-Fetch-Site: cross-site')).json.code).toBe(40302);
  });
});
