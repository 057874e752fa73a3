import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  AUTH_PROVIDER,
  AuthManager,
  type AuthProvider,
  type JwtKey,
  KitAuthModule,
  type KitAuthOptions,
} from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { actingAs, KitAuthTestingModule } from 'kit-auth-testing';
import { BOTH, PASSWORD, pairOf, sharedDatabase, sqliteInMemory, testApp, type TestApp } from 'test-support';
import { RefreshApp } from '../refresh/app.js';

type Jwt = NonNullable<KitAuthOptions['jwt']>;

const FIRST: JwtKey = { kid: '2026-05', alg: 'EdDSA', key: pairOf('EdDSA').privateKey };
const SECOND: JwtKey = { kid: '2026-11', alg: 'ES256', key: pairOf('ES256').privateKey };
const SECRET = 's'.repeat(32);
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();

const issuer = 'https://auth.example';
const audience = ['api', 'shop'];
const moving = { secret: SECRET, issuer, audience, legacyUntil: TOMORROW };

// The other steps are tested in kit-auth-jwt/src/keys/key-ring.spec.ts.
describe.each<[string, Jwt, Jwt, boolean]>([
  [
    'rotation',
    { issuer, keys: [FIRST, { ...SECOND, next: true }] },
    { issuer, keys: [SECOND, { ...FIRST, until: TOMORROW }] },
    true,
  ],
  ['move to keys', { secret: SECRET }, { ...moving, keys: [{ ...SECOND, next: true }] }, false],
  [
    'move away from the secret',
    { ...moving, keys: [{ ...SECOND, next: true }] },
    { ...moving, keys: [SECOND] },
    true,
  ],
])('two instances during a %s', (_name, before, after, checkStamp) => {
  it('accept the tokens of each other', async () => {
    const database = sharedDatabase('sqlite');
    await database.recreate();
    const start = (jwt: Jwt) => testApp({ database, options: { jwt: { ...jwt, checkStamp } }, admin: true });
    const instances = [await start(before), await start(after)];
    const user = await instances[0]!.administrator();
    const stateOf = (token: string) => Promise.all(instances.map((app) => app.stateOf(token)));
    const tokens = await Promise.all(instances.map((app) => app.tokenOf(user)));
    for (const token of tokens) {
      expect(await stateOf(token)).toEqual(['live', 'live']);
      // Administrative actions ask whether a token is of the current stamp.
      expect(await Promise.all(instances.map((app) => renamed(app, token, user.id)))).toEqual([200, 200]);
    }
    await instances[0]!.users.update({ id: user.id }, { securityStamp: 'another' });
    const provider = (app: TestApp) => app.get<AuthProvider>(AUTH_PROVIDER);
    for (const [app, token] of instances.flatMap((app) => tokens.map((token) => [app, token] as const))) {
      expect(provider(app).isIssuedFor?.(token, 'another')).toBe(false);
    }
  });
});

async function renamed(app: TestApp, token: string, id: number): Promise<number> {
  return (await app.call(token, 'PATCH', `users/${id}`, { nickname: 'Ada' })).status;
}

describe.each(BOTH)('tokens of EdDSA on %s', (platform) => {
  const options: KitAuthOptions = { jwt: { issuer, audience, keys: [FIRST] } };

  it('are refreshed, confirmed and ended as others are', async () => {
    const app = await new RefreshApp({ platform, options }).start();
    const { username } = await app.user();
    const { json: login } = await app.login(username);
    expect(await app.stateOf(login.token)).toBe('live');
    const { json: refreshed } = await app.refresh(login.refreshToken);
    expect(await app.stateOf(refreshed.token)).toBe('live');
    const { status, json: confirmed } = await app.call(refreshed.token, 'POST', 'fresh', {
      password: PASSWORD,
    });
    expect([status, await app.stateOf(confirmed.token)]).toEqual([200, 'live']);
    expect((await app.call(confirmed.token, 'POST', 'logout')).status).toBe(204);
    expect(await app.codeOf(confirmed.token)).toBe(40101);
    expect((await app.refresh(confirmed.refreshToken)).json.code).toBe(40101);
  });

  it('come from logins without a password, too', async () => {
    const app = await testApp({ platform, options });
    const { id } = await app.user();
    const factors = { card: Math.floor(Date.now() / 1000) };
    const { token } = await app.get(AuthManager).loginAs(id, { factors });
    expect(await app.stateOf(String(token))).toBe('live');
  });
});

describe('the tests of an application with a ring', () => {
  const jwt = { issuer, keys: [FIRST], jwks: { wellKnown: true } };

  it.each([true, false])('get tokens from actingAs(), with KitAuthTestingModule %s', async (isReplaced) => {
    const imports = [
      TypeOrmModule.forRoot(sqliteInMemory()),
      KitAuthModule.forRoot({ jwt }),
      KitAuthJwtModule,
    ];
    const builder = Test.createTestingModule({ imports });
    const module = await (isReplaced ? KitAuthTestingModule.replaceIn(builder) : builder).compile();
    const app = module.createNestApplication();
    await app.listen(0, '127.0.0.1');
    try {
      const { headers } = await actingAs(app, { username: 'ada' });
      const answer = await fetch(`${await app.getUrl()}/v1/api/auth/me`, { headers });
      expect([answer.status, await answer.json()]).toMatchObject([200, { username: 'ada' }]);
    } finally {
      await app.close();
    }
  });
});
