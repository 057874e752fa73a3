import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { extname, join, relative, resolve } from 'node:path';
import type { DataSource, DataSourceInspection, OwnTables } from '../database/data-source.inspection.js';
import { type CliCommand, type CliContext, JSON_OPTION } from '../cli-command.js';
import { inspecting, requireOneTypeOrm } from '../application/inspection.js';
import { Installation } from '../application/installation.js';
import { CliError } from '../cli.error.js';
import { numbered } from '../output.js';
import { report } from '../report.js';

interface Result {
  /** The path, relative to the current folder. Absent if there is nothing to do. */
  readonly file?: string;
  /** The file is new. */
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
    const installation = new Installation(context.found().root);
    requireOneTypeOrm(installation);
    await inspecting(installation, async (inspection) => {
      await context.app({ until: 'init', onProblem: () => undefined });
      const dataSource = inspection?.withTables();
      const result =
        inspection === undefined || dataSource === undefined
          ? { written: false, entries: [] }
          : generate(context, inspection, dataSource);
      const used = dataSource === undefined ? [] : inspection?.tablesOf(dataSource);
      report(context, linesOf(result, dataSource, used), result);
    });
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

type MigrationFormat = 'ts' | 'js' | 'commonjs';

/**
 * A file that exports the migrations of packages. TypeORM takes all classes that a file of `migrations` exports, also in
 * arrays. The classes stay in the packages, so an update can add more.
 */
class MigrationFile {
  readonly path: string;

  constructor(
    private readonly folder: string,
    private readonly entries: readonly string[],
    private readonly format: MigrationFormat,
  ) {
    this.path = join(folder, `kit-auth.migrations.${format === 'ts' ? 'ts' : 'js'}`);
  }

  /**
   * @returns false if the file has these exports already
   * @throws CliError when there is another file
   */
  write(): boolean {
    const { folder } = this;
    if (existsSync(this.path)) {
      const text = readFileSync(this.path, 'utf8');
      const missing = this.entries.filter((entry) => !new RegExp(`['"]${escaped(entry)}['"]`).test(text));
      if (missing.length > 0) {
        const lines = missing.map((entry) => `  ${this.lineOf(entry)}`).join('\n');
        throw new CliError(`${this.path} exists, and is not overwritten. Add to it:\n${lines}`, 1);
      }
      return false;
    }
    if (existsSync(folder) && !statSync(folder).isDirectory()) {
      throw new CliError(`${folder} is not a folder.`);
    }
    mkdirSync(folder, { recursive: true });
    const lines = [
      '// The migrations of the packages of kit-auth. A package that you add later needs a line of its own.',
      ...this.entries.map((entry) => this.lineOf(entry)),
    ];
    writeFileSync(this.path, `${lines.join('\n')}\n`, { flag: 'wx' });
    return true;
  }

  private lineOf(entry: string): string {
    const name = exportNameOf(entry);
    if (this.format === 'commonjs') {
      return `exports.${name} = require('${entry}').kitAuthMigrations;`;
    }
    const exported = name === 'kitAuthMigrations' ? name : `kitAuthMigrations as ${name}`;
    return `export { ${exported} } from '${entry}';`;
  }
}

/** `kitAuthSessionMigrations` for `kit-auth-session/typeorm`. */
function exportNameOf(entry: string): string {
  const words = entry
    .replace(/\/typeorm$/, '')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  const [first, ...others] = [...words, 'migrations'];
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
