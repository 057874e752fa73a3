import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * How many lines of a TypeScript file hold code: anything but blanks, comments and imports.
 *
 * @param {string} text
 */
export function codeLines(text) {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const lines = new Set();
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isJSDoc(node)) {
      return;
    }
    const children = node.getChildren(source);
    children.forEach(visit);
    if (children.length === 0 && node.getWidth(source) > 0) {
      for (let line = lineOf(node.getStart(source)); line <= lineOf(node.getEnd()); line++) {
        lines.add(line);
      }
    }
  };
  visit(source);
  return lines.size;
}

/**
 * The files of a folder and their code lines, without specs and without nested folders that count by themselves.
 *
 * @param {string} folder
 * @param {readonly string[]} nested
 * @returns {{ files: number, lines: number }}
 */
export function sizeOf(folder, nested = []) {
  const size = { files: 0, lines: 0 };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !nested.includes(path)) {
      const { files, lines } = sizeOf(path, nested);
      size.files += files;
      size.lines += lines;
    } else if (entry.name.endsWith('.ts') && !entry.name.endsWith('.spec.ts')) {
      size.files++;
      size.lines += codeLines(readFileSync(path, 'utf8'));
    }
  }
  return size;
}
