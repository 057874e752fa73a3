/** @own-context because TypeORM creates the tables of all applications of a context */
import { expect, it } from '@jest/globals';
import { KitAuthModule } from 'kit-auth';
import { KitAuthAuditModule } from 'kit-auth-admin';
import { testApp } from 'test-support';
import { DataSource } from 'typeorm';
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
  const tables = rows.map(({ name }) => name);
  expect(tables).toEqual(expect.arrayContaining(['auth_audit', 'auth_session']));
  expect(tables.filter((name) => /user|role/.test(name))).toEqual([]);
});
