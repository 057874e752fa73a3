import { Node, SyntaxKind } from 'ts-morph';
import type { ImportedModule, ModuleFile } from './module-file.js';
import { NotUnderstood } from '../cli.error.js';
import { append, type Edit, insert, type SourceStyle } from './text-edits.js';
import { TYPEORM } from './wanted.js';

/** True if code sets `autoLoadEntities` to anything but `false`. Undefined if it does not set it. */
export function loadsEntities(code: Node): boolean | undefined {
  const properties = [SyntaxKind.Identifier, SyntaxKind.StringLiteral]
    .flatMap((kind): Node[] => code.getDescendantsOfKind(kind))
    .filter((name) => /^['"]?autoLoadEntities['"]?$/.test(name.getText()))
    .map((name) => name.getParent());
  return properties.length === 0
    ? undefined
    : properties.some(
        (property) =>
          !(Node.isPropertyAssignment(property) && property.getInitializer()?.getText() === 'false'),
      );
}

/** Adds `autoLoadEntities: true` to options that are an object literal. */
export function autoLoadEdits(file: ModuleFile, style: SourceStyle): Edit[] {
  return defaultSources(file).flatMap(({ method, args: [options] }) => {
    if (
      method !== 'forRoot' ||
      !Node.isObjectLiteralExpression(options) ||
      loadsEntities(options) !== undefined
    ) {
      return [];
    }
    const items = options.getProperties();
    const last = items.at(-1);
    const isOneLine = options.getStartLineNumber() === options.getEndLineNumber();
    return isOneLine && last !== undefined
      ? [insert(last.getEnd(), ', autoLoadEntities: true')]
      : append({ node: options, items }, [{ code: 'autoLoadEntities: true' }], style);
  });
}

/** True if the data source in this file has `autoLoadEntities`, perhaps after the change. */
export function fileLoadsEntities(file: ModuleFile): boolean {
  return defaultSources(file).some(({ node, method, args: [options] }) =>
    method === 'forRoot' && Node.isObjectLiteralExpression(options)
      ? loadsEntities(options) !== false
      : loadsEntities(node) === true,
  );
}

/** The data sources without a name. @throws NotUnderstood if all have one: kit-auth uses the default data source */
function defaultSources(file: ModuleFile): ImportedModule[] {
  const all = file.modules(TYPEORM);
  const unnamed = all.filter(
    ({ args: [options] }) =>
      !Node.isObjectLiteralExpression(options) || options.getProperty('name') === undefined,
  );
  if (all.length > 0 && unnamed.length === 0) {
    throw new NotUnderstood(`${file.shown}: kit-auth needs a data source of TypeORM without a name.`);
  }
  return unnamed;
}
