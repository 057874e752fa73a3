import {
  type ArrayLiteralExpression,
  type ClassDeclaration,
  type Decorator,
  type Identifier,
  type ImportDeclaration,
  type MethodDeclaration,
  Node,
  type ObjectLiteralExpression,
  Project,
  type SourceFile,
  SyntaxKind,
} from 'ts-morph';
import { NotUnderstood } from '../cli.error.js';

/** A class that a file imports. */
export interface Imported {
  readonly name: string;
  readonly from: string;
}

/** A module in the list `imports`. */
export interface ImportedModule {
  readonly node: Node;
  /** The identifier of the class. */
  readonly identifier: Identifier;
  /** For example `forRoot`. Undefined for the class itself. */
  readonly method: string | undefined;
  readonly args: readonly Node[];
}

/** The file of the application's root module. */
export class ModuleFile {
  private constructor(
    readonly source: SourceFile,
    readonly shown: string,
    readonly metadata: ObjectLiteralExpression,
    /** Undefined if `@Module()` has no `imports`. */
    readonly imports: ArrayLiteralExpression | undefined,
  ) {}

  /**
   * @param text without a byte order mark
   * @param shown the path for messages
   * @param className the class; needed only if the file has several modules
   * @throws NotUnderstood
   */
  static parse(text: string, shown: string, className?: string): ModuleFile {
    const source = parse(text);
    const [problem] = source.getProject().getProgram().getSyntacticDiagnostics(source);
    if (problem !== undefined) {
      throw new NotUnderstood(`${shown}, line ${problem.getLineNumber()}, has a syntax error.`);
    }
    const { type, decorator } = moduleIn(source, shown, className);
    const name = type.getName() ?? 'the module';
    if (type.getStaticMethods().some(makesModule)) {
      throw new NotUnderstood(`${shown}: ${name} has a method that makes a dynamic module.`);
    }
    const [metadata, ...others] = decorator.getArguments();
    if (!Node.isObjectLiteralExpression(metadata) || others.length > 0) {
      throw new NotUnderstood(`${shown}: the argument of @Module() is not an object literal.`);
    }
    if (metadata.getProperties().some((property) => Node.isSpreadAssignment(property))) {
      throw new NotUnderstood(
        `${shown}: @Module() has the spread of another object, which may have imports.`,
      );
    }
    return new ModuleFile(source, shown, metadata, importsOf(metadata, shown));
  }

  /** The modules of `imports` that are a class of a package, or the result of its method `forRoot` or `forRootAsync`. */
  modules({ name, from }: Imported): ImportedModule[] {
    const local = this.localNameOf({ name, from });
    return (this.imports?.getElements() ?? []).flatMap((node) => {
      const call = Node.isCallExpression(node) ? node : undefined;
      const callee = call?.getExpression();
      const root = Node.isPropertyAccessExpression(callee) ? callee.getExpression() : node;
      const method = Node.isPropertyAccessExpression(callee) ? callee.getName() : undefined;
      const isRoot = method === undefined || /^forRoot(?:Async)?$/.test(method);
      return isRoot && Node.isIdentifier(root) && root.getText() === local
        ? [{ node, identifier: root, method, args: call?.getArguments() ?? [] }]
        : [];
    });
  }

  /** @throws NotUnderstood if a class is used outside of the list `imports`, or twice in it */
  requireSimple(imported: Imported): void {
    const local = this.localNameOf(imported);
    if (local === undefined) {
      return;
    }
    const modules = this.modules(imported);
    const uses = this.source
      .getDescendantsOfKind(SyntaxKind.Identifier)
      .filter(
        (node) =>
          node.getText() === local && node.getFirstAncestorByKind(SyntaxKind.ImportDeclaration) === undefined,
      );
    if (modules.length > 1 || uses.some((use) => !modules.some(({ identifier }) => identifier === use))) {
      throw new NotUnderstood(
        `${this.shown} uses ${imported.name} in another way than as one element of imports.`,
      );
    }
  }

  /** The import of a package with names in braces. Imports of types do not count. */
  declarationOf(from: string): ImportDeclaration | undefined {
    return this.source
      .getImportDeclarations()
      .find(
        (declaration) =>
          declaration.getModuleSpecifierValue() === from &&
          !declaration.isTypeOnly() &&
          declaration.getNamedImports().length > 0,
      );
  }

  localNameOf(imported: Imported): string | undefined {
    return localNameIn(this.source, imported);
  }

  /** @throws NotUnderstood if the file has another meaning for the name of a class that it will import */
  requireFree({ name }: Imported): void {
    if (this.source.getDescendantsOfKind(SyntaxKind.Identifier).some((node) => node.getText() === name)) {
      throw new NotUnderstood(`${this.shown} uses the name ${name} for something else.`);
    }
  }
}

/** Parses a file, without the files that it imports. */
export function parse(text: string): SourceFile {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  return project.createSourceFile('/source.ts', text);
}

export function localNameIn(source: SourceFile, { name, from }: Imported): string | undefined {
  for (const declaration of source.getImportDeclarations()) {
    const named = declaration.getNamedImports().find((one) => one.getName() === name);
    const isType = declaration.isTypeOnly() || named?.isTypeOnly() === true;
    if (named !== undefined && !isType && declaration.getModuleSpecifierValue() === from) {
      return named.getAliasNode()?.getText() ?? name;
    }
  }
  return undefined;
}

function moduleIn(source: SourceFile, shown: string, className: string | undefined) {
  const decoratorName = localNameIn(source, { name: 'Module', from: '@nestjs/common' });
  const found = source.getClasses().flatMap((type): { type: ClassDeclaration; decorator: Decorator }[] => {
    const decorator = type.getDecorators().find((one) => one.getName() === decoratorName);
    return decorator === undefined ? [] : [{ type, decorator }];
  });
  const named = found.filter(({ type }) => type.getName() === className);
  const [one, ...others] = named.length > 0 ? named : className === undefined ? found : [];
  if (one === undefined) {
    const what = className === undefined ? 'no class' : `no class ${className}`;
    throw new NotUnderstood(`${shown} has ${what} with the decorator @Module() of @nestjs/common.`);
  }
  if (others.length > 0) {
    const names = found.map(({ type }) => type.getName() ?? '').join(', ');
    throw new NotUnderstood(`${shown} has several modules: ${names}. Name one: --module=${shown}#<name>`);
  }
  return one;
}

function importsOf(metadata: ObjectLiteralExpression, shown: string): ArrayLiteralExpression | undefined {
  const property = metadata
    .getProperties()
    .find((one) => !Node.isSpreadAssignment(one) && /^\[?['"]?imports['"]?\]?$/.test(one.getName()));
  const value = Node.isPropertyAssignment(property) ? property.getInitializer() : undefined;
  if (property !== undefined && !Node.isArrayLiteralExpression(value)) {
    throw new NotUnderstood(`${shown}: the imports of @Module() are not an array literal.`);
  }
  return Node.isArrayLiteralExpression(value) ? value : undefined;
}

/** A static method that returns a dynamic module of its class. */
function makesModule(method: MethodDeclaration): boolean {
  const returned = method.getReturnTypeNode()?.getText() ?? '';
  return (
    /\bDynamicModule\b/.test(returned) ||
    method
      .getDescendantsOfKind(SyntaxKind.PropertyAssignment)
      .some((property) => property.getName() === 'module')
  );
}
