import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import type { FoundApplication } from './find-application.js';
import { isFile } from './installation.js';

/** The file that starts the application. Commands search its text, and do not run it. */
export interface EntryFile {
  /** Relative to the folder of package.json. */
  readonly shown: string;
  readonly source: string;
}

/** Calls in the entry file that change the paths of routes. */
export interface PathChanges {
  readonly shown: string;
  /** For example `app.setGlobalPrefix()`. */
  readonly calls: readonly string[];
}

const CALLS = ['setGlobalPrefix', 'enableVersioning'];

/** The file `main` beside the root module, or in the folder above. */
export function entryFileOf({ root, module }: FoundApplication): EntryFile | undefined {
  const folder = dirname(module.file);
  const file = [folder, dirname(folder)]
    .flatMap((path) => ['main.js', 'main.ts'].map((name) => join(path, name)))
    .find(isFile);
  return file === undefined ? undefined : { shown: relative(root, file), source: readFileSync(file, 'utf8') };
}

/** Without a setup function, commands may see other paths than requests do. */
export function pathChangesIn(found: FoundApplication): PathChanges | undefined {
  const file = found.setup === undefined ? entryFileOf(found) : undefined;
  const names = CALLS.filter((name) => file?.source.includes(`.${name}(`));
  return file === undefined || names.length === 0
    ? undefined
    : { shown: file.shown, calls: names.map((name) => `app.${name}()`) };
}

/** Notes for commands that show access: why requests may get other answers. */
export function accessNotes(found: FoundApplication, app: INestApplication): string[] {
  const { enabled } = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS, { strict: false });
  const changes = pathChangesIn(found);
  return [
    ...(enabled
      ? []
      : ['Note: kit.auth.enabled is false, so no request is checked. This is what applies when it is true.']),
    ...(changes === undefined
      ? []
      : [
          `Note: ${changes.shown} may call ${changes.calls.join(' and ')}, which commands do not run: the paths and decisions shown may be wrong.\n` +
            `Move these calls to a function that ${changes.shown} calls too, and name it in package.json:\n` +
            '  "kit-auth": { "setup": "dist/setup-app.js#setupApp" }',
        ]),
  ];
}
