import { type ObjectLiteralExpression, type SourceFile, SyntaxKind } from 'ts-morph';

/** How a file is written, so that new lines look like the others. */
export interface SourceStyle {
  readonly quote: string;
  readonly semicolon: string;
  readonly eol: string;
  /** One level of indentation. */
  readonly indent: string;
  readonly hasTrailingCommas: boolean;
  /** Inside of the braces of an import. */
  readonly space: string;
}

/** @param metadata the argument of `@Module()` */
export function styleOf(source: SourceFile, metadata: ObjectLiteralExpression): SourceStyle {
  const text = source.getFullText();
  const [first] = source.getImportDeclarations();
  const declaration = first?.getText() ?? '';
  const crlf = text.match(/\r\n/g)?.length ?? 0;
  return {
    quote: first?.getModuleSpecifier().getText().startsWith('"') ? '"' : "'",
    semicolon: declaration === '' || declaration.endsWith(';') ? ';' : '',
    eol: crlf > (text.match(/\n/g)?.length ?? 0) / 2 ? '\r\n' : '\n',
    indent: indentOf(metadata) ?? /^(?:\t| {2,8})(?=\S)/m.exec(text)?.[0] ?? '  ',
    hasTrailingCommas: trailingCommaOf(metadata) ?? true,
    space: /\{\S/.test(declaration) ? '' : ' ',
  };
}

/** Code that is written with single quotes, two spaces and trailing commas. */
export function styled(code: string, { quote, indent, eol, hasTrailingCommas }: SourceStyle): string {
  const text = hasTrailingCommas ? code : code.replace(/,((?: *\/\/[^\n]*)?\n *\})/g, '$1');
  return text
    .replaceAll("'", quote)
    .replace(/^(?: {2})+/gm, (spaces) => indent.repeat(spaces.length / 2))
    .replaceAll('\n', eol);
}

/** The white-space at the beginning of the line of a position. */
export function indentAt(text: string, position: number): string {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  return /^[\t ]*/.exec(text.slice(start))?.[0] ?? '';
}

function indentOf(metadata: ObjectLiteralExpression): string | undefined {
  const text = metadata.getSourceFile().getFullText();
  const [property] = metadata.getProperties();
  if (property === undefined || property.getStartLineNumber() === metadata.getStartLineNumber()) {
    return undefined;
  }
  const [outer, inner] = [indentAt(text, metadata.getStart()), indentAt(text, property.getStart())];
  return inner.startsWith(outer) && inner !== outer ? inner.slice(outer.length) : undefined;
}

/** Whether the last item of a list over several lines has a comma. Undefined if there is no such list. */
function trailingCommaOf(metadata: ObjectLiteralExpression): boolean | undefined {
  const lists = [
    ...metadata.getDescendantsOfKind(SyntaxKind.ArrayLiteralExpression).map((list) => ({
      list,
      last: list.getElements().at(-1),
    })),
    { list: metadata, last: metadata.getProperties().at(-1) },
  ];
  const found = lists.find(
    ({ list, last }) => last !== undefined && last.getEndLineNumber() < list.getEndLineNumber(),
  );
  return found && found.last?.getNextSibling()?.getKind() === SyntaxKind.CommaToken;
}
