import { describe, expect, it } from '@jest/globals';
import { AUTH_PROVIDER, type AuthProvider, type JwtKey } from 'kit-auth';
import { loginUser, pairOf, sharedTestApp } from 'test-support';
import { HostileIssuersApp } from './hostile-issuers-app.js';

const ACCOUNTS = 'https://accounts.example.com';
const NOTES = 'https://notes.example.com';

const keyOf = (kid: string): JwtKey => ({ kid, alg: 'EdDSA', key: pairOf('EdDSA').privateKey });

describe('an application that accepts tokens of another one', () => {
  const [old, next] = [keyOf('2026-05'), keyOf('2026-11')];
  const secret: JwtKey = { kid: 'shared', alg: 'HS256', key: 'a secret of at least 32 bytes, for tests' };
  const jwt = { issuer: ACCOUNTS, audience: ['accounts', 'notes'] };
  /** Before and after a rotation. */
  const accounts = sharedTestApp({
    options: { jwt: { ...jwt, keys: [old, { ...next, next: true }, secret] } },
  });
  const rotated = sharedTestApp({ options: { jwt: { ...jwt, keys: [next, old] } } });
  const options = (issuer = ACCOUNTS) => ({
    issuers: [
      {
        issuer,
        name: 'accounts',
        audience: 'notes',
        jwks: `http://127.0.0.1:${accounts.port}/v1/api/auth/jwks`,
        user: { claims: { username: 'username', nickname: 'nickname' } },
      },
    ],
  });
  const notes = sharedTestApp(
    new HostileIssuersApp({ options: { jwt: { issuer: NOTES, keys: [keyOf('notes')] } }, issuers: options }),
  );

  it('knows its users, before and after a rotation', async () => {
    for (const app of [accounts, rotated]) {
      const token = await app.adminToken();
      expect(await app.stateOf(token)).toBe('live');
      expect(await notes.userOf(token)).toMatchObject({
        scheme: 'issuer:accounts',
        username: 'admin',
        superAdmin: false,
        roles: [],
        permissions: [],
        factors: {},
      });
    }
    expect(await rotated.stateOf(await accounts.adminToken())).toBe('live');
  });

  it('knows who acts as one of them', async () => {
    const admin = await notes.userOf(await accounts.adminToken());
    const actor = { userId: 1, username: 'admin' };
    const provider = accounts.get<AuthProvider>(AUTH_PROVIDER);
    const token = await provider.issueToken(loginUser({ username: 'ada' }), { factors: {}, actor });
    expect(await accounts.stateOf(token)).toBe('live');
    expect(await notes.userOf(token)).toMatchObject({
      username: 'ada',
      actor: { userId: admin.userId, username: 'admin' },
    });
  });
});
