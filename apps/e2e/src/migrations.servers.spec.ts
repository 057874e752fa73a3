import { describe } from '@jest/globals';
import { SERVERS, sharedDatabase } from 'test-support';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { describeMigrations, OwnNames } from './migrations.suite.js';

describe.each(SERVERS)('%s', (type) => {
  const server = sharedDatabase(type);
  const options = { ...server.options, synchronize: false } as DataSourceOptions;
  const withSchema = async () => {
    await server.recreate();
    if (type === 'postgres') {
      const direct = await new DataSource(options).initialize();
      await direct.query('CREATE SCHEMA own');
      await direct.destroy();
    }
  };
  describeMigrations('default names', { options: () => options, recreate: server.recreate });
  describeMigrations(
    'own names',
    { options: () => options, recreate: withSchema },
    {
      entityPrefix: 'own_',
      namingStrategy: new OwnNames(),
      ...(type === 'postgres' && { schema: 'own' }),
    },
  );
});
