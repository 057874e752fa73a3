import { existsSync } from 'node:fs';
import { extname, join, relative, resolve } from 'node:path';
import type { DataSource, DataSourceInspection, OwnTables } from '../database/data-source.inspection.js';
import { type CliCommand, type CliContext, JSON_OPTION } from '../cli-command.js';
import { hasTwoTypeOrms, inspecting } from '../application/inspection.js';
import { Installation } from '../application/installation.js';
import { CliError } from '../cli.error.js';
import { MigrationFile, type MigrationFormat } from '../migration-file.js';

interface Result {
  /** The path, relative to the current folder. Absent if there is nothing to do. */
  readonly file?: string;
  /** Whether the file is new. */
  readonly written: boolean;
  /** The entries whose migrations the file exports, or the data source has. */
  readonly entries: readonly string[];
}

export const migrationGenerateCommand: CliCommand = {
  name: 'migration:generate',
  usage: '[folder]',
  summary: "Writes the migrations of kit-auth's tables to a file for TypeORM.",
  details:
    'The file, kit-auth.migrations.ts, exports the migrations of the packages that the application uses. They use the\n' +
    'names of your data source: naming strategies, entityPrefix and schema apply. The folder is src/migrations if you\n' +
    'name none. Existing files are not overwritten, and the database is not changed.',
  options: {
    js: { type: 'boolean', description: 'write JavaScript: an ES module or CommonJS, as package.json says' },
    json: JSON_OPTION,
  },
  async run(context) {
    const { found, options, output } = context;
    const installation = new Installation(found().root);
    if (hasTwoTypeOrms(installation)) {
      throw new CliError('There are several copies of typeorm. `npx kit-auth doctor` names them.', 1);
    }
    await inspecting(installation, async (inspection) => {
      await context.app({ until: 'init', onProblem: () => undefined });
      const dataSource = inspection?.withTables();
      const result =
        inspection === undefined || dataSource === undefined
          ? { written: false, entries: [] }
          : generate(context, inspection, dataSource);
      if (options['json'] === true) {
        output.json(result);
      } else {
        const used = dataSource === undefined ? [] : inspection?.tablesOf(dataSource);
        linesOf(result, dataSource, used).forEach((line) => output.line(line));
      }
    });
    return 0;
  },
};

function generate(context: CliContext, inspection: DataSourceInspection, dataSource: DataSource): Result {
  const { args, cwd, options, found } = context;
  const missing = inspection.entriesWithoutMigrations(dataSource);
  if (missing.length === 0) {
    return { written: false, entries: inspection.tablesOf(dataSource).map(({ entry }) => entry) };
  }
  const [name] = args;
  if (name !== undefined && extname(name) !== '') {
    throw new CliError(`Name a folder, without a file: kit-auth migration:generate ${join(name, '..')}`);
  }
  const { root, manifest } = found();
  const folder = name === undefined ? defaultFolder(root) : resolve(cwd, name);
  const format: MigrationFormat =
    options['js'] !== true ? 'ts' : manifest.type === 'module' ? 'js' : 'commonjs';
  const file = new MigrationFile(folder, missing, format);
  const written = file.write();
  return { file: relative(cwd, file.path), written, entries: missing };
}

function defaultFolder(root: string): string {
  return join(root, existsSync(join(root, 'src')) ? 'src/migrations' : 'migrations');
}

/** @param used the tables that the application uses */
function linesOf(
  { file, written, entries }: Result,
  dataSource: DataSource | undefined,
  used: readonly OwnTables[] = [],
): string[] {
  if (dataSource === undefined) {
    return ['There is nothing to do: the application keeps no tables of kit-auth in TypeORM.'];
  }
  const list = entries.join(', ');
  if (file === undefined) {
    return [
      `There is nothing to do: the migrations of the data source contain those of ${list}.`,
      `If they have not run: ${howToRun(dataSource)}`,
    ];
  }
  const patterns = patternsOf(dataSource);
  const { migrationsRun, synchronize } = dataSource.options;
  return [
    written
      ? `Wrote ${file}, with the migrations of ${list}.`
      : `There is nothing to do: ${file} has the migrations of ${list}.`,
    '',
    'Next:',
    ...numbered([
      [
        patterns.length > 0
          ? `Check that the migrations of your data source contain the built file. They are: ${patterns.join(', ')}`
          : "Add the built file to the migrations of your data source: migrations: ['dist/migrations/*.js'].",
        'A data source that names kitAuthMigrations itself does not need it.',
      ],
      [`Build, and ${howToRun(dataSource)}`, ...(migrationsRun === true ? [] : entitiesHint(used))],
      ...(synchronize === true
        ? [['Set synchronize: false where the migrations run, as in production.']]
        : []),
    ]),
  ];
}

/** The migrations create the tables from the current entities. */
function entitiesHint(used: readonly OwnTables[]): string[] {
  const entries = used.map(({ entry }) => entry).join(', ');
  return [
    `If you run them with the TypeORM CLI, add kitAuthEntities of ${entries} to the entities`,
    'of the data source that it loads: autoLoadEntities has an effect in the application only.',
  ];
}

/** @param steps each with its lines */
function numbered(steps: readonly (readonly string[])[]): string[] {
  return steps.flatMap((lines, step) => lines.map((line, i) => `${i === 0 ? `${step + 1}.` : '  '} ${line}`));
}

/** The form of paths in the options of a data source. */
function patternsOf({ options: { migrations = [] } }: DataSource): string[] {
  const all = Array.isArray(migrations) ? migrations : Object.values(migrations);
  return all.filter((value): value is string => typeof value === 'string');
}

function howToRun({ options }: DataSource): string {
  return options.migrationsRun === true
    ? 'start the application, which runs them.'
    : 'run them: npx kit-auth migration:run';
}
