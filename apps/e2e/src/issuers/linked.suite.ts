import { hash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { AuthAudit } from 'kit-auth-admin';
import { KitAuthOidcModule } from 'kit-auth-oidc';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { type AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import { freezeDate, nameOf, type Place, sharedInstances, until } from 'test-support';
import { COMPANY, fakeIssuer, IssuersApp } from './app.js';

const OTHER = 'https://other.example';

/** Tokens of issuers whose users have linked their identity, with two instances on one database. */
export function describeLinkedUsers(place: Place): void {
  describe(`users who have linked an identity ${nameOf(place)}`, () => {
    const company = fakeIssuer({ user: 'linked', name: 'company' });
    const other = fakeIssuer({ user: 'linked', cacheSeconds: 0 }, OTHER);
    const [app, second] = sharedInstances(place, (options) => {
      const issuers = [company.options, other.options];
      const oidc = KitAuthOidcModule.forRoot({
        providers: [{ name: 'company', issuer: COMPANY, clientId: 'app', clientSecret: 'secret' }],
        redirectBase: 'https://api.example.com',
        returnTo: ['https://api.example.com/app'],
      });
      return new IssuersApp({ ...options, issuers: { issuers }, imports: [...options.imports, oidc] });
    });
    let pass: (milliseconds: number) => void;
    let user: AuthUser;
    let sub: string;
    let token: string;
    let subjects = 0;
    beforeEach(async () => {
      pass = freezeDate();
      sub = `subject-${++subjects}`;
      user = await app.user({ roles: [await app.role({ permissions: ['note:read'] })] });
      await link(COMPANY);
      token = company.fake.token({ sub });
    });

    const link = (issuer: string, of = user, subject = sub) => {
      const id = hash('sha256', JSON.stringify([issuer, subject]), 'hex');
      const row = { id, provider: 'company', issuer, subject, userId: String(of.id) };
      return app
        .rowsOf(AuthIdentity)
        .save({ ...row, address: null, createdAt: Date.now(), lastUsedAt: null, version: 0 });
    };

    it('act with their own roles', async () => {
      const { status, json } = await second.request('/v1/notes/mine', { token });
      expect([status, json]).toMatchObject([
        200,
        {
          scheme: 'issuer:company',
          factors: {},
          user: { userId: user.id, username: user.username, permissions: ['note:read'] },
        },
      ]);
      expect(await app.codeOf(token, '/v1/notes')).toBe(200);
    });

    it('are nobody with another subject, or at another issuer', async () => {
      expect(await app.stateOf(company.fake.token({ sub: 'nobody' }))).toBe('40101 unknown-user');
      expect(await app.stateOf(company.fake.token({ sub: sub.toUpperCase() }))).toBe('40101 unknown-user');
      expect(await app.stateOf(other.fake.token({ sub }))).toBe('40101 unknown-user');
      await link(OTHER);
      expect(await app.stateOf(other.fake.token({ sub }))).toBe('live');
      // Signed by the other issuer.
      expect(await app.stateOf(other.fake.token({ sub, iss: COMPANY }))).toBe('40101 signature');
    });

    it('are named with the user who acts as them, who needs an account too', async () => {
      const admin = await app.user();
      await link(COMPANY, admin, 'admin');
      const acting = (act: object) => company.fake.token({ sub, act });
      expect(await app.codeOf(acting({ sub: 'admin' }), '/v1/notes/drafts')).toBe(40300);
      const rows = () => app.rowsOf(AuthAudit).findBy({ type: 'access-denied', actor: admin.username });
      await until(async () => (await rows())[0]);
      expect(await rows()).toMatchObject([
        {
          actorId: String(admin.id),
          detail: expect.stringContaining(`on behalf of ${user.username} (${user.id})`),
        },
      ]);
      expect(await app.stateOf(acting({ sub: 'nobody' }))).toBe('40101 unknown-user');
    });

    it('end at once where they are disabled, and after five seconds elsewhere', async () => {
      expect([await app.stateOf(token), await second.stateOf(token)]).toEqual(['live', 'live']);
      const admin = await app.adminToken();
      const status = AuthUserStatus.DISABLED;
      expect((await app.call(admin, 'PATCH', `users/${user.id}`, { status })).status).toBe(200);
      expect(await app.stateOf(token)).toBe('40101 unknown-user');
      expect(await second.stateOf(token)).toBe('live');
      pass(5000);
      expect(await second.stateOf(token)).toBe('40101 unknown-user');
    });

    it.each<[string, string, string, object | undefined, number]>([
      ['the removal of the identity', 'DELETE', 'identities', undefined, 40101],
      [
        'a password that an administrator has set',
        'POST',
        'password',
        { newPassword: 'long enough 1' },
        40301,
      ],
      ['other roles', 'PUT', 'roles', { roles: [] }, 40300],
    ])('notice at once %s', async (_, method, path, json, code) => {
      expect(await app.codeOf(token, '/v1/notes')).toBe(200);
      const changed = await app.call(await app.adminToken(), method, `users/${user.id}/${path}`, json);
      expect(changed.status).toBeLessThan(300);
      expect(await app.codeOf(token, '/v1/notes')).toBe(code);
    });
  });
}
