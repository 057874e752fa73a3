import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CallExpression, Node, SyntaxKind } from 'ts-morph';
import { localNameIn, parse } from './module-file.js';
import { NotUnderstood } from './not-understood.error.js';

interface RootModule {
  readonly file: string;
  /** Undefined if only its usual name is known. */
  readonly className: string | undefined;
}

const USUAL = ['app.module.ts', 'app/app.module.ts'];

/**
 * The module that an entry file passes to `NestFactory.create()`. If its file is not known, such as behind a barrel, that
 * with the usual name, if it has this module.
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
  const usual = USUAL.map((path) => join(dirname(entry), path)).find(isSource);
  if (Node.isIdentifier(argument)) {
    const className = argument.getText();
    if (source.getClass(className) !== undefined) {
      return { file: entry, className };
    }
    const [named] = source
      .getImportDeclarations()
      .flatMap((one) => one.getNamedImports())
      .filter((one) => (one.getAliasNode() ?? one.getNameNode()).getText() === className);
    const specifier = named?.getImportDeclaration().getModuleSpecifierValue();
    const imported = specifier === undefined ? undefined : resolved(specifier, dirname(entry), root);
    const name = named?.getName() ?? className;
    const file = [imported, usual].find((path) => path !== undefined && declares(path, name)) ?? imported;
    if (file !== undefined) {
      return { file, className: name };
    }
  }
  if (usual === undefined || Node.isIdentifier(argument)) {
    throw new NotUnderstood(
      `${shown} does not say which file has the root module. Name it: --module=<file>#<class>`,
    );
  }
  return { file: usual, className: undefined };
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
  return ['.ts', '.mts', '/index.ts'].map((ending) => base + ending).find(isSource);
}

function declares(file: string, className: string): boolean {
  return parse(readFileSync(file, 'utf8')).getClass(className) !== undefined;
}

function isSource(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
