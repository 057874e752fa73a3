import { sharedDatabase } from 'test-support';
import type { DataSourceOptions } from 'typeorm';
import { describeMigrations, type EmptyDatabase, OwnNames } from './migrations.suite.js';

const file = sharedDatabase('sqlite');
const sqlite: EmptyDatabase = {
  options: () => ({ ...file.options, synchronize: false }) as DataSourceOptions,
  recreate: file.recreate,
};

describeMigrations('SQLite', sqlite);
describeMigrations('SQLite, with own names', sqlite, {
  entityPrefix: 'own_',
  namingStrategy: new OwnNames(),
});

/** In memory. `saved` is what a data source leaves to the next one. */
let saved: Uint8Array | undefined;
describeMigrations('sql.js', {
  options: () => ({
    type: 'sqljs',
    ...(saved && { database: saved }),
    autoSave: true,
    autoSaveCallback: (data: Uint8Array) => {
      saved = data;
    },
  }),
  recreate: async () => {
    saved = undefined;
  },
});
