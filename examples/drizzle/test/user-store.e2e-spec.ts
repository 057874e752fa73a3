import { Test } from '@nestjs/testing';
import type { INestApplicationContext } from '@nestjs/common';
import { AUTH_USER_STORE, type AuthUserStore } from 'kit-auth';
import { describeUserStore } from 'kit-auth-testing';
import { AppModule } from '../src/app.module.js';
import { DATABASE, type Database } from '../src/database/database.module.js';
import { users } from '../src/database/schema.js';
import { emptyDatabase } from './empty-database.js';

let app: INestApplicationContext;

beforeAll(async () => {
  await emptyDatabase();
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  app = await module.init();
});

afterAll(() => app.close());

const methods = [
  'stampOf',
  'noteLogin',
  'renewHash',
  'changePassword',
  'createUser',
  'changeUsername',
  'listUsers',
  'disableUser',
  'enableUser',
  'grantsOf',
  'ensureAdministrator',
  'transaction',
] as const;

describeUserStore('drizzle', { methods }, () => ({
  store: app.get<AuthUserStore>(AUTH_USER_STORE),
  createUser: async ({ username, passwordHash, enabled }) => {
    const [user] = await app
      .get<Database>(DATABASE)
      .insert(users)
      .values({ email: username, fullName: username, passwordHash, active: enabled })
      .returning({ id: users.id });
    return user!.id;
  },
}));
