import { autoLoadEdits, fileLoadsEntities } from './entity-loading.js';
import { ModuleFile } from './module-file.js';
import { NotUnderstood } from '../cli.error.js';
import {
  append,
  apply,
  behindComment,
  type Edit,
  indentAt,
  insert,
  linesOf,
  styled,
  styleOf,
  type SourceStyle,
} from './text-edits.js';
import { CORE, EXTRAS, IMPLEMENTATIONS, TYPEORM, type WantedModule } from './wanted.js';

/** A package: not a path, nor an alias like `~/` and `src/`. */
const PACKAGE = /^(?!src\/)(?:@[\w.-]+\/|\w)/;

/** A change of a file. It is not written yet. */
export interface ModuleChange {
  /** The new text. The same as the old one if there is nothing to do. */
  readonly text: string;
  /** The package of the implementation that was replaced. */
  readonly replaced: string | undefined;
  /** The options of TypeORM are elsewhere, so users have to add `autoLoadEntities` themselves. */
  readonly needsAutoLoad: boolean;
}

/**
 * Adds modules to the list `imports` of a module, and imports of their packages. Existing modules stay, except
 * the other implementation.
 *
 * @param file the path for messages, and the name of the class
 * @throws NotUnderstood
 */
export function editModule(
  text: string,
  { shown, className }: { readonly shown: string; readonly className?: string | undefined },
  wanted: readonly WantedModule[],
): ModuleChange {
  const change = changeOf(ModuleFile.parse(text, shown, className), wanted);
  // The result has to be understood, and a second run must have nothing to do.
  const again = changeOf(ModuleFile.parse(change.text, shown, className), wanted);
  if (again.text !== change.text) {
    throw new NotUnderstood(`${shown} has a form that cannot be changed without risk.`);
  }
  return change;
}

function changeOf(file: ModuleFile, wanted: readonly WantedModule[]): ModuleChange {
  const style = styleOf(file.source, file.metadata);
  const all = [CORE, ...Object.values(IMPLEMENTATIONS), ...Object.values(EXTRAS)];
  all.forEach((imported) => file.requireSimple(imported));
  const [replaced, swaps] = swap(file, wanted, style);
  const added = wanted.filter(
    (module) => file.modules(module).length === 0 && !(replaced !== undefined && isImplementation(module)),
  );
  const edits = [
    ...swaps,
    ...importEdits(file, added, style),
    ...elementEdits(file, added, style),
    ...autoLoadEdits(file, style),
  ];
  return {
    text: apply(file.source.getFullText(), edits),
    replaced,
    needsAutoLoad: !added.some(({ name }) => name === TYPEORM.name) && !fileLoadsEntities(file),
  };
}

function isImplementation({ name }: { readonly name: string }): boolean {
  return Object.values(IMPLEMENTATIONS).some((one) => one.name === name);
}

/** Replaces the other implementation. */
function swap(
  file: ModuleFile,
  wanted: readonly WantedModule[],
  style: SourceStyle,
): [replaced: string | undefined, edits: Edit[]] {
  const chosen = wanted.find(isImplementation);
  const other = Object.values(IMPLEMENTATIONS).find(
    (one) => one.name !== chosen?.name && file.modules(one).length > 0,
  );
  if (chosen === undefined || other === undefined) {
    return [undefined, []];
  }
  const [module] = file.modules(other);
  const declaration = file.declarationOf(other.from);
  const isPlain =
    module?.method === undefined &&
    declaration?.getNamedImports().length === 1 &&
    declaration.getDefaultImport() === undefined &&
    file.modules(chosen).length === 0;
  const { refresh } = EXTRAS;
  if (chosen.name === IMPLEMENTATIONS.sessions.name && file.modules(refresh).length > 0) {
    throw new NotUnderstood(
      `${file.shown} imports ${refresh.name}, which does not work with ${chosen.name}. Remove it first.`,
    );
  }
  if (!isPlain || module === undefined) {
    throw new NotUnderstood(
      `${file.shown} imports ${other.name} with options, which ${chosen.name} does not have. Replace it yourself.`,
    );
  }
  const line = importLine(chosen, style);
  file.requireFree(chosen);
  return [
    other.from,
    [
      { start: module.node.getStart(), end: module.node.getEnd(), text: chosen.name },
      { start: declaration.getStart(), end: declaration.getEnd(), text: line },
    ],
  ];
}

function importLine(
  { name, from }: { readonly name: string; readonly from: string },
  { quote, semicolon, space }: SourceStyle,
): string {
  return `import {${space}${name}${space}} from ${quote}${from}${quote}${semicolon}`;
}

/** Imports come after the last import of a package, so that imports of the application stay together. */
function importEdits(file: ModuleFile, added: readonly WantedModule[], style: SourceStyle): Edit[] {
  const missing = added.filter((module) => file.localNameOf(module) === undefined);
  missing.forEach((module) => file.requireFree(module));
  const edits: Edit[] = [];
  const lines: string[] = [];
  for (const module of missing) {
    const last = file.declarationOf(module.from)?.getNamedImports().at(-1);
    if (last === undefined) {
      lines.push(importLine(module, style));
    } else {
      edits.push(insert(last.getEnd(), `, ${module.name}`));
    }
  }
  const declarations = file.source.getImportDeclarations();
  const anchor =
    declarations.filter((one) => PACKAGE.test(one.getModuleSpecifierValue())).at(-1) ?? declarations.at(-1);
  if (lines.length > 0 && anchor !== undefined) {
    const at = behindComment(file.source.getFullText(), anchor.getEnd());
    edits.push(insert(at, style.eol + lines.join(style.eol)));
  }
  return edits;
}

function elementEdits(file: ModuleFile, modules: readonly WantedModule[], style: SourceStyle): Edit[] {
  if (modules.length === 0) {
    return [];
  }
  const items = modules.map(({ code, comment }) => ({ code: styled(code, style), comment }));
  if (file.imports !== undefined) {
    return append({ node: file.imports, items: file.imports.getElements() }, items, style);
  }
  const { metadata, source } = file;
  const text = source.getFullText();
  const { eol, indent, hasTrailingCommas } = style;
  const list = `imports: [${eol}${linesOf(items, indent, style)}${eol}]`;
  const properties = metadata.getProperties();
  const [first] = properties;
  if (first === undefined) {
    return append({ node: metadata, items: [] }, [{ code: list }], style);
  }
  const outer = indentAt(text, metadata.getStart());
  const isOneLine = first.getStartLineNumber() === metadata.getStartLineNumber();
  const inner = isOneLine ? outer + indent : indentAt(text, first.getStart());
  const added = `${eol}${inner}${list.replaceAll(eol, eol + inner)},`;
  const [open, close] = [metadata.getStart() + 1, metadata.getEnd() - 1];
  const inside = text.slice(open, close);
  if (/[\n/]/.test(inside)) {
    const end = open + inside.length - inside.trimStart().length;
    return [{ start: open, end, text: added + eol + inner }];
  }
  const others = properties.map((property) => `${inner}${property.getText()}`).join(`,${eol}`);
  const end = `${hasTrailingCommas ? ',' : ''}${eol}${outer}`;
  return [{ start: open, end: close, text: added + eol + others + end }];
}
