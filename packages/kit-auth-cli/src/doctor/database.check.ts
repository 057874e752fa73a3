import { describeError } from 'kit-auth/extend';
import type { DataSource, DataSourceInspection } from '../database/data-source.inspection.js';
import { type Finding, problem, textAndCureOf, warning } from './finding.js';

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

/** Node tries several addresses of a host, and then throws an error without a message. */
function reasonOf(failure: unknown): string {
  const { errors = [failure] } = failure as { errors?: readonly unknown[] };
  return errors.map(describeError).join(', ');
}
