import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

interface Manifest {
  readonly name: string;
  readonly exports?: Record<string, string | { readonly import?: { readonly types?: string } }>;
}

const PACKAGES = join(import.meta.dirname, '../../../../packages');

/** The declarations of all entries. Those for CommonJS are copies. */
const ENTRIES = readdirSync(PACKAGES).flatMap((folder) => {
  const { name, exports = {} } = JSON.parse(
    readFileSync(join(PACKAGES, folder, 'package.json'), 'utf8'),
  ) as Manifest;
  return Object.entries(exports).flatMap(([entry, conditions]) => {
    const types = typeof conditions === 'string' ? undefined : conditions.import?.types;
    return types === undefined
      ? []
      : [{ entry: `${name}${entry.slice(1)}`, file: join(PACKAGES, folder, types) }];
  });
});

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: false,
};
const parsed = new Map<string, ts.SourceFile | undefined>();

/** A program of one file, as in an application that loads no types by itself. */
function programOf(file: string, lib: string[]): ts.Program {
  const options = { ...OPTIONS, lib };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...rest) => {
    if (!parsed.has(path)) {
      parsed.set(path, read(path, ...rest));
    }
    return parsed.get(path);
  };
  return ts.createProgram([file], options, host);
}

describe('declarations', () => {
  it.each(ENTRIES)('of $entry need nothing that they do not name', ({ entry, file }) => {
    const isForPages = entry.endsWith('/client');
    const program = programOf(file, ['lib.es2022.d.ts', ...(isForPages ? ['lib.dom.d.ts'] : [])]);
    const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(PACKAGES));
    const problems = own.flatMap((source) => [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]);
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
    const hasNode = program.getSourceFiles().some(({ fileName }) => fileName.includes('/@types/node/'));
    expect(isForPages && hasNode).toBe(false);
  });
});
