/** @own-context because TypeORM creates the tables of all applications of a context */
import { expect, it } from '@jest/globals';
import { KitAuthModule } from 'kit-auth';
import { KitAuthAuditModule } from 'kit-auth-admin';
import { DataSource } from 'typeorm';
// Not by name: test-support imports packages whose tables TypeORM would create here.
import { testApp } from '../../../../test-support/src/test-app.js';
import { OwnUsersModule } from './own-users.js';

it('an application with its own users, sessions and the audit log has their tables, and none of our users', async () => {
  const app = await testApp({
    core: KitAuthModule.forRoot({ users: OwnUsersModule }),
    session: {},
    imports: [KitAuthAuditModule],
  });
  const rows: { name: string }[] = await app
    .get(DataSource)
    .query("select name from sqlite_master where type = 'table' and name like 'auth_%'");
  expect(rows.map(({ name }) => name).sort()).toEqual(['auth_audit', 'auth_session']);
});
