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

const ID_TYPES = ['', `readonly idType = 'number';`, `readonly idType = 'string';`];

/** Which idTypes the compiler accepts in user stores of an application that declares these ids. */
function accepted(userId?: string): string[] {
  const declared = userId === undefined ? '' : `interface KitAuthTypes { userId: ${userId} }`;
  const text = `
    import type { AuthUserStore } from './user-store.js';
    declare module './user-id.js' { ${declared} }
    ${ID_TYPES.map(
      (idType, i) => `export class Users${i} implements AuthUserStore {
      ${idType}
      async loadLoginUser() { return undefined; }
    }`,
    ).join('\n')}`;
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
  const problems = program
    .getSemanticDiagnostics(program.getSourceFile(FILE))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  return ID_TYPES.filter((_idType, i) => {
    const [problem] = problems.filter((found) => found.includes(`Users${i}'`));
    expect([undefined, expect.stringMatching(/idType/)]).toContainEqual(problem);
    return problem === undefined;
  });
}

describe('the idType of a user store', () => {
  const [none, number, string] = ID_TYPES;

  it.each(['string', "string & { brand: 'uuid' }"])('is required where ids are declared as %s', (userId) => {
    expect(accepted(userId)).toEqual([string]);
  });

  it('is optional where they are numbers, or either', () => {
    expect(accepted()).toEqual([none, number, string]);
    expect(accepted('number')).toEqual(expect.arrayContaining([none, number]));
    expect(accepted('number | string')).toEqual([none, number, string]);
  });
});
