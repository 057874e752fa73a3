// Makes the mutants of a source file: small changes, each of which a test should notice. All of them are in one text,
// behind switches, so that a spec loads Nest and its subject once for hundreds of mutants.
import ts from 'typescript';

const { SyntaxKind: Kind } = ts;

const OPERATORS = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '??=': ['='],
};
const METHODS = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  reduceRight: 'reduce',
  unshift: 'push',
};
/** Calls that can be left out: what they are called on is of the same type. */
const REMOVED_CALLS = new Set(['trim', 'filter', 'slice', 'sort', 'reverse', 'toSorted', 'flat']);

/**
 * @param next the number of the first mutant
 * @returns the mutants, and the text with all of them: `__mutant(7)` is true where mutant 7 is active
 */
export function mutate(file, source, next) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const mutants = [];

  const textOf = (node) => source.slice(node.getStart(tree), node.end);
  const add = (node, text, from = textOf(node)) => {
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
    const id = next + mutants.length;
    mutants.push({ id, file, line, from: short(from), to: short(text) });
    return { id, text };
  };
  /** The text of a node, with `text` in place of one of its children. */
  const replacing = (node, child, text) =>
    source.slice(node.getStart(tree), child.getStart(tree)) + text + source.slice(child.end, node.end);

  /** The instrumented text of a node. */
  function write(node) {
    if (isUntouched(node)) {
      return textOf(node);
    }
    const children = [];
    node.forEachChild((child) => void children.push(child));
    let text = '';
    let at = node.getStart(tree);
    for (const child of children) {
      const start = child.getStart(tree);
      if (start < at) {
        continue;
      }
      text +=
        source.slice(at, start) + (isLoop(node) && child === node.statement ? counted(child) : write(child));
      at = child.end;
    }
    text += source.slice(at, node.end);
    if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) {
      return textOf(node).startsWith('super(')
        ? text
        : `{ if (!__mutant(${add(node, ';').id})) { ${text} } }`;
    }
    const changes = isReplaceable(node) ? [...changesOf(node)] : [];
    return changes.reduceRight(
      (otherwise, { id, text: changed }) => `(__mutant(${id}) ? ${changed} : ${otherwise})`,
      text,
    );
  }

  /** The body of a loop, which a mutant may make endless. */
  const counted = (body) => `{ __loop(); ${write(body)} }`;

  function* changesOf(node) {
    if (ts.isBinaryExpression(node)) {
      const { left, operatorToken, right } = node;
      const operator = operatorToken.getText(tree);
      if (operator !== '+' || !(isText(left) || isText(right))) {
        for (const other of OPERATORS[operator] ?? []) {
          yield add(
            node,
            isAssignment(operatorToken)
              ? `${textOf(left)} ${other} ${textOf(right)}`
              : `(${textOf(left)}) ${other} (${textOf(right)})`,
          );
        }
      }
    } else if (
      ts.isPrefixUnaryExpression(node) &&
      [Kind.ExclamationToken, Kind.MinusToken].includes(node.operator)
    ) {
      yield add(node, textOf(node.operand));
    } else if (ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node)) {
      const text = textOf(node);
      yield add(node, text.includes('++') ? text.replace('++', '--') : text.replace('--', '++'));
    } else if (node.kind === Kind.TrueKeyword || node.kind === Kind.FalseKeyword) {
      yield add(node, node.kind === Kind.TrueKeyword ? 'false' : 'true');
    } else if (ts.isNumericLiteral(node)) {
      yield add(node, `(${textOf(node)} + 1)`);
    } else if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      // Words in a row are a message for people.
      if (node.text !== '' && !node.text.includes(' ')) {
        yield add(node, "''");
      }
    } else if (ts.isArrayLiteralExpression(node) && node.elements.length > 0) {
      yield add(node, '[]');
    } else if (ts.isAwaitExpression(node)) {
      yield add(node, textOf(node.expression));
    } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression;
      if (Object.hasOwn(METHODS, name.text)) {
        yield add(node, replacing(node, name, METHODS[name.text]));
      } else if (REMOVED_CALLS.has(name.text)) {
        yield add(node, textOf(expression));
      }
    }
    for (const token of optionalTokens(node)) {
      const cut = ts.isPropertyAccessExpression(token.parent) ? '.' : '';
      yield add(node, replacing(node, token, cut));
    }
    if (isCondition(node)) {
      for (const outcome of ['true', 'false']) {
        // A loop that never ends shows nothing.
        if (
          textOf(node) !== outcome &&
          !(outcome === 'true' && ts.isIterationStatement(node.parent, false))
        ) {
          yield add(node, outcome);
        }
      }
    }
  }

  return { text: write(tree), mutants };
}

function isAssignment({ kind }) {
  return kind >= Kind.FirstAssignment && kind <= Kind.LastAssignment;
}

/** The `?.` of a chain, asked at its end: a part of a chain cannot be replaced, because the rest would not be skipped. */
function optionalTokens(node) {
  const found = [];
  for (let part = node; ts.isOptionalChain(part) || ts.isNonNullExpression(part); part = part.expression) {
    if (part.questionDotToken !== undefined) {
      found.push(part.questionDotToken);
    }
  }
  return found;
}

function isCondition(node) {
  const { parent } = node;
  return (
    ((ts.isIfStatement(parent) || ts.isWhileStatement(parent)) && parent.expression === node) ||
    ((ts.isConditionalExpression(parent) || ts.isForStatement(parent)) && parent.condition === node)
  );
}

function isLoop(node) {
  return ts.isWhileStatement(node) || ts.isForStatement(node) || ts.isForOfStatement(node);
}

function isText(node) {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateExpression(node) ||
    (ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right)))
  );
}

/** Types, what the language wants to be a literal, and decorators: the specs of whole applications see what they do. */
function isUntouched(node) {
  return (
    ts.isDecorator(node) ||
    ts.isTypeNode(node) ||
    ts.isTypeParameterDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isModuleDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isHeritageClause(node)
  );
}

/** Whether a conditional expression can stand in place of a node. */
function isReplaceable(node) {
  const { parent } = node;
  if (!ts.isExpression(node) || parent.name === node || isLoggerName(node)) {
    return false;
  }
  // A call takes its object from the text in front of it, and a chain skips its rest.
  const isBegin =
    parent.expression === node &&
    (ts.isCallExpression(parent) || ts.isNewExpression(parent) || ts.isOptionalChain(parent));
  const isTarget = ts.isBinaryExpression(parent) && parent.left === node && ts.isArrayLiteralExpression(node);
  return !isBegin && !isTarget;
}

function isLoggerName({ parent }) {
  return ts.isNewExpression(parent) && parent.expression.getText() === 'Logger';
}

function short(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 87)}...` : line;
}
