import { beforeAll, describe, expect, it } from '@jest/globals';
import { type BeforeApplicationShutdown, Injectable, Module } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import bcrypt from 'bcrypt';
import {
  type AccountChange,
  AUTH_USER_STORE,
  type AuthAction,
  AuthEvents,
  IllegalStateException,
  KitAuthModule,
} from 'kit-auth';
import { AuthAudit, KitAuthAdminModule, KitAuthAuditModule } from 'kit-auth-admin';
import { documentKitAuth, type OpenApiDocument } from 'kit-auth/openapi';
import { PASSWORD, sharedTestApp, type TestApp, testApp, type TestAppOptions } from 'test-support';
import { OwnUsers } from './own-users.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);

/** Has transactions of another library than TypeORM. */
@Injectable()
class TransactingUsers extends OwnUsers {
  transaction<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const transaction = { execute: () => undefined };
    return work({
      transaction,
      note: async (event) => {
        await action.keep(event, transaction);
      },
    });
  }
}

@Module({ providers: [TransactingUsers, { provide: AUTH_USER_STORE, useExisting: TransactingUsers }] })
class TransactingUsersModule {}

const options: TestAppOptions = {
  core: KitAuthModule.forRoot({ users: TransactingUsersModule, password: { cost: 10 } }),
  imports: [KitAuthAuditModule],
};

/** Resolves when no event waits to be stored. */
async function stored(app: TestApp): Promise<void> {
  await (app.get(AuthEvents) as AuthEvents & BeforeApplicationShutdown).beforeApplicationShutdown();
}

describe('the audit log with users of the application', () => {
  let document: OpenApiDocument;
  const app = sharedTestApp({
    ...options,
    configure: (nest) => {
      document = SwaggerModule.createDocument(nest, new DocumentBuilder().build());
    },
  });
  let auditor: string;
  beforeAll(async () => {
    const users = app.get(TransactingUsers);
    users.insert({ id: 'usr_ada', name: 'ada', hash: HASH });
    users.insert({ id: '7', name: 'seven', hash: HASH });
    users.insert({ id: 'usr_eve', name: 'eve', hash: HASH, permissions: '["auth:audit:read"]' });
    auditor = await app.tokenOf('eve');
  });
  /** What `GET audit` answers once all events are stored. */
  const found = async (query = '') => {
    await stored(app);
    const { items } = (await app.call(auditor, 'GET', `audit?${query}`)).json as { items: AuthAudit[] };
    return items.map(({ type, subjectId, subject, detail }) => ({ type, subjectId, subject, detail }));
  };

  it('has logins and refused logins, with text ids', async () => {
    await app.tokenOf('ada');
    await app.login('ada', 'a wrong one');
    await app.login('seven', 'a wrong one');
    expect(await found('subject=usr_ada')).toEqual([
      expect.objectContaining({ type: 'login-failed', subjectId: 'usr_ada', subject: 'ada' }),
      expect.objectContaining({ type: 'login', subjectId: 'usr_ada', subject: 'ada' }),
    ]);
    expect(await found('subject=7')).toEqual([
      expect.objectContaining({ type: 'login-failed', subjectId: '7', subject: 'seven' }),
    ]);
  });

  it('has changes that the user store makes in transactions of its own', async () => {
    app.get(TransactingUsers).insert({ id: 'usr_grace', name: 'grace', hash: HASH });
    const json = { currentPassword: PASSWORD, newPassword: 'another right one 4712' };
    expect((await app.call(await app.tokenOf('grace'), 'POST', 'password', json)).status).toBe(204);
    expect((await found('actor=usr_grace')).map(({ type }) => type)).toContain('password-changed');
  });

  it('is described with text ids', () => {
    const described = JSON.stringify(documentKitAuth(document, app.nest));
    expect(described).toContain('"subjectId":{"type":"string","nullable":true}');
  });
});

describe('KitAuthAuditModule', () => {
  it('without a data source fails start-up, which says what is missing', async () => {
    const starting = testApp({ ...options, database: false });
    await expect(starting).rejects.toThrow(IllegalStateException);
    await expect(starting).rejects.toThrow(
      /^kit-auth-admin\/typeorm needs a data source of TypeORM for audit events/,
    );
  });

  it('beside KitAuthAdminModule stores each event once', async () => {
    const app = await testApp({ imports: [KitAuthAuditModule, KitAuthAdminModule] });
    await app.adminToken();
    await stored(app);
    expect(await app.rowsOf(AuthAudit).countBy({ type: 'login' })).toBe(1);
  });
});
