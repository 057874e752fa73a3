import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import type { KitAuthSettings } from 'kit-auth';
import { AuthRole, AuthUser, LoginUserLoader } from 'kit-auth/typeorm';
import { AuthSession } from 'kit-auth-session/typeorm';
import { describeSessionStore } from 'kit-auth-testing';
import { ALL_BUT_DATE, type DatabaseName, sharedDatabase } from 'test-support';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { DatabaseSessionStore } from '../../../../packages/kit-auth-session/src/stores/database.session-store.js';

/** The conformance suite on a database. */
export function describeDatabaseStore(name: DatabaseName): void {
  describe(`sessions on ${name}`, () => {
    let dataSource: DataSource;
    let store: DatabaseSessionStore;
    let users: LoginUserLoader;
    beforeAll(async () => {
      const database = sharedDatabase(name);
      await database.recreate();
      dataSource = await openDataSource(database.options);
      const settings = { login: { databaseTimeoutMs: 10_000 } } as KitAuthSettings;
      users = new LoginUserLoader(dataSource.getRepository(AuthUser), settings);
      store = new DatabaseSessionStore(dataSource, users);
    });
    afterAll(() => dataSource.destroy());
    describeSessionStore(name, () => store);

    afterEach(() => void jest.useRealTimers());
    it('ends all sessions of a user on behalf of one of them, however many there are', async () => {
      const now = Date.now();
      const rows = Array.from({ length: 1500 }, (_, i) => ({
        id: `1.${i}`,
        userId: '1',
        createdAt: now + i,
        lastSeenAt: now,
        expiresAt: now + 60_000,
        address: null,
        userAgent: null,
        endedBy: null,
      }));
      await dataSource.getRepository(AuthSession).insert(rows.slice(0, 750));
      await dataSource.getRepository(AuthSession).insert(rows.slice(750));
      // A slow disk may take longer for this many rows than the store waits.
      jest.useFakeTimers({ doNotFake: ALL_BUT_DATE.filter((name) => name !== 'setTimeout') });
      expect(await store.endAllOf(1, 'logged-out', now, undefined, '1.0')).toBe(1500);
    });

    it.each([2 ** 31, 2 ** 53 - 1])('finds no user with the id %d', async (id) => {
      expect(await users.load(id)).toBeUndefined();
      expect(await users.stampOf(id)).toBeUndefined();
    });
  });
}

function openDataSource(options: TypeOrmModuleOptions): Promise<DataSource> {
  return new DataSource({
    ...options,
    entities: [AuthUser, AuthRole, AuthSession],
  } as DataSourceOptions).initialize();
}
