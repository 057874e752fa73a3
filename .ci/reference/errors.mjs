// The error codes, from the enumeration AuthErrorCode with its doc comments, and their messages. The doc comments have to name
// the reasons that modules declare.
import ts from 'typescript';
import { contributionsTo } from './contributions.mjs';
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

/** Lists of reasons and the files that declare them, by the code. */
const declared = contributionsTo(Symbol.for('kit-auth.reasons')).flatMap(({ file, value }) =>
  Object.entries(value).map(([number, reasons]) => ({ file, number, reasons })),
);

const errors = codes.map((member) => {
  const { summary, details } = docOf(member);
  const [name, number] = [member.name.text, member.initializer.text];
  if (!summary || details.length === 0 || !messages.has(name)) {
    throw new Error(
      `${name} in ${FILE} needs a message, and a doc comment with the cause and what clients do.`,
    );
  }
  for (const { file, reasons } of declared.filter((it) => it.number === number)) {
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
