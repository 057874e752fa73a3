import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUTH_USER_STORE, type AuthUserStore, KitAuthModule, PASSWORD_HASHER, type UserId } from 'kit-auth';
import { UserAddresses } from 'kit-auth-email';
import { describeUserStore } from 'kit-auth-testing';
import { Pool } from 'pg';
import { PASSWORD, sharedDatabase, sharedTestApp, testApp } from 'test-support';
import { EmailApp } from '../email/app.js';
import { BetterAuthHasher } from './better-auth.hasher.js';
import { UsersModule } from './users.module.js';

const script = (name: string) => readFileSync(`apps/e2e/src/moving-from-better-auth/${name}.sql`, 'utf8');
const [ADA, BOB, EVE] = [
  'gXnmdML7e2ffE3lHYStU7bp4CRwVuPoN',
  'qN2pVxwqjyCJUPQAe7tmIB30DofGIP84',
  'eQxFFGN7locviRv3lJyqQUM8qGUMs1JJ',
];

describe('users of better-auth', () => {
  const database = sharedDatabase('postgres');
  let pool: Pool;
  beforeAll(async () => {
    await database.recreate();
    pool = new Pool({ connectionString: (database.options as { url: string }).url });
    await pool.query(script('1-better-auth'));
    await pool.query(script('2-columns'));
  });
  afterAll(() => pool.end());
  const core = KitAuthModule.forRoot({ users: UsersModule });
  const app = sharedTestApp(new EmailApp({ database, provider: 'session', core }));
  beforeAll(() => pool.query(script('3-addresses')));

  describeUserStore(
    'of better-auth',
    { methods: ['stampOf', 'noteLogin', 'changePassword', 'transaction', 'createUser', 'changeUsername'] },
    () => ({
      store: app.get<AuthUserStore>(AUTH_USER_STORE),
      createUser: async ({ username, passwordHash, enabled }) => {
        const id = crypto.randomUUID();
        const values = [id, username, !enabled];
        await pool.query(
          `insert into "user" ("id", "name", "email", "emailVerified", "disabled") values ($1, $2, $2, true, $3)`,
          values,
        );
        await pool.query(
          `insert into "account" ("id", "accountId", "providerId", "userId", "password", "updatedAt")
           values ($1, $1, 'credential', $1, $2, now())`,
          [id, passwordHash],
        );
        return id as unknown as UserId;
      },
    }),
  );

  it('log in with the passwords that better-auth has hashed, and keep their ids', async () => {
    const { json } = await app.login('ada@example.com', 'correct horse 1');
    expect(json.user).toMatchObject({ userId: ADA, nickname: 'Ada Lovelace', superAdmin: true });
    expect((await app.login('ada@example.com', 'correct horse 2')).json.code).toBe(40110);
    // The ligature of the first login is not in the second password: both are equal after normalization.
    for (const password of ['p\u00e4ssw\u00f6rd \ufb01 long', 'pa\u0308sswo\u0308rd fi long']) {
      expect((await app.login('bob@example.com', password)).json.user).toMatchObject({ userId: BOB });
    }
    expect((await app.login('eve@example.com', '')).json.code).toBe(40000);
    expect((await app.login('eve@example.com', 'none')).json.code).toBe(40110);
  });

  it('change their password, in the format of better-auth', async () => {
    const { json } = await app.login('bob@example.com', 'pa\u0308sswo\u0308rd fi long');
    const passwords = { currentPassword: 'pa\u0308sswo\u0308rd fi long', newPassword: PASSWORD };
    expect((await app.call(json.token, 'POST', 'password', passwords)).status).toBe(204);
    const { rows } = await pool.query(`select "password" from "account" where "userId" = $1`, [BOB]);
    expect(rows).toEqual([{ password: expect.stringMatching(/^[0-9a-f]{32}:[0-9a-f]{128}$/) }]);
    expect((await app.login('bob@example.com')).status).toBe(200);
  });

  it('get a password by a link, where they had none', async () => {
    expect(await app.get(UserAddresses).find(EVE as unknown as UserId)).toMatchObject({
      address: 'eve@example.com',
      verifiedAt: expect.any(Date),
    });
    const user = { id: EVE, username: 'eve@example.com', address: 'eve@example.com' };
    const token = await app.resetToken(user);
    expect((await app.reset(token)).status).toBe(204);
    const { rows } = await pool.query(
      `select "providerId" from "account" where "userId" = $1 order by "providerId"`,
      [EVE],
    );
    expect(rows).toEqual([{ providerId: 'credential' }, { providerId: 'google' }]);
  });

  it('can be copied to the tables of kit-auth', async () => {
    const own = await testApp({
      database,
      provider: 'session',
      providers: [{ provide: PASSWORD_HASHER, useClass: BetterAuthHasher }],
    });
    await pool.query(script('4-tables-of-kit-auth'));
    const { rows } = await pool.query<{ new_id: number }>(
      `select new_id from user_id_map where old_id = $1`,
      [ADA],
    );
    const { json } = await own.login('ada@example.com', 'correct horse 1');
    expect(json.user).toMatchObject({ userId: rows[0]!.new_id, nickname: 'Ada Lovelace' });
    await own.close();
  });
});
