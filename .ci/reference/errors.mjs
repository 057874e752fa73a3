// The error codes, from the enumeration AuthErrorCode with its doc comments, and their messages. The doc comments have to name
// the reasons that modules declare with declareReasons().
import ts from 'typescript';
import { files, NOT_PUBLISHED } from '../files.mjs';
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

/** Lists of reasons and the files that declare them, by the name of the code. */
const declared = new Map(codes.map((member) => [member.name.text, []]));
for (const file of files('packages/*.module.ts', NOT_PUBLISHED)) {
  const visitCalls = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'declareReasons') {
      for (const { name, initializer } of node.arguments[0].properties) {
        const reasons = initializer.elements.map((element) => element.text);
        declared.get(name.expression.name.text).push({ file, reasons });
      }
    }
    ts.forEachChild(node, visitCalls);
  };
  visitCalls(parse(file));
}

const errors = codes.map((member) => {
  const { summary, details } = docOf(member);
  const [name, number] = [member.name.text, member.initializer.text];
  if (!summary || details.length === 0 || !messages.has(name)) {
    throw new Error(
      `${name} in ${FILE} needs a message, and a doc comment with the cause and what clients do.`,
    );
  }
  for (const { file, reasons } of declared.get(name)) {
    const missing = reasons.filter((reason) => ![summary, ...details].join().includes(code(reason)));
    if (missing.length > 0) {
      throw new Error(
        `The doc comment of ${name} in ${FILE} lacks reasons of ${file}: ${missing.join(', ')}.`,
      );
    }
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
