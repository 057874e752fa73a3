import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CallExpression, type ClassDeclaration, Node, type SourceFile, SyntaxKind } from 'ts-morph';
import { isFile } from '../application/installation.js';
import { localNameIn, parse } from './module-file.js';
import { NotUnderstood } from '../cli.error.js';

interface RootModule {
  readonly file: string;
  /** Undefined if only its usual name is known. */
  readonly className: string | undefined;
}

const USUAL = ['app.module.ts', 'app/app.module.ts'];

/**
 * The module that an entry file passes to `NestFactory.create()`. By default, the module with the usual name.
 *
 * @param shown the path of the entry file for messages
 * @param root the folder that imports without dots are relative to
 * @throws NotUnderstood for a dynamic root module
 */
export function rootModuleOf(entry: string, shown: string, root: string): RootModule {
  if (!/\.[cm]?ts$/.test(entry)) {
    throw new NotUnderstood(`${shown} is not TypeScript.`);
  }
  const source = parse(readFileSync(entry, 'utf8'));
  const factory = localNameIn(source, { name: 'NestFactory', from: '@nestjs/core' });
  const creations = source
    .getDescendantsOfKind(SyntaxKind.CallExpression)
    .flatMap((call) => creationOf(call, factory));
  const created = creations.find(({ method }) => method === 'create') ?? creations[0];
  const [argument] = created?.call.getArguments() ?? [];
  if (Node.isCallExpression(argument)) {
    throw new NotUnderstood(
      `${shown} passes ${argument.getText()} to NestFactory, which makes a dynamic module.`,
    );
  }
  const usual = USUAL.map((path) => join(dirname(entry), path)).find(isFile);
  const local = Node.isIdentifier(argument) ? argument.getText() : '';
  if (source.getClass(local) !== undefined) {
    return { file: entry, className: local };
  }
  const imported = importOf(source, local);
  if (imported === undefined && usual !== undefined) {
    return { file: usual, className: undefined };
  }
  const named = imported && resolved(imported.from, dirname(entry), root);
  const files = [named, usual].filter((file) => file !== undefined);
  const file = files.find((one) => classIn(one, imported?.name) !== undefined) ?? named;
  if (file === undefined) {
    throw new NotUnderstood(
      `${shown} does not say which file has the root module. Name it: --module=<file>#<class>.`,
    );
  }
  return { file, className: imported?.name ?? classIn(file, undefined)?.getName() };
}

/** The name is undefined for a default import. */
function importOf(source: SourceFile, local: string): { from: string; name: string | undefined } | undefined {
  for (const declaration of source.getImportDeclarations()) {
    const named = declaration
      .getNamedImports()
      .find((one) => (one.getAliasNode() ?? one.getNameNode()).getText() === local);
    if (named !== undefined || declaration.getDefaultImport()?.getText() === local) {
      return { from: declaration.getModuleSpecifierValue(), name: named?.getName() };
    }
  }
  return undefined;
}

/** `NestFactory.create()`, `NestFactory.createMicroservice()` and the like. */
function creationOf(
  call: CallExpression,
  factory: string | undefined,
): { call: CallExpression; method: string }[] {
  const callee = call.getExpression();
  if (!Node.isPropertyAccessExpression(callee) || callee.getExpression().getText() !== factory) {
    return [];
  }
  const method = callee.getName();
  return method.startsWith('create') ? [{ call, method }] : [];
}

function resolved(specifier: string, folder: string, root: string): string | undefined {
  const base = join(specifier.startsWith('.') ? folder : root, specifier).replace(/\.([cm]?)[jt]s$/, '');
  return ['.ts', '.mts', '/index.ts'].map((ending) => base + ending).find(isFile);
}

/** @param name undefined for the default export */
function classIn(file: string, name: string | undefined): ClassDeclaration | undefined {
  return parse(readFileSync(file, 'utf8'))
    .getClasses()
    .find((one) => (name === undefined ? one.isDefaultExport() : one.getName() === name));
}
