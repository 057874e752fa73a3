import { describe } from '@jest/globals';
import { SERVERS, sharedDatabase } from 'test-support';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { describeCommands } from '../cli/migrations.suite.js';
import { describeMigrations, type EmptyDatabase, type Naming, OwnNames } from './migrations.suite.js';

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
  const renamed: [EmptyDatabase, Naming] = [
    { options: () => options, recreate: withSchema },
    {
      entityPrefix: 'own_',
      namingStrategy: new OwnNames(),
      ...(type === 'postgres' && { schema: 'own' }),
    },
  ];
  describeMigrations('own names', ...renamed);
  describeCommands('own names', ...renamed);
});
