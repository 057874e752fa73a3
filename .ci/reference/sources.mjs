// The sources that the reference is made of.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

export const parse = (file) =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

/** The doc comment of a member: its first paragraph, the others, and its `@default`. The others are for readers who want more. */
export function docOf(node) {
  const [doc] = ts.getJSDocCommentsAndTags(node);
  const tag = doc?.tags?.find(({ tagName }) => tagName.text === 'default');
  const [text = '', byDefault] = [doc, tag].map((comment) => ts.getTextOfJSDocComment(comment?.comment));
  const [summary, ...details] = text.split(/\n\s*\n/);
  return { summary: summary.replaceAll('\n', ' '), details, byDefault };
}

export const code = (text) => `\`${text}\``;

export function table(columns, rows) {
  const cells = rows.map((row) => columns.map((column) => row[column]));
  return [columns, columns.map(() => '-'), ...cells].map((row) => `| ${row.join(' | ')} |\n`).join('');
}
