import { beforeAll, describe, expect, it } from '@jest/globals';
import { OneTimeModule, OneTimeTokens } from 'kit-auth/store';
import { AuthUser, junctionTable, LoginUserLoader } from 'kit-auth/typeorm';
import { type DatabaseName, sharedDatabase, sharedTestApp, TestApp, type TestDatabase } from 'test-support';
import { DataSource, type DataSourceOptions, DefaultNamingStrategy } from 'typeorm';
import { rowsOf } from '../one-time/app.js';

/** Names columns as it likes, whatever the entities ask for. */
class SnakeCase extends DefaultNamingStrategy {
  override columnName(propertyName: string): string {
    return propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}

class AppWithOwnNames extends TestApp {
  constructor(
    private readonly empty: TestDatabase,
    private readonly schema: string | undefined,
  ) {
    const naming = { entityPrefix: 'own_', namingStrategy: new SnakeCase(), ...(schema && { schema }) };
    super({
      provider: 'session',
      admin: true,
      imports: [OneTimeModule],
      database: { ...empty.options, ...naming } as TestDatabase['options'],
    });
  }

  override async start(): Promise<this> {
    await this.empty.recreate();
    if (this.schema !== undefined) {
      const direct = await new DataSource(this.empty.options as DataSourceOptions).initialize();
      await direct.query(`CREATE SCHEMA ${this.schema}`);
      await direct.destroy();
    }
    return super.start();
  }
}

/** What has to work where the application names tables and columns. */
export function describeNaming(database: DatabaseName, schema?: string): void {
  describe(`tables with names of the application's own on ${database}`, () => {
    const app = sharedTestApp(new AppWithOwnNames(sharedDatabase(database), schema));
    let token: string;
    beforeAll(async () => {
      token = await app.adminToken();
    });

    it('hold the seeded administrator, and the roles of users', async () => {
      const reader = await app.role({ permissions: ['note:read'] });
      const editor = await app.role({ permissions: ['note:write'], includes: [reader] });
      const { id } = await app.user({ roles: [editor] });
      expect(await app.get(LoginUserLoader).load(id)).toMatchObject({ roles: [editor.code, reader.code] });
      expect((await app.call(token, 'GET', 'me')).json).toMatchObject({ superAdmin: true });
    });

    it('give the users of a changed role a new security stamp', async () => {
      const role = await app.role({ permissions: ['note:read'] });
      const { id } = await app.user({ roles: [role] });
      const loader = app.get(LoginUserLoader);
      const before = await loader.stampOf(id);
      const change = { permissions: ['note:write'] };
      expect((await app.call(token, 'PATCH', `roles/${role.code}`, change)).status).toBe(200);
      expect(await loader.stampOf(id)).not.toBe(before);
    });

    it('hold one-time tokens', async () => {
      const tokens = app.get(OneTimeTokens);
      const wanted = { purpose: 'reset', userId: 1, ttlSeconds: 60, replaces: true };
      await tokens.issue(wanted);
      const { token } = await tokens.issue(wanted);
      await tokens.attempt('reset', token, 2);
      await tokens.attempt('reset', token, 2);
      await expect(tokens.attempt('reset', token, 2)).rejects.toMatchObject({ code: 40010 });
      expect(await tokens.peek('reset', token)).toMatchObject({ userId: 1 });
      expect(await tokens.list({ purpose: 'reset' })).toHaveLength(1);
      await tokens.claim('reset', token, undefined);
      expect(await tokens.cancel({ userId: 1 })).toBe(0);
      await tokens.issue(wanted);
      expect(await rowsOf(app).prune(Date.now() + 60_000)).toBe(1);
    });

    it('have the names that a junction table is looked up by', async () => {
      const dataSource = app.get(DataSource);
      const { table, owner, inverse } = junctionTable(dataSource, AuthUser, 'roles');
      expect([table, owner, inverse].map((name) => name.replaceAll(/["`]/g, ''))).toEqual([
        `${schema === undefined ? '' : `${schema}.`}own_auth_user_role`,
        'user_id',
        'role_id',
      ]);
      const rows = await dataSource.query(`SELECT ${inverse} FROM ${table} WHERE ${owner} = 1`);
      expect(rows).toHaveLength(1);
    });
  });
}
