import { beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { AUTH_USER_STORE, KitAuthModule, type LoginUser, type StoredUser, type UserId } from 'kit-auth';
import { KitAuthSessionModule } from 'kit-auth-session';
import { freezeDate, PASSWORD, sharedTestApp } from 'test-support';
import { OwnUsers } from './own-users.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);
const HOUR_MS = 3_600_000;

/** A column `lockedUntil`, for all users. */
let lockedUntil = 0;
const isLocked = () => lockedUntil > Date.now();

/** Its locked users are disabled. */
@Injectable()
class DisablingUsers extends OwnUsers {
  override async findByUsername(username: string): Promise<StoredUser | undefined> {
    const user = await super.findByUsername(username);
    return user && { ...user, enabled: user.enabled && !isLocked() };
  }

  override async loadLoginUser(userId: UserId): Promise<LoginUser | undefined> {
    return isLocked() ? undefined : super.loadLoginUser(userId);
  }
}

/** Its locked users have no logins with a password. */
@Injectable()
class HidingUsers extends OwnUsers {
  override async findByUsername(username: string): Promise<StoredUser | undefined> {
    return isLocked() ? undefined : super.findByUsername(username);
  }
}

@Module({ providers: [DisablingUsers, { provide: AUTH_USER_STORE, useExisting: DisablingUsers }] })
class DisablingUsersModule {}

@Module({ providers: [HidingUsers, { provide: AUTH_USER_STORE, useExisting: HidingUsers }] })
class HidingUsersModule {}

describe.each([
  { users: DisablingUsersModule, store: DisablingUsers, right: 40111, session: 40101 },
  { users: HidingUsersModule, store: HidingUsers, right: 40110, session: 200 },
])('users who are locked for an hour, with $users.name', ({ users, store, right, session }) => {
  const app = sharedTestApp({
    database: false,
    core: KitAuthModule.forRoot({ users, password: { cost: 10 } }),
    provider: KitAuthSessionModule.forRoot({ store: 'memory' }),
  });
  beforeAll(() => {
    app.get<OwnUsers>(store).insert({ name: 'ada', hash: HASH });
  });

  it(`get ${right} for the right password, and log in when the time is over`, async () => {
    lockedUntil = 0;
    const move = freezeDate();
    const { token } = (await app.login('ada')).json;
    lockedUntil = Date.now() + HOUR_MS;
    expect((await app.login('ada', 'wrong')).json).toMatchObject({ code: 40110 });
    expect((await app.login('ada')).json).toMatchObject({ code: right });
    expect(await app.codeOf(token)).toBe(session);
    move(HOUR_MS);
    expect((await app.login('ada')).status).toBe(200);
    expect(await app.codeOf(token)).toBe(200);
  });
});
