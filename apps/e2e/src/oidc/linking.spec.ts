import { beforeEach, describe, expect, it } from '@jest/globals';
import { AUTH_PROVIDER, type AuthProvider } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { UserIdentities } from 'kit-auth-oidc';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import type { AuthUser } from 'kit-auth/typeorm';
import { loginUser, sharedTestApp } from 'test-support';
import { API, APP_URL, FAKE, fragmentOf, newVerifier, OidcApp, TEST, TestBrowser } from './app.js';

describe('a link of an identity, and a confirmation', () => {
  const app = sharedTestApp(
    new OidcApp({
      provider: 'session',
      imports: [KitAuthBrowserModule, KitAuthKeysModule],
      oidc: { providers: [TEST, { ...TEST, name: 'silent', fresh: false }] },
    }),
  );
  let number = 0;
  let sub: string;
  let owner: AuthUser;
  beforeEach(async () => {
    sub = `sub-${++number}`;
    owner = await app.administrator();
    await app.get(UserIdentities).link(owner.id, { provider: 'test', subject: `${sub}-owner` });
  });

  /** An API key of a super administrator, who has an identity. */
  async function newKey(): Promise<string> {
    const token = await app.tokenOf(owner);
    const { status, json } = await app.call(token, 'POST', 'keys', { name: 'S', abilities: ['note:read'] });
    expect(status).toBe(201);
    return json.key;
  }

  it('are refused to whoever acts as a user', async () => {
    const { id, username } = await app.user();
    const factors = { password: Math.floor(Date.now() / 1000) };
    const actor = { userId: 1, username: 'admin' };
    const token = await app
      .get<AuthProvider>(AUTH_PROVIDER)
      .issueToken(loginUser({ userId: id, username }), { factors, actor });
    for (const what of ['link', 'fresh']) {
      expect((await app.call(token, 'POST', `oidc/test/${what}`, {})).json.code).toBe(40300);
    }
  });

  it('are refused to API keys, as all that belongs to identities', async () => {
    const key = await newKey();
    const [identity] = await app.get(UserIdentities).listOf(owner.id);
    const calls: [string, string][] = [
      ['POST', 'oidc/test/link'],
      ['POST', 'oidc/test/fresh'],
      ['POST', 'oidc/logout'],
      ['GET', 'identities'],
      ['DELETE', `identities/${identity?.id}`],
      ['GET', `users/${owner.id}/identities`],
      ['DELETE', `users/${owner.id}/identities`],
    ];
    for (const [method, path] of calls) {
      const answer = await app.call(key, method, path, method === 'POST' ? {} : undefined);
      expect([path, answer.status, answer.json.code]).toEqual([path, 403, 40304]);
    }
    expect(app.heard('logout').filter(({ subjectId }) => subjectId === owner.id)).toEqual([]);
  });

  it('are not completed with an API key after a login has begun them', async () => {
    const token = await app.tokenOf(owner);
    const key = await newKey();
    const { verifier, challenge } = newVerifier();
    const { json } = await app.call(token, 'POST', 'oidc/test/link', { returnTo: APP_URL, challenge });
    const end = await new TestBrowser(app).comeBack(API + FAKE.logIn(json.url, { sub }));
    const answer = await app.exchange(key, { code: fragmentOf(end).get('code'), verifier });
    expect([answer.status, answer.json.reason]).toEqual([401, 'state']);
    expect(await app.rowsOf(AuthIdentity).countBy({ subject: sub })).toBe(0);
  });

  it('need a provider that can do this', async () => {
    const token = await app.tokenOf(owner);
    expect((await app.call(token, 'POST', 'oidc/silent/fresh', {})).json.code).toBe(50100);
    expect((await app.call(token, 'POST', 'oidc/silent/link', {})).status).toBe(200);
    expect((await app.call(token, 'POST', 'oidc/unknown/link', {})).json.code).toBe(40400);
  });
});
