// The options of the packages, from the calls of defineOptions and the doc comments in them.
import ts from 'typescript';
import { files, NOT_PUBLISHED } from '../files.mjs';
import { code, docOf, parse, table } from './sources.mjs';

const TYPES = { flag: 'boolean', integer: 'number', secrets: 'readonly string[]', text: 'string' };

/** The options of each definition, by its name. */
export const definitions = new Map();
for (const file of files('packages/*.options.ts', NOT_PUBLISHED)) {
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'defineOptions') {
      const [name, shape] = node.arguments;
      definitions.set(name.text, optionsOf(shape, name.text, ''));
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
}

function optionsOf(shape, name, prefix) {
  return shape.properties.flatMap((property) => {
    const key = prefix + property.name.text;
    const { initializer } = property;
    if (ts.isObjectLiteralExpression(initializer)) {
      return optionsOf(initializer, name, `${key}.`);
    }
    const isSwitchable = initializer.expression.getText() === 'switchable';
    const group = isSwitchable ? optionsOf(initializer.arguments[0], name, `${key}.`) : [];
    return [optionOf(property, name, key), ...group];
  });
}

function optionOf(property, name, key) {
  const { summary, details, byDefault } = docOf(property);
  if (!summary || !byDefault) {
    throw new Error(`${name}.${key} needs a doc comment with a description and @default.`);
  }
  const { arguments: args, kind } = property.initializer;
  const text = (member) => args[0]?.properties?.find((property) => property.name.text === member);
  const alias = text('alias')?.initializer.text;
  const isCodeOnly = kind === ts.SyntaxKind.NewExpression && text('parse') === undefined;
  return {
    key: `${name}.${key}`.replace(/^kit\.auth\./, ''),
    option: alias === undefined ? code(key) : `${code(key)} or ${code(`'${alias}'`)}`,
    type: typeOf(property.initializer),
    variable: isCodeOnly ? 'none' : code(variableOf(`${name}.${key}`)),
    default: /^(true|false|\d+|'.*'|\/.*)$/.test(byDefault) ? code(byDefault) : byDefault,
    meaning: summary,
    details,
  };
}

/** In TypeScript. */
function typeOf({ expression, arguments: args, typeArguments }) {
  switch (expression.getText()) {
    case 'Option':
      return typeArguments[0].getText();
    case 'choice':
      return args[0].elements.map((element) => element.getText()).join(' | ');
    case 'switchable':
      return 'boolean | object';
    default:
      return TYPES[expression.getText()];
  }
}

function variableOf(key) {
  return key.replaceAll('.', '_').replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}

/** One section for each option. The keys are those of `KitAuthModule`, so that no two headings are the same. */
const sections = (options) =>
  options
    .map(({ key, option, type, variable, default: byDefault, meaning, details }) =>
      [
        `### ${code(key)}`,
        [
          `- Type: ${code(type)}`,
          `- Default: ${byDefault}`,
          `- Environment variable: ${variable}`,
          ...(option.includes(' or ') ? [`- Other spelling: ${option.split(' or ')[1]}`] : []),
        ].join('\n'),
        meaning,
        ...details,
      ].join('\n\n'),
    )
    .join('\n\n');

/** @param columns of a table, or `reference` for sections */
export function optionsIn(name, columns) {
  const options = definitions.get(name);
  return columns === 'reference' ? sections(options) : table(columns.split(', '), options);
}
