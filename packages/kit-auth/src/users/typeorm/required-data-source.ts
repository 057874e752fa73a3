import type { DataSource } from 'typeorm';
import { IllegalStateException } from '../../errors/auth.exception.js';

/** @throws IllegalStateException in an application without a data source of TypeORM */
export function requiredDataSource(dataSource: DataSource | undefined): DataSource {
  if (dataSource === undefined) {
    throw new IllegalStateException(
      'KitAuthModule.forRoot() keeps the users in the data source of TypeORM, and there is none. Import ' +
        'TypeOrmModule.forRoot({ ..., autoLoadEntities: true }), or pass KitAuthModule.forRoot({ users: MyUsersModule }).',
    );
  }
  return dataSource;
}
