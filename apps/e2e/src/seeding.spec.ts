import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeSeeding } from './seeding.suite.js';

const directory = mkdtempSync(join(tmpdir(), 'kit-auth-'));
const file = join(directory, 'test.sqlite');

describeSeeding({
  name: 'an SQLite file',
  options: { type: 'better-sqlite3', database: file, autoLoadEntities: true, synchronize: true },
  recreate: async () => rmSync(file, { force: true }),
  drop: async () => rmSync(directory, { recursive: true }),
});
