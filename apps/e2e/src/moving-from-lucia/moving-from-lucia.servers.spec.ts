import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import { AUTH_USER_STORE, type AuthUserStore, KitAuthModule, type UserId } from 'kit-auth';
import { UserAddresses } from 'kit-auth-email';
import { describeUserStore } from 'kit-auth-testing';
import { Pool } from 'pg';
import { PASSWORD, sharedDatabase, sharedTestApp } from 'test-support';
import { EmailApp } from '../email/app.js';
import { BetterAuthHasher } from '../moving-from-better-auth/better-auth.hasher.js';
import { UsersModule } from './users.module.js';

const script = (name: string) => readFileSync(`apps/e2e/src/moving-from-lucia/${name}.sql`, 'utf8');
const [ADA, BOB, EVE] = ['axsogaih7euoyxpp', 'hwvub54r237puaix', 'vsdrozmxlqyiyjho'];

describe('users of Lucia', () => {
  const database = sharedDatabase('postgres');
  let pool: Pool;
  beforeAll(async () => {
    await database.recreate();
    pool = new Pool({ connectionString: (database.options as { url: string }).url });
    await pool.query(script('1-lucia'));
    await pool.query(script('2-columns'));
  });
  afterAll(() => pool.end());
  const core = KitAuthModule.forRoot({ users: UsersModule });
  const app = sharedTestApp(new EmailApp({ database, provider: 'session', core }));
  beforeAll(() => pool.query(script('3-addresses')));

  const hashOf = async (id: string | undefined) => {
    const { rows } = await pool.query<{ password_hash: string }>(
      `select "password_hash" from "user" where "id" = $1`,
      [id],
    );
    return rows[0]!.password_hash;
  };

  describeUserStore(
    'of an application with Lucia',
    { methods: ['stampOf', 'noteLogin', 'changePassword', 'transaction', 'createUser', 'changeUsername'] },
    () => ({
      store: app.get<AuthUserStore>(AUTH_USER_STORE),
      createUser: async ({ username, passwordHash, enabled }) => {
        const id = crypto.randomUUID();
        await pool.query(
          `insert into "user" ("id", "email", "password_hash", "disabled") values ($1, $2, $3, $4)`,
          [id, username, passwordHash, !enabled],
        );
        return id as unknown as UserId;
      },
    }),
  );

  it('log in with their passwords, and keep their ids', async () => {
    const { json } = await app.login('ada@example.com', 'correct horse 1');
    expect(json.user).toMatchObject({ userId: ADA, superAdmin: true });
    expect((await app.login('ada@example.com', 'correct horse 2')).json.code).toBe(40110);
    for (const username of ['bob@example.com', 'eve@example.com']) {
      expect((await app.login(username, 'none')).json.code).toBe(40110);
    }
  });

  it('change their password, to a hash that the application can still verify', async () => {
    const { json } = await app.login('ada@example.com', 'correct horse 1');
    const passwords = { currentPassword: 'correct horse 1', newPassword: PASSWORD };
    expect((await app.call(json.token, 'POST', 'password', passwords)).status).toBe(204);
    expect(await verify(await hashOf(ADA), PASSWORD)).toBe(true);
    expect((await app.login('ada@example.com')).status).toBe(200);
  });

  it('have hashes of the class Scrypt in the format of better-auth', async () => {
    const hasher = new BetterAuthHasher();
    expect(await hasher.verify('p\u00e4ssw\u00f6rd \ufb01 long', await hashOf(BOB))).toBe(true);
    expect(await hasher.verify('another', await hashOf(BOB))).toBe(false);
  });

  it('get a password by a link, where they had none', async () => {
    expect(await app.get(UserAddresses).find(EVE as unknown as UserId)).toMatchObject({
      address: 'eve@example.com',
    });
    const token = await app.resetToken({ address: 'eve@example.com' });
    expect((await app.reset(token, PASSWORD)).status).toBe(204);
    expect((await app.login('eve@example.com')).json.user).toMatchObject({ userId: EVE });
  });
});
