import type { DataSource, DataSourceInspection, OwnTables } from '../database/data-source.inspection.js';
import type { TableState } from '../database/table-state.js';
import { reasonOf } from '../reason.js';
import { type Finding, type Passed, problem, textAndCureOf, warning } from './diagnosis.js';

const MOST_STATEMENTS = 3;

/** Looks for data sources of TypeORM that have no connection, or none that is safe. */
export function checkDatabase(inspection: DataSourceInspection): Finding[] {
  return inspection.dataSources().flatMap((dataSource) => {
    const failure = inspection.failureOf(dataSource);
    const hasMigrations = inspection.entriesWithoutMigrations(dataSource).length === 0;
    return failure === undefined ? [] : [unreachable(dataSource, failure, hasMigrations)];
  });
}

function unreachable({ options }: DataSource, failure: unknown, hasMigrations: boolean): Finding {
  if (failure instanceof Error && failure.name === 'NoDatabaseFile') {
    const isCreated = options.synchronize === true || options.migrationsRun === true;
    return isCreated
      ? warning(`${failure.message}.`, 'Start the application, which creates it, and run doctor again.')
      : problem(
          `${failure.message}.`,
          `${hasMigrations ? 'Run' : 'npx kit-auth migration:generate, then run'} the migrations, which create it.`,
        );
  }
  if (failure instanceof Error && failure.name === 'IllegalStateException') {
    return problem(...textAndCureOf(failure.message));
  }
  return problem(
    `The database (${options.type}) cannot be reached: ${reasonOf(failure)}`,
    'Start it, and check the host, the port, the name, the user and the password in the options of TypeOrmModule.',
  );
}

/** Compares the tables of kit-auth in the databases of the application with their entities. */
export async function checkTables(inspection: DataSourceInspection): Promise<Finding[] | Passed> {
  const findings: Finding[] = [];
  let isSynchronized = false;
  for (const dataSource of inspection.dataSources()) {
    const tables = inspection.tablesOf(dataSource);
    const known = tables.filter(({ entities }) => entities.every((entity) => dataSource.hasMetadata(entity)));
    findings.push(...tables.filter((own) => !known.includes(own)).map(unknownEntities));
    if (dataSource.options.synchronize === true) {
      isSynchronized = true;
    } else if (inspection.failureOf(dataSource) === undefined && known.length > 0) {
      findings.push(...(await findingsOf(dataSource, await inspection.stateOf(dataSource, known))));
    }
  }
  return findings.length === 0 && isSynchronized
    ? { note: 'synchronize: true creates and changes them when the application starts' }
    : findings;
}

function unknownEntities({ entry }: OwnTables): Finding {
  return problem(
    `The data source does not contain all entities of ${entry}.`,
    `Pass autoLoadEntities: true to TypeOrmModule.forRoot(), or add kitAuthEntities of ${entry} to its entities.`,
  );
}

async function findingsOf(dataSource: DataSource, state: TableState): Promise<Finding[]> {
  const { missing, differences } = state;
  const cure = cureOf(dataSource, state);
  const findings: Finding[] = [];
  if (missing.length > 0) {
    const names = `${missing.length > 1 ? 'tables' : 'table'} ${missing.join(', ')}`;
    const text = `The ${names} ${missing.length > 1 ? 'are' : 'is'} missing.`;
    // The next start creates them.
    const isCured = dataSource.options.migrationsRun === true && state.isPending;
    findings.push(isCured ? warning(text, cure) : problem(text, cure));
  }
  if (differences.length > 0) {
    const shown = differences.slice(0, MOST_STATEMENTS).join('; ');
    const more = differences.length > MOST_STATEMENTS ? `; ${differences.length - MOST_STATEMENTS} more` : '';
    const text = `Tables differ from their entities. TypeORM would run: ${shown}${more}.`;
    findings.push(
      (await isMariaDbAsMySql(dataSource))
        ? warning(text, "Set type: 'mariadb'. With 'mysql', TypeORM sees differences that do not exist.")
        : problem(text, cure),
    );
  }
  return findings;
}

function cureOf(dataSource: DataSource, { withoutMigrations, isPending }: TableState): string {
  if (withoutMigrations.length > 0) {
    return (
      'npx kit-auth migration:generate, then run the migrations. ' +
      `(The data source has no migrations of ${withoutMigrations.join(', ')}.)`
    );
  }
  if (isPending) {
    return dataSource.options.migrationsRun === true
      ? 'Start the application, which runs the migrations.'
      : 'Run the migrations: npx typeorm migration:run -d <the built file of your data source>';
  }
  return (
    'All migrations of kit-auth have run, so the names or the tables have changed since: npx typeorm ' +
    'migration:generate writes a migration for the difference. Read it before you run it.'
  );
}

async function isMariaDbAsMySql(dataSource: DataSource): Promise<boolean> {
  if (dataSource.options.type !== 'mysql') {
    return false;
  }
  const [row] = await dataSource.query<{ version: string }[]>('SELECT VERSION() AS version');
  return /mariadb/i.test(row?.version ?? '');
}
