import { inspecting, requireOneTypeOrm } from '../application/inspection.js';
import { Installation } from '../application/installation.js';
import { type CliCommand, type CliContext, JSON_OPTION } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import type { DataSource, DataSourceInspection } from '../database/data-source.inspection.js';
import { reasonOf } from '../reason.js';
import { report } from '../report.js';

const NAME = 'migration:run';
const GENERATE = '`kit-auth migration:generate` writes them.';

export const migrationRunCommand: CliCommand = {
  name: NAME,
  usage: '',
  summary: 'Runs the pending migrations of the data source of your application.',
  details:
    'Uses the data source that has the tables of kit-auth, and runs your migrations and those of kit-auth. It needs no\n' +
    'other configuration. `synchronize` and `dropSchema` have no effect.',
  options: {
    'dry-run': { type: 'boolean', description: 'list the pending migrations, and run none' },
    json: JSON_OPTION,
  },
  async run(context) {
    const installation = new Installation(context.found().root);
    requireOneTypeOrm(installation);
    const dataSource = await inspecting(installation, async (inspection) => {
      await context.app({ until: 'init', onProblem: () => undefined });
      return usedIn(context, inspection);
    });
    await migrate(context, dataSource);
  },
};

/** The data source with the tables of kit-auth. @throws CliError if there is none, or it does not connect */
function usedIn({ output }: CliContext, inspection: DataSourceInspection | undefined): DataSource {
  const dataSource = inspection?.withTables();
  if (inspection === undefined || dataSource === undefined) {
    throw new CliError('There is nothing to run: the application keeps no tables of kit-auth in TypeORM.', 1);
  }
  const failure = inspection.failureOf(dataSource);
  if (failure !== undefined && !inspection.isCreatedLater(dataSource)) {
    throw new CliError(`The database cannot be reached: ${reasonOf(failure)}`, 1, { cause: failure });
  }
  const missing = inspection.entriesWithoutMigrations(dataSource);
  if (missing.length > 0) {
    output.note(`Note: the data source has no migrations of ${missing.join(', ')}. ${GENERATE}`);
  }
  return dataSource;
}

async function migrate(context: CliContext, dataSource: DataSource): Promise<void> {
  const { connect, pendingMigrations, runMigrations } = await import('../database/pending-migrations.js');
  const pending = await pendingMigrations(dataSource);
  if (context.options['dry-run'] === true || pending.length === 0) {
    report(context, linesOf(pending, dataSource.migrations.length), { ran: [], pending });
    return;
  }
  const begun: string[] = [];
  try {
    await connect(dataSource);
    await runMigrations(dataSource, (name) => begun.push(name));
  } catch (error) {
    const left = await pendingMigrations(dataSource).catch(() => pending);
    const at = begun.at(-1);
    const what = at === undefined ? 'The migrations have not run' : `The migration ${at} has failed`;
    throw new CliError(`${what}: ${reasonOf(error)}\nPending: ${left.join(', ')}`, 1, { cause: error });
  }
  const lines = [...begun.map((name) => `done  ${name}`), `Ran ${counted(begun.length)}.`];
  report(context, lines, { ran: begun, pending: [] });
}

function linesOf(pending: readonly string[], all: number): string[] {
  return pending.length === 0
    ? [
        `There is nothing to do: ${all === 0 ? 'the data source has no migrations' : 'all migrations have run'}.`,
      ]
    : [
        ...pending.map((name) => `pending  ${name}`),
        `${counted(pending.length)} pending. Nothing was changed.`,
      ];
}

function counted(count: number): string {
  return count === 1 ? '1 migration' : `${count} migrations`;
}
