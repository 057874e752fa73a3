import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthModule } from 'kit-auth';
import { COMPANY, fakeIssuer, IssuersApp } from './app.js';
import { OwnUsersModule } from '../users/own-users.js';

const { fake, options: ISSUER } = fakeIssuer({ user: () => undefined });

describe('an application with other issuers', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('needs no issuer that answers, and says so', async () => {
    const fetching = jest
      .spyOn(globalThis, 'fetch')
      .mockRejectedValue(
        Object.assign(new TypeError('fetch failed'), { cause: new Error('connect ECONNREFUSED') }),
      );
    const { jwks: _, ...remote } = ISSUER;
    const app = await new IssuersApp({ issuers: { issuers: [remote] } }).start();
    expect(await app.codeOf(await app.tokenOf(await app.user()))).toBe(200);
    expect(await app.stateOf(fake.token({ sub: 'ada' }))).toBe('50300 undefined');
    expect(fetching).toHaveBeenCalledTimes(1);
    expect(app.logs.all()).toContain(
      `[issuers] no keys from ${COMPANY.slice(8)}: Error: connect ECONNREFUSED`,
    );
    expect(app.heard('issuer-unavailable')).toEqual([
      expect.objectContaining({
        success: false,
        actorId: null,
        address: null,
        detail: expect.stringContaining('ECONNREFUSED'),
      }),
    ]);
  });

  it('takes users of claims where ids are texts', async () => {
    const user = {
      claims: {
        roles: { fromClaim: 'realm_access.roles', map: { 'app-editor': 'editor' } },
        permissions: { fromScope: { 'notes.read': ['note:read'] } },
      },
    };
    const other = fakeIssuer({ user }, 'https://other.example');
    const app = await new IssuersApp({
      admin: false,
      core: KitAuthModule.forRoot({ users: OwnUsersModule }),
      issuers: { issuers: [{ ...ISSUER, user }, other.options], resource: 'https://api.example.com' },
    }).start();
    const claims = {
      sub: '4711',
      name: 'Ada',
      scope: 'openid notes.read',
      realm_access: { roles: ['app-editor'] },
    };
    const { json } = await app.request('/v1/notes/mine', { token: fake.token(claims) });
    expect(json.user).toEqual({
      userId: expect.stringMatching(/^ext_[a-z2-7]{26}$/),
      username: '4711',
      nickname: 'Ada',
      superAdmin: false,
      roles: ['editor'],
      permissions: ['note:read'],
    });
    const elsewhere = await app.request('/v1/notes/mine', { token: other.fake.token(claims) });
    expect(elsewhere.json.user.userId).not.toBe(json.user.userId);
    const codes = ['/v1/notes', '/v1/notes/drafts', '/v1/api/auth/me'].map((path) =>
      app.codeOf(fake.token(claims), path),
    );
    expect(await Promise.all(codes)).toEqual([200, 200, 200]);
    const bare = fake.token({ sub: '4711' });
    expect([await app.codeOf(bare, '/v1/notes'), await app.codeOf(bare, '/v1/notes/drafts')]).toEqual([
      40300, 40300,
    ]);
    const metadata = await app.request('/.well-known/oauth-protected-resource');
    expect(metadata.json.scopes_supported).toEqual(['notes.read']);
  });
});
