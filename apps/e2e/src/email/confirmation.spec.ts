import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AUTH_CREDENTIAL, type AuthCredential } from 'kit-auth';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { newSecurityStamp } from 'kit-auth/typeorm';
import { BOTH, loginUser, pairsOf, sharedTestApp } from 'test-support';
import { EmailApp, type EmailAppOptions, type UserWithAddress } from './app.js';
import { MemoryLoginsModule } from '../login/memory-logins.js';

/** A key of the user with the id that follows the prefix. */
const KEY: AuthCredential = {
  prefix: 'confirmkey_',
  scheme: 'key',
  resolve: (token) => ({ user: loginUser({ userId: Number(token.slice(11)) }), proof: { factors: {} } }),
};
const STATELESS = { mode: 'stateless', secret: 'a secret of at least 32 bytes, for tests' } as const;
let addresses = 0;
const newAddress = () => `Confirmed.${++addresses}@example.com`;

afterEach(() => {
  jest.restoreAllMocks();
});

describe.each(
  pairsOf(BOTH, [
    { tokens: 'plain JWTs', provider: 'jwt' as const },
    { tokens: 'stateless sessions', session: STATELESS },
  ]).map(([platform, tokens]) => ({ platform, session: undefined, provider: undefined, ...tokens })),
)('the confirmation of an address on $platform with $tokens', ({ platform, provider, session }) => {
  const app = sharedTestApp(
    new EmailApp({
      platform,
      admin: true,
      ...(provider && { provider }),
      ...(session && { session }),
      providers: [{ provide: AUTH_CREDENTIAL, useValue: KEY }],
    }),
  );
  let user: UserWithAddress;
  let token: string;
  beforeEach(async () => {
    app.sendAtOnce();
    user = await app.addressed();
    token = await app.tokenOf(user);
  });
  const own = async () => (await app.addresses.find(user.id))?.address;

  it('needs a token of the user, whichever login it is of', async () => {
    const wanted = newAddress();
    const link = await app.changeToken(token, wanted);
    const refused = await app.confirm(link);
    expect([refused.status, refused.json.code]).toEqual([401, 40100]);
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer/);
    expect(refused.headers['cache-control']).toBe('no-store');
    expect(await app.outcomeOf(app.confirm(link, 'junk'))).toBe(40101);
    expect(await app.outcomeOf(app.confirm(link, await app.tokenOf(await app.user())))).toBe(40300);
    expect(await app.outcomeOf(app.confirm(link, await app.adminToken()))).toBe(40300);
    expect(await app.outcomeOf(app.confirm(link, `confirmkey_${user.id}`))).toBe(40304);
    expect(await own()).toBe(user.address);
    expect(await app.outcomeOf(app.confirm(link, await app.tokenOf(user)))).toBe(204);
    expect(await own()).toBe(wanted);
    for (const session of [undefined, token, 'junk']) {
      expect(await app.outcomeOf(app.confirm(link, session))).toBe(40010);
    }
  });

  it('is refused once the user has taken it back, or has changed', async () => {
    const links = [await app.changeToken(token, newAddress())];
    expect((await app.call(token, 'DELETE', 'email/pending')).status).toBe(204);
    expect((await app.call(undefined, 'DELETE', 'email/pending')).json.code).toBe(40100);
    expect(await app.outcomeOf(app.confirm(links[0], token))).toBe(40010);
    links.push(await app.changeToken(token, newAddress()));
    await app.users.update({ id: user.id }, { securityStamp: newSecurityStamp() });
    expect(await app.outcomeOf(app.confirm(links[1], await app.tokenOf(user)))).toBe(40010);
    links.push(await app.changeToken(await app.tokenOf(user), newAddress()));
    // The tokens of sessions have no stamp: whoever changes it ends them.
    expect(await app.outcomeOf(app.confirm(links[2], token))).toBe(provider === 'jwt' ? 40101 : 204);
  });

  if (session !== undefined) {
    it('is refused to the token of a session that has ended, and after an end of all', async () => {
      const link = await app.changeToken(token, newAddress());
      expect((await app.call(token, 'POST', 'logout')).status).toBe(204);
      expect(await app.outcomeOf(app.confirm(link, token))).toBe(40101);
      const other = await app.tokenOf(user);
      expect((await app.call(other, 'DELETE', 'sessions')).status).toBe(204);
      expect(await app.outcomeOf(app.confirm(link, other))).toBe(40010);
    });
  }
});

describe.each<[string, EmailAppOptions]>([
  ['refresh tokens', { provider: 'jwt', imports: [KitAuthRefreshModule] }],
  ['sessions in memory', { session: { store: 'memory' } }],
  ['logins of an application', { imports: [MemoryLoginsModule] }],
])('a change of an address with %s', (_, options) => {
  const app = sharedTestApp(new EmailApp(options));
  beforeEach(() => app.sendAtOnce());

  it('ends with the login that asked', async () => {
    const user = await app.addressed();
    const [ended, token] = [await app.tokenOf(user), await app.tokenOf(user)];
    const link = await app.changeToken(ended, newAddress());
    expect((await app.call(ended, 'POST', 'logout')).status).toBe(204);
    expect(await app.outcomeOf(app.confirm(link))).toBe(40010);
    expect(await app.outcomeOf(app.confirm(await app.changeToken(token, newAddress())))).toBe(204);
    expect(await app.codeOf(token)).toBe(200);
  });
});
