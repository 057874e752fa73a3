import { beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import bcrypt from 'bcrypt';
import {
  AUTH_PROVIDER,
  AUTH_USER_STORE,
  type AuthProvider,
  KitAuthModule,
  type LoginUser,
  type UserId,
} from 'kit-auth';
import { type KitAuthSessionOptions, SessionManager } from 'kit-auth-session';
import { PASSWORD, sharedTestApp, TestApp, type TestAppOptions } from 'test-support';
import { TokenSealer } from '../../../../packages/kit-auth-session/src/tokens/sealed-token.js';
import { newToken } from '../../../../packages/kit-auth-session/src/tokens/session-token.js';
import { idOf, OwnUsers } from './own-users.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);
/** Of the stateless mode. */
export const SECRET = 'a secret of at least 32 bytes, for tests';
/** As applications have them: uuid, cuid, ObjectId, and two that a database may take for one. */
const IDS = [
  '0198f5a0-7c1b-7d3e-9a55-3f0c2b1a4d5e',
  'clx0a1b2c3d4e5f6g7h8i9j0',
  '67f4c1e2a9b3d4e5f6a7b8c9',
  'usr_Ab',
  'usr_aB',
];

/** Fails for an id that is none of ours, as a column of the type `uuid` does. */
@Injectable()
class StrictUsers extends OwnUsers {
  override loadLoginUser(userId: UserId): Promise<LoginUser | undefined> {
    return IDS.includes(String(userId))
      ? super.loadLoginUser(userId)
      : Promise.reject(new Error(`invalid input syntax for type uuid: ${userId}`));
  }
}

@Module({ providers: [StrictUsers, { provide: AUTH_USER_STORE, useExisting: StrictUsers }] })
class StrictUsersModule {}

/** An application whose users have text ids. */
export class TextIdsApp extends TestApp {
  constructor(session: KitAuthSessionOptions, options: TestAppOptions) {
    super({
      core: KitAuthModule.forRoot({ users: StrictUsersModule, password: { cost: 10 } }),
      session,
      ...options,
    });
  }

  addUsers(): void {
    const users = this.get(StrictUsers);
    users.db.exec('delete from account');
    IDS.forEach((id) => users.insert({ id, name: `name of ${id}`, hash: HASH }));
  }

  tokenFor(id: string): Promise<string> {
    return this.tokenOf(`name of ${id}`);
  }
}

/** Sessions of users with text ids, whatever stores them. */
export function describeTextIds(
  name: string,
  session: KitAuthSessionOptions,
  options: TestAppOptions = {},
): void {
  describe(`text ids with ${name}`, () => {
    const app = sharedTestApp(new TextIdsApp(session, options));
    beforeEach(() => app.addUsers());

    it.each(IDS)('log in, and are who they are: %s', async (id) => {
      const token = await app.tokenFor(id);
      for (let i = 0; i < 2; i++) {
        expect((await app.call(token, 'GET', 'me')).json.userId).toBe(id);
      }
      await app.call(token, 'POST', 'logout');
      expect(await app.stateOf(token)).toBe('40101 logged-out');
    });

    it('end the sessions of one user and of no other', async () => {
      const tokens = await Promise.all(IDS.map((id) => app.tokenFor(id)));
      await app.get(SessionManager).endAllOf(idOf('usr_Ab'));
      const states = await Promise.all(tokens.map((token) => app.stateOf(token)));
      expect(states).toEqual(['live', 'live', 'live', '40101 kicked', 'live']);
    });

    it('are refused when they are no longer enabled', async () => {
      const token = await app.tokenFor('usr_aB');
      app.get(StrictUsers).db.exec(`update account set active = 0 where id = 'usr_aB'`);
      app.get<AuthProvider>(AUTH_PROVIDER).userChanged?.(idOf('usr_aB'));
      expect(await app.stateOf(token)).toBe('40101 disabled');
    });

    it('have no tokens with numbers, and none that their store cannot look up', async () => {
      const now = Date.now();
      const times = { createdAt: now, expiresAt: now + 60_000, proof: undefined };
      const sealed = new TokenSealer([SECRET]).seal({ userId: 7, ...times });
      for (const token of [sealed, newToken(7).token, newToken(idOf('nobody')).token]) {
        expect(await app.codeOf(token)).toBe(40101);
      }
    });

    if (session.mode !== 'stateless') {
      it('list and end their sessions', async () => {
        const [token, other] = [await app.tokenFor('usr_aB'), await app.tokenFor('usr_aB')];
        await app.tokenFor('usr_Ab');
        const listed = (await app.call(token, 'GET', 'sessions')).json as { id: string; current: boolean }[];
        const others = listed.filter(({ current }) => !current);
        expect(others.length).toBeGreaterThan(0);
        for (const { id } of others) {
          expect((await app.call(token, 'DELETE', `sessions/${id}`)).status).toBe(204);
        }
        expect([await app.stateOf(token), await app.stateOf(other)]).toEqual(['live', '40101 logged-out']);
        expect(await app.get(SessionManager).listOf(idOf('usr_aB'))).toHaveLength(1);
      });
    }
  });
}
