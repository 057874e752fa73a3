import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from '@jest/globals';

const folders: string[] = [];
afterAll(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

/**
 * The folder of an application with built files, for the command line. It is removed after the tests of the file.
 *
 * @param files by their paths. A package.json is added if there is none
 */
export function builtApp(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'kit-auth-app-'));
  folders.push(folder);
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  const all = { 'package.json': '{ "name": "app", "type": "module" }', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Calls decorators as compiled code does. */
export const DECORATE = `
import 'reflect-metadata';
export function decorate(target, ...decorators) {
  decorators.reverse().forEach((it) => it(target));
  return target;
}
export function method(target, name, ...decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(target.prototype, name);
  decorators.reverse().forEach((it) => it(target.prototype, name, descriptor));
}
`;
