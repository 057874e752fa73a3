import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { AUTH_USER_STORE, type AuthUserStore } from 'kit-auth';
import { describeUserStore } from 'kit-auth-testing';
import { AppModule } from '../src/app.module.js';
import { PrismaService } from '../src/database/prisma.service.js';
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

describeUserStore('prisma', { methods }, () => ({
  store: app.get<AuthUserStore>(AUTH_USER_STORE),
  createUser: async ({ username, passwordHash, enabled }) => {
    const { id } = await app.get(PrismaService).user.create({
      data: { email: username, fullName: username, passwordHash, active: enabled },
    });
    return id;
  },
}));
