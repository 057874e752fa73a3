import { chmodSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { CliError, NotUnderstood } from '../cli.error.js';

const BOM = '\ufeff';

/** A source file as it was read. */
export interface SourceText {
  /** The path without symbolic links. */
  readonly file: string;
  /** The text after the byte order mark. */
  readonly text: string;
  readonly bom: string;
}

/** @throws NotUnderstood for another encoding than UTF-8 */
export function readSource(path: string, shown: string): SourceText {
  const file = realpathSync(path);
  const text = decoded(readFileSync(file), shown);
  return text.startsWith(BOM) ? { file, text: text.slice(1), bom: BOM } : { file, text, bom: '' };
}

function decoded(bytes: Buffer, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotUnderstood(`${shown} is not UTF-8.`);
  }
}

/** Asks the mode of the file, because the superuser may write everything. */
export function isReadOnly({ file }: SourceText): boolean {
  return (statSync(file).mode & 0o222) === 0;
}

/**
 * Replaces a file as a whole: a reader never sees a part of it.
 *
 * @throws CliError if the file has changed since it was read, or cannot be written
 */
export function replaceSource({ file, text, bom }: SourceText, next: string): void {
  if (readFileSync(file, 'utf8') !== bom + text) {
    throw new CliError(`${file} was changed at the same time. Nothing was written. Try again.`, 1);
  }
  const temporary = `${file}.kit-auth-${process.pid}`;
  try {
    writeFileSync(temporary, bom + next, { flag: 'wx' });
    chmodSync(temporary, statSync(file).mode);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new CliError(`${file} cannot be written: ${String(error)}`, 1, { cause: error });
  }
}
