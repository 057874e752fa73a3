import type { INestApplication } from '@nestjs/common';
import { AUTH_USER_STORE, type AuthUserStore } from 'kit-auth';
import { describeUserStore } from 'kit-auth-testing';
import { DataSource } from 'typeorm';
import { User } from '../src/users/user.entity';
import { startApp } from './test-app';

let app: INestApplication;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app?.close());

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
  'transaction',
] as const;

describeUserStore('typeorm', { methods }, () => ({
  store: app.get<AuthUserStore>(AUTH_USER_STORE),
  createUser: async ({ username, passwordHash, enabled }) => {
    const users = app.get(DataSource).getRepository(User);
    const fields = { email: username, firstName: 'Ada', lastName: 'Lovelace' };
    const { id } = await users.save({ ...fields, password: passwordHash, isActive: enabled });
    return id;
  },
}));
