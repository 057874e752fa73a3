import { type Node, type ObjectLiteralExpression, type SourceFile, SyntaxKind } from 'ts-morph';

/** The style of a file, so that new lines look like the others. */
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

/** Applies the style. @param code with single quotes, two spaces and trailing commas */
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

/** The last item of a list over several lines has a comma. Undefined without such a list. */
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

/** Replaces the characters from `start` to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Edits do not overlap. Those at the same position keep their order. */
export function apply(text: string, edits: readonly Edit[]): string {
  const ordered = edits.map((edit, i) => ({ ...edit, i })).sort((a, b) => b.start - a.start || b.i - a.i);
  return ordered.reduce(
    (all, { start, end, text: added }) => all.slice(0, start) + added + all.slice(end),
    text,
  );
}

export function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

/** A new item of a list. */
export interface Item {
  readonly code: string;
  readonly comment?: string | undefined;
}

/** A list in brackets or braces, with its items. */
export interface List {
  readonly node: Node;
  readonly items: readonly Node[];
}

/** Appends items to a list, each on a line of its own. */
export function append({ node, items }: List, added: readonly Item[], style: SourceStyle): Edit[] {
  const text = node.getSourceFile().getFullText();
  const [open, close] = [node.getStart() + 1, node.getEnd() - 1];
  const { eol } = style;
  const outer = indentAt(text, node.getStart());
  const last = items.at(-1);
  const inner =
    last !== undefined && startsItsLine(text, last) ? indentAt(text, last.getStart()) : outer + style.indent;
  const lines = linesOf(added, inner, style);
  const inside = text.slice(open, close);
  if (last === undefined) {
    return inside.trim() === ''
      ? [{ start: open, end: close, text: `${eol}${lines}${eol}${outer}` }]
      : [insert(open, eol + lines)];
  }
  const comma = last.getNextSibling();
  const hasComma = comma?.getKind() === SyntaxKind.CommaToken;
  const at = hasComma ? comma.getEnd() : last.getEnd();
  const separator = hasComma ? [] : [insert(at, ',')];
  if (endOfLine(text, at) < close) {
    return [...separator, insert(behindComment(text, at), eol + lines)];
  }
  if (/[\n/]/.test(inside)) {
    return [...separator, insert(close, `${eol}${lines}${eol}${outer}`)];
  }
  // Only the space between items changes: other edits may be inside of them.
  const breaks = items.map((item) => ({
    start: item.getPreviousSibling()?.getEnd() ?? open,
    end: item.getStart(),
    text: eol + inner,
  }));
  return [...breaks, ...separator, { start: at, end: close, text: `${eol}${lines}${eol}${outer}` }];
}

/** One line for each item, without the last line break. */
export function linesOf(
  items: readonly Item[],
  indent: string,
  { eol, hasTrailingCommas }: SourceStyle,
): string {
  return items
    .map(({ code, comment }, i) => {
      const comma = i < items.length - 1 || hasTrailingCommas ? ',' : '';
      return `${indent}${code.replaceAll(eol, eol + indent)}${comma}${comment === undefined ? '' : ` // ${comment}`}`;
    })
    .join(eol);
}

function startsItsLine(text: string, node: Node): boolean {
  return text.slice(text.lastIndexOf('\n', node.getStart() - 1) + 1, node.getStart()).trim() === '';
}

/** The end of the line if only a comment follows in it, and otherwise the position itself. */
export function behindComment(text: string, position: number): number {
  const end = endOfLine(text, position);
  return /^\s*(?:\/\/.*|\/\*[^*]*\*\/\s*)?$/.test(text.slice(position, end)) ? end : position;
}

/** Before the line break. */
function endOfLine(text: string, position: number): number {
  const end = text.indexOf('\n', position);
  return end === -1 ? text.length : text[end - 1] === '\r' ? end - 1 : end;
}
