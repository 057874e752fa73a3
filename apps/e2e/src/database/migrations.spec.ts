import { writeFileSync } from 'node:fs';
import { sharedDatabase } from 'test-support';
import type { DataSourceOptions } from 'typeorm';
import { describeCommands } from '../cli/migrations.suite.js';
import { describeMigrations, type EmptyDatabase } from './migrations.suite.js';

const file = sharedDatabase('sqlite');
const sqlite: EmptyDatabase = {
  options: () => ({ ...file.options, synchronize: false }) as DataSourceOptions,
  recreate: file.recreate,
};

describeMigrations('SQLite', sqlite);

describeCommands('SQLite', {
  ...sqlite,
  recreate: async () => {
    await sqlite.recreate();
    // Without a file, doctor reads no tables.
    writeFileSync((file.options as { database: string }).database, '');
  },
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
