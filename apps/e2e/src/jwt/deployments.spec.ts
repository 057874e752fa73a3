import { expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_PROVIDER, type AuthProvider, type JwtKey, KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { actingAs, KitAuthTestingModule } from 'kit-auth-testing';
import { pairOf, sharedDatabase, sqliteInMemory, testApp } from 'test-support';

const FIRST: JwtKey = { kid: '2026-05', alg: 'EdDSA', key: pairOf('EdDSA').privateKey };
const SECOND: JwtKey = { kid: '2026-11', alg: 'ES256', key: pairOf('ES256').privateKey };
const until = new Date(Date.now() + 86_400_000).toISOString();
const issuer = 'https://auth.example';

/** All steps of a rotation, and of a move from a secret: `key-ring.spec.ts` of kit-auth-jwt. */
it('two instances during a rotation accept the tokens of each other', async () => {
  const database = sharedDatabase('sqlite');
  await database.recreate();
  const start = (...keys: JwtKey[]) =>
    testApp({ database, options: { jwt: { issuer, keys, checkStamp: true } }, admin: true });
  const instances = [await start(FIRST, { ...SECOND, next: true }), await start(SECOND, { ...FIRST, until })];
  const user = await instances[0]!.administrator();
  for (const token of await Promise.all(instances.map((app) => app.tokenOf(user)))) {
    for (const app of instances) {
      expect(await app.stateOf(token)).toBe('live');
      // Administrative actions ask whether a token is of the current stamp.
      expect((await app.call(token, 'PATCH', `users/${user.id}`, { nickname: 'Ada' })).status).toBe(200);
      expect(app.get<AuthProvider>(AUTH_PROVIDER).isIssuedFor?.(token, 'another')).toBe(false);
    }
  }
});

it.each([true, false])(
  'actingAs() has tokens of a ring, with KitAuthTestingModule %s',
  async (isReplaced) => {
    const jwt = { issuer, keys: [FIRST], jwks: { wellKnown: true } };
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
  },
);
