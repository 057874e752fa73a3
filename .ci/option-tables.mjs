// Writes the tables of options into the documents, from the doc comments at the definitions of the options. A table
// stands between <!-- options of kit.auth: option, default, meaning --> and <!-- end of options -->.
// With --check it changes nothing, and fails if a table is not up to date.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import prettier from 'prettier';
import ts from 'typescript';

const TABLE = /(<!-- options of (\S+): ([^\n]+) -->\n)(.*?)(?=<!-- end of options -->)/gs;
const MAX_LINE = 159;

const files = (pattern) =>
  spawnSync('git', ['ls-files', pattern], { encoding: 'utf8' }).stdout.trim().split('\n');

const code = (text) => `\`${text}\``;

/** The options of each definition, by its name. */
const definitions = new Map();
for (const file of files('packages/*.options.ts')) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'defineOptions') {
      const [name, shape] = node.arguments;
      definitions.set(name.text, optionsOf(shape, name.text, ''));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
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
  const [doc] = ts.getJSDocCommentsAndTags(property);
  const tag = doc?.tags?.find(({ tagName }) => tagName.text === 'default');
  const [meaning, byDefault] = [doc, tag].map((it) => ts.getTextOfJSDocComment(it?.comment));
  if (!meaning || !byDefault) {
    throw new Error(`${name}.${key} needs a doc comment with a description and @default.`);
  }
  const { arguments: args, kind } = property.initializer;
  const text = (member) => args[0].properties?.find((it) => it.name.text === member);
  const alias = text('alias')?.initializer.text;
  const isCodeOnly = kind === ts.SyntaxKind.NewExpression && text('parse') === undefined;
  return {
    option: alias === undefined ? code(key) : `${code(key)} or ${code(`'${alias}'`)}`,
    variable: isCodeOnly ? 'none' : code(variableOf(`${name}.${key}`)),
    default: /^(true|false|\d+|'.*'|\/.*)$/.test(byDefault) ? code(byDefault) : byDefault,
    // The first paragraph. The others are for editors.
    meaning: meaning.split(/\n\s*\n/)[0].replaceAll('\n', ' '),
  };
}

function variableOf(key) {
  return key.replaceAll('.', '_').replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}

function table(name, columns) {
  const rows = definitions.get(name).map((option) => columns.map((column) => option[column]));
  return [columns, columns.map(() => '-'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

const problems = [];
for (const file of files('*.md')) {
  const text = readFileSync(file, 'utf8');
  const generated = text.replaceAll(
    TABLE,
    (_, begin, name, columns) => `${begin}\n${table(name, columns.split(', '))}\n`,
  );
  if (!text.includes('<!-- options of ')) {
    continue;
  }
  const wanted = await prettier.format(generated, {
    ...(await prettier.resolveConfig(file)),
    filepath: file,
  });
  for (const [, , , , rows] of wanted.matchAll(TABLE)) {
    const long = rows.split('\n').find((line) => line.length > MAX_LINE);
    if (long !== undefined) {
      problems.push(`${file}: a line is longer than ${MAX_LINE} characters: ${long}`);
    }
  }
  if (wanted !== text && process.argv.includes('--check')) {
    problems.push(`${file}: the options have changed: run node .ci/option-tables.mjs`);
  } else if (wanted !== text) {
    writeFileSync(file, wanted);
  }
}
problems.forEach((problem) => console.error(problem));
process.exitCode = problems.length === 0 ? 0 : 1;
