import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { UserDatabase } from '../../contract/user-database.js';
import { serializedWrite } from '../database/connections.js';
import { dataSourceOf, readFromPrimary } from '../database/data-source.js';
import { insertUnlessPresent } from '../database/insert-unless-present.js';
import { assertTables } from '../database/own-tables.js';
import { IllegalStateException } from '../../errors/auth.exception.js';
import { describeError } from '../../errors/describe.js';
import { AuthDatabase } from './auth-database.entity.js';
import { userTablesIn } from './kit-auth.migrations.js';

const ROW = { id: AuthDatabase.ID };

/** Reads the row of `auth_database`. */
@Injectable()
export class TypeOrmUserDatabase extends UserDatabase {
  constructor(@InjectRepository(AuthDatabase) private readonly rows: Repository<AuthDatabase>) {
    super();
  }

  override async realm(): Promise<string | undefined> {
    const dataSource = dataSourceOf(this.rows.manager);
    await assertTables(dataSource, userTablesIn(dataSource));
    if (!dataSource.hasMetadata(AuthDatabase)) {
      return undefined;
    }
    try {
      // On SQLite, the row of a seed that is not committed yet could be read otherwise.
      const { realm } = await serializedWrite(dataSource, () => readFromPrimary(dataSource, findOrWrite));
      return realm;
    } catch (cause) {
      throw new IllegalStateException(
        `The row of auth_database could not be read or written (${describeError(cause)}).`,
        { cause },
      );
    }
  }
}

/** The seed writes the row. A database that was seeded earlier, or is being seeded, may not have it yet. */
async function findOrWrite(manager: EntityManager): Promise<AuthDatabase> {
  const found = await manager.findOneBy(AuthDatabase, ROW);
  if (found !== null) {
    return found;
  }
  await writeRealm(manager);
  return manager.findOneByOrFail(AuthDatabase, ROW);
}

/** Writes the row, unless there is one, or the data source does not contain the table. */
export async function writeRealm(manager: EntityManager): Promise<void> {
  if (!dataSourceOf(manager).hasMetadata(AuthDatabase)) {
    return;
  }
  await insertUnlessPresent(manager, AuthDatabase, { ...ROW, realm: randomBytes(16).toString('hex') });
}
