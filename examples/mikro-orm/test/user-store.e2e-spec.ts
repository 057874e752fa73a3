import { EntityManager } from '@mikro-orm/postgresql';
import type { INestApplication } from '@nestjs/common';
import { AUTH_USER_STORE, type AuthUserStore } from 'kit-auth';
import { describeUserStore } from 'kit-auth-testing';
import { Member, MemberStatus } from '../src/members/member.entity';
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
  'ensureAdministrator',
  'transaction',
] as const;

describeUserStore('mikro-orm', { methods }, () => ({
  store: app.get<AuthUserStore>(AUTH_USER_STORE),
  createUser: async ({ username, passwordHash, enabled }) => {
    const em = app.get(EntityManager).fork();
    const status = enabled ? MemberStatus.Active : MemberStatus.Suspended;
    const member = em.create(Member, { login: username, displayName: username, passwordHash, status });
    await em.flush();
    return member.id;
  },
}));
