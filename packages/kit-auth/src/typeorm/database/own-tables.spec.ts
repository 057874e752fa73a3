import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { IllegalStateException } from '../../errors/auth.exception.js';
import { metadataOf } from './own-tables.js';

describe('entities that a data source does not contain', () => {
  class ApiKey {}
  class Totp {}

  it.each<[string, string, (new () => object)[], string]>([
    ['one', 'my-keys/typeorm', [ApiKey], 'ApiKey'],
    ['two', 'my-factors/typeorm', [Totp, ApiKey], 'Totp and ApiKey'],
  ])('are named, with the entry that exports them: %s', (_what, entry, entities, names) => {
    const dataSource = new DataSource({ type: 'better-sqlite3', database: ':memory:' });
    const look = () => metadataOf(dataSource, { entry, entities });
    expect(look).toThrow(IllegalStateException);
    expect(look).toThrow(
      `The data source does not contain ${names}. Add kitAuthEntities of ${entry} to its entities, or pass ` +
        'autoLoadEntities: true to TypeOrmModule.forRoot().',
    );
  });
});
