import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from './cli.error.js';

export type MigrationFormat = 'ts' | 'js' | 'commonjs';

/**
 * A file that exports the migrations of packages. TypeORM takes all classes that a file of `migrations` exports, also in
 * arrays. The classes stay in the packages, which add others with an update.
 */
export class MigrationFile {
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
