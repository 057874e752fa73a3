import { describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { AUTH_USER_STORE, type AuthUserStore, IllegalStateException, KitAuthModule } from 'kit-auth';
import { freePorts, sqliteInMemory, testApp } from 'test-support';

@Injectable()
class OwnStore implements AuthUserStore {
  async findByUsername(): Promise<undefined> {
    return undefined;
  }
  async loadLoginUser(): Promise<undefined> {
    return undefined;
  }
}

@Module({ providers: [{ provide: AUTH_USER_STORE, useClass: OwnStore }] })
class OwnUsersModule {}

describe('KitAuthAdminModule', () => {
  it.each([
    ['a database', sqliteInMemory()],
    ['no database', false],
  ] as const)('refuses a user store of the application, with %s', async (_what, database) => {
    const core = KitAuthModule.forRoot({ users: OwnUsersModule });
    const starting = testApp({ core, database, admin: true });
    await expect(starting).rejects.toThrow(IllegalStateException);
    await expect(starting).rejects.toThrow(/^KitAuthAdminModule manages the users of the default user store/);
    await expect(starting).rejects.toThrow('import KitAuthUserListModule');
  });

  it('hides no failure of the database', async () => {
    const [port] = await freePorts(1);
    const url = `postgres://nobody@127.0.0.1:${port}/none`;
    await expect(testApp({ database: { type: 'postgres', url }, admin: true })).rejects.toThrow(
      'ECONNREFUSED',
    );
  });
});
