import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type KitAuthSettings } from 'kit-auth';
import { LoginUserLoader, AuthRole, AuthUser } from 'kit-auth/typeorm';
import { AuthSession } from 'kit-auth-session';
import { DataSource } from 'typeorm';
import { DatabaseSessionStore } from '../../../packages/kit-auth-session/src/stores/database.session-store.js';
import { sqliteInMemory } from './databases.js';
import { describeRevocation } from './session-revocation.suite.js';

describeRevocation({ name: 'SQLite', db: sqliteInMemory, options: () => ({}) });
describeRevocation({ name: 'memory', db: sqliteInMemory, options: () => ({ store: 'memory' }) });

describe('two processes on one SQLite file', () => {
  it('undo no end of each other', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kit-auth-'));
    const open = (synchronize: boolean) =>
      new DataSource({
        ...{ type: 'better-sqlite3', database: join(directory, 'a.sqlite'), synchronize },
        entities: [AuthUser, AuthRole, AuthSession],
      }).initialize();
    const dataSources = [await open(true), await open(false)];
    const stores = dataSources.map(
      (one) =>
        new DatabaseSessionStore(
          one,
          new LoginUserLoader(one.getRepository(AuthUser), {} as KitAuthSettings),
        ),
    );
    for (let round = 1; round <= 50; round++) {
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
    rmSync(directory, { recursive: true });
  });
});
