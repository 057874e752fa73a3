// Prints the tables of all packages as JSON, from the entities in their sources. Run it with --conditions=@kit-auth/source.
import { readdirSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { DataSource } from 'typeorm';

register('../budget/typescript.hooks.mjs', import.meta.url);

/** The entries that export `kitAuthEntities`, such as `kit-auth/typeorm`. */
const entries = readdirSync('packages').flatMap((name) => {
  const { exports } = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'));
  return Object.entries(exports)
    .map(([entry, target]) => ({
      entry: entry.replace('.', name),
      file: `packages/${name}/${target['@kit-auth/source']}`,
    }))
    .filter(({ file }) => file.endsWith('.ts') && readFileSync(file, 'utf8').includes('kitAuthEntities'));
});

const tables = [];
for (const { entry, file } of entries) {
  const { kitAuthEntities } = await import(pathToFileURL(file).href);
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: kitAuthEntities,
  });
  await dataSource.initialize();
  for (const { tableName, columns, foreignKeys } of dataSource.entityMetadatas) {
    tables.push({
      entry,
      name: tableName,
      columns: columns.map(({ databaseName, isPrimary, isNullable }) => ({
        name: databaseName,
        isPrimary,
        isNullable,
      })),
      references: foreignKeys.map(({ columns: [column], referencedEntityMetadata }) => ({
        column: column.databaseName,
        table: referencedEntityMetadata.tableName,
      })),
    });
  }
  await dataSource.destroy();
}
console.log(JSON.stringify(tables));
