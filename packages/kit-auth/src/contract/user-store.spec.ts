import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const FILE = fileURLToPath(new URL('application.ts', import.meta.url));
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.es2022.d.ts'],
  types: [],
};

const parsed = new Map<string, ts.SourceFile | undefined>();

/** What the compiler says about the user store of an application that declares these ids. */
function problems({ userId, idType = '' }: { userId?: string; idType?: string }): string[] {
  const declared = userId === undefined ? '' : `interface KitAuthTypes { userId: ${userId} }`;
  const text = `
    import type { AuthUserStore } from './user-store.js';
    declare module './user-id.js' { ${declared} }
    export class Users implements AuthUserStore {
      ${idType}
      async loadLoginUser() { return undefined; }
    }`;
  const host = ts.createCompilerHost(OPTIONS);
  const fileExists = host.fileExists.bind(host);
  const getSourceFile = host.getSourceFile.bind(host);
  host.fileExists = (name) => name === FILE || fileExists(name);
  host.getSourceFile = (name, language, ...rest) => {
    if (name === FILE) {
      return ts.createSourceFile(name, text, language);
    }
    const file = parsed.get(name) ?? getSourceFile(name, language, ...rest);
    parsed.set(name, file);
    return file;
  };
  const program = ts.createProgram([FILE], OPTIONS, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(FILE))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the idType of a user store', () => {
  it.each(['string', "string & { brand: 'uuid' }"])('is required where ids are declared as %s', (userId) => {
    expect(problems({ userId })).toEqual([expect.stringContaining("Property 'idType' is missing")]);
    expect(problems({ userId, idType: `readonly idType = 'number';` })).toHaveLength(1);
    expect(problems({ userId, idType: `readonly idType = 'string';` })).toEqual([]);
  });

  it('is optional where they are numbers, or either', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ userId: 'number' })).toEqual([]);
    expect(problems({ userId: 'number | string' })).toEqual([]);
    expect(problems({ idType: `readonly idType = 'string';` })).toEqual([]);
  });
});
