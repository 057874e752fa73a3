import { describe, expect, it } from '@jest/globals';
import type { KitAuthSettings } from 'kit-auth';
import { AuthRole, AuthUser, LoginUserLoader } from 'kit-auth/typeorm';
import { AuthSession } from 'kit-auth-session/typeorm';
import { sharedDatabase } from 'test-support';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { DatabaseSessionStore } from '../../../../packages/kit-auth-session/src/stores/database.session-store.js';
import { describeRevocation } from './revocation.suite.js';

describeRevocation({ name: 'SQLite', database: 'sqlite' });

describe('two processes on one SQLite file', () => {
  it('do not undo revocations of each other', async () => {
    const { options } = sharedDatabase('sqlite');
    const open = (synchronize: boolean) =>
      new DataSource({
        ...options,
        synchronize,
        entities: [AuthUser, AuthRole, AuthSession],
      } as DataSourceOptions).initialize();
    const dataSources = [await open(true), await open(false)];
    const stores = dataSources.map(
      (one) =>
        new DatabaseSessionStore(
          one,
          new LoginUserLoader(one.getRepository(AuthUser), {} as KitAuthSettings),
        ),
    );
    for (let round = 1; round <= 10; round++) {
      const end = { id: `${round.toString(36)}.all`, userId: round, by: 'kicked', expiresAt: 1e9 } as const;
      await Promise.all(
        [1, 2, 3, 4].map((at) =>
          stores[at % 2]!.keepEndOfAll({ ...end, at, ...(at === 2 ? {} : { exceptId: 'stolen' }) }),
        ),
      );
      const kept = await stores[0]?.find(end.id);
      expect([kept?.createdAt, kept?.spared]).toEqual([4, { id: 'stolen', endedAt: 2, endedBy: 'kicked' }]);
    }
    await Promise.all(dataSources.map((one) => one.destroy()));
  });
});
