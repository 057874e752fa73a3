import { describe, expect, it } from '@jest/globals';
import { sharedTestApp } from 'test-support';
import { ALL_EXTRAS, ConsoleApp } from './app.js';

/** With mails, administrators choose no passwords. */
const FEATURES = [
  ...['GET users', 'GET users/{id}', 'POST users', 'PATCH users/{id}', 'PUT users/{id}/roles'],
  ...['POST users/{id}/unlock', 'DELETE users/{id}', 'POST users/{id}/reset-link', 'GET users/{id}/factors'],
  ...['DELETE users/{id}/factors', 'GET users/{id}/passkeys', 'DELETE users/{id}/passkeys'],
  ...['DELETE users/{id}/passkeys/{passkeyId}', 'GET users/{id}/identities', 'DELETE users/{id}/identities'],
  ...['DELETE users/{id}/identities/{identityId}', 'GET roles', 'POST roles', 'PATCH roles/{code}'],
  ...['DELETE roles/{code}', 'GET users/{id}/sessions', 'DELETE users/{id}/sessions'],
  ...['DELETE users/{id}/sessions/{sessionId}', 'GET users/{id}/keys', 'DELETE users/{id}/keys'],
  ...['DELETE users/{id}/keys/{keyId}', 'GET audit', 'GET invitations', 'POST invitations'],
  ...['DELETE invitations/{id}', 'POST login/factor', 'POST login/passkey', 'POST password'],
  ...['GET sessions', 'GET factors', 'GET passkeys', 'GET identities', 'GET keys', 'GET email'],
];
const NOTHING = { users: [], roles: [], sessions: [], keys: [], audit: [], invitations: [] };

describe('GET console', () => {
  const app = sharedTestApp(new ConsoleApp({ extras: ALL_EXTRAS }));
  let people = 0;

  async function tokenWith(...permissions: string[]): Promise<string> {
    const role = await app.role({ permissions });
    return app.tokenOf(await app.user({ username: `person-${++people}`, nickname: 'Ada', roles: [role] }));
  }

  it('says what the application and the user can do', async () => {
    const { status, headers, json } = await app.call(await app.adminToken(), 'GET', 'console');
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(json.features).not.toContain('POST users/{id}/password');
    expect(json).toEqual({
      user: { userId: 1, username: 'admin', nickname: 'admin', superAdmin: true },
      permissions: [],
      sections: {
        ...{ users: ['read', 'write'], roles: ['read', 'write'], sessions: ['read', 'end'] },
        ...{ keys: ['read', 'end'], audit: ['read'], invitations: ['read', 'write'] },
      },
      features: expect.arrayContaining(FEATURES),
      allowed: json.features,
      idType: 'number',
      freshAdmin: true,
      password: { minLength: 8 },
      languages: ['en', 'de'],
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  it.each([
    ['auth:user:read', { users: ['read'] }],
    ['auth:role:read', { roles: ['read'] }],
    ['auth:session:read', { sessions: ['read'], keys: ['read'] }],
    ['auth:audit:read', { audit: ['read'] }],
    ['auth:user:write', { users: ['write'], invitations: ['read', 'write'] }],
    ['auth:role:*', { roles: ['read', 'write'] }],
  ])('lets in a user with %s alone', async (permission, sections) => {
    const token = await tokenWith(permission, 'note:read');
    const { json } = await app.call(token, 'GET', 'console');
    expect(json.sections).toEqual({ ...NOTHING, ...sections });
    expect(json.permissions).toEqual([permission]);
    expect(json.user).toMatchObject({ nickname: 'Ada', superAdmin: false });
  });

  it('names the endpoints that the user may call, and those of the own account', async () => {
    const { json } = await app.call(await tokenWith('auth:user:read', 'auth:session:end'), 'GET', 'console');
    expect(json.allowed).toEqual(
      expect.arrayContaining([
        ...[
          'GET users',
          'GET users/{id}',
          'GET users/{id}/factors',
          'DELETE users/{id}/keys/{keyId}',
          'GET sessions',
        ],
      ]),
    );
    const others = [
      ...[
        'POST users',
        'DELETE users/{id}/factors',
        'GET users/{id}/sessions',
        'GET users/{id}/keys',
        'GET audit',
      ],
      'GET invitations',
    ];
    expect(json.features).toEqual(expect.arrayContaining(others));
    expect(json.allowed.filter((it: string) => others.includes(it))).toEqual([]);
  });

  it.each([['auth:role:write'], ['auth:session:end'], ['note:*'], []])(
    'refuses a user who may read nothing: %s',
    async (...permissions) => {
      expect((await app.call(await tokenWith(...permissions), 'GET', 'console')).json.code).toBe(40300);
    },
  );

  it('knows the permissions of this moment', async () => {
    const role = await app.role({ permissions: ['auth:user:read', 'auth:audit:read'] });
    const user = await app.user({ roles: [role] });
    const token = await app.tokenOf(user);
    expect((await app.call(token, 'GET', 'console')).json.sections.audit).toEqual(['read']);
    // Without an endpoint, which would end the login of a JWT.
    await app.roles.update({ code: role.code }, { permissions: ['auth:user:read'] });
    const { json } = await app.call(token, 'GET', 'console');
    expect(json.sections).toEqual({ ...NOTHING, users: ['read'] });
    expect(json.permissions).toEqual(['auth:user:read']);
  });

  it('is not for API keys', async () => {
    const admin = await app.adminToken();
    const { json } = await app.call(admin, 'POST', 'keys', { name: 'key', abilities: ['auth:user:read'] });
    expect(json.key).toBeDefined();
    expect(await app.codeOf(json.key, '/v1/api/auth/console')).toBe(40304);
  });
});

it('a console knows whether changes need a fresh login, and how long passwords must be', async () => {
  const options = { password: { minLength: 12 } };
  const app = await new ConsoleApp({ admin: { freshAdmin: false }, options, refresh: false }).start();
  const { json } = await app.call(await app.adminToken(), 'GET', 'console');
  expect(json).toMatchObject({ freshAdmin: false, password: options.password });
  // An implementation without sessions has none to show.
  expect(json.features.filter((name: string) => name.includes('session'))).toEqual([]);
  expect(json.features).toContain('POST users/{id}/password');
});
