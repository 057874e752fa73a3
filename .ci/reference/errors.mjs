// The error codes, from the enumeration AuthErrorCode with its doc comments, and their messages.
import ts from 'typescript';
import { code, docOf, parse, table } from './sources.mjs';

const FILE = 'packages/kit-auth/src/errors/auth-error-code.ts';

const messages = new Map();
const codes = [];
const visit = (node) => {
  if (ts.isEnumMember(node)) {
    codes.push(node);
  } else if (ts.isPropertyAssignment(node) && ts.isComputedPropertyName(node.name)) {
    messages.set(node.name.expression.name.text, node.initializer.text);
  }
  ts.forEachChild(node, visit);
};
visit(parse(FILE));

const errors = codes.map((member) => {
  const { summary, details } = docOf(member);
  const [name, number] = [member.name.text, member.initializer.text];
  if (!summary || details.length === 0 || !messages.has(name)) {
    throw new Error(
      `${name} in ${FILE} needs a message, and a doc comment with the cause and what clients do.`,
    );
  }
  return {
    code: number,
    error: code(name),
    status: number.slice(0, 3),
    cause: summary,
    message: messages.get(name),
    details,
  };
});

const sections = () =>
  errors
    .map((error) =>
      [
        `### ${error.code} ${error.error}`,
        `- Status: ${error.status}\n- Message: ${error.message}`,
        error.cause,
        ...error.details,
      ].join('\n\n'),
    )
    .join('\n\n');

/** @param columns of a table, or `reference` for sections */
export function errorsIn(columns) {
  return columns === 'reference' ? sections() : table(columns.split(', '), errors);
}
