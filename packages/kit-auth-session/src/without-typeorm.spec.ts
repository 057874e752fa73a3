/** @own-context because it replaces modules */
import { expect, it, jest } from '@jest/globals';
import type { AuthProvider } from 'kit-auth';

/** As where TypeORM is not installed. */
for (const name of ['typeorm', '@nestjs/typeorm']) {
  jest.unstable_mockModule(name, () => {
    throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
  });
}

const { Module } = await import('@nestjs/common');
const { NestFactory } = await import('@nestjs/core');
const { AUTH_PROVIDER, AUTH_USER_STORE, KitAuthModule } = await import('kit-auth');
const { KitAuthSessionModule } = await import('kit-auth-session');

const USER = {
  userId: 7,
  username: 'ada',
  nickname: 'Ada',
  superAdmin: false,
  roles: [],
  permissions: [],
};

@Module({
  providers: [
    {
      provide: AUTH_USER_STORE,
      useValue: { findByUsername: async () => undefined, loadLoginUser: async () => USER },
    },
  ],
})
class UsersModule {}

it('needs no TypeORM for sessions in memory', async () => {
  await expect(import('@nestjs/typeorm')).rejects.toThrow('Cannot find package');
  class App {}
  const app = await NestFactory.create(
    {
      module: App,
      imports: [
        KitAuthModule.forRoot({ users: UsersModule }),
        KitAuthSessionModule.forRoot({ store: 'memory' }),
      ],
    },
    { logger: false, abortOnError: false },
  );
  await app.init();
  const provider = app.get<AuthProvider>(AUTH_PROVIDER, { strict: false });
  expect(await provider.resolveToken(await provider.issueToken(USER))).toEqual(USER);
  await app.close();
});

it('names the cure where the default user store cannot load TypeORM', async () => {
  class App {}
  const created = NestFactory.create(
    { module: App, imports: [KitAuthModule.forRoot(), KitAuthSessionModule.forRoot({ store: 'memory' })] },
    { logger: false, abortOnError: false },
  );
  await expect(created).rejects.toMatchObject({
    name: 'IllegalStateException',
    message: expect.stringMatching(
      /Install typeorm and @nestjs\/typeorm .*forRoot\(\{ users: MyUsersModule \}\).*Cannot find package/,
    ),
  });
});
