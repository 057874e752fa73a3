import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import type { FoundApplication } from './find-application.js';

/** Calls that change the paths of routes. */
const OF_PATHS = ['setGlobalPrefix', 'enableVersioning'] as const;

/** The text of the application's `main.js`, which commands do not run. Undefined where it is not found. */
export function mainSource({ module, root }: FoundApplication): string | undefined {
  const file = [dirname(module.file), dirname(dirname(module.file)), join(root, 'dist')]
    .map((folder) => join(folder, 'main.js'))
    .find((it) => existsSync(it));
  return file === undefined ? undefined : readFileSync(file, 'utf8');
}

/**
 * Calls in the `main.js` of the application that change the paths of its routes. Commands do not run this file, so
 * without a setup function they see other paths than requests do.
 */
export function callsOnlyInMain(found: FoundApplication): string[] {
  const source = found.setup === undefined ? mainSource(found) : undefined;
  return OF_PATHS.filter((name) => source?.includes(`.${name}(`)).map((name) => `app.${name}()`);
}

/** What a command that shows who may call what tells the user: why that may not be what a request gets. */
export function accessNotes(found: FoundApplication, app: INestApplication): string[] {
  const calls = callsOnlyInMain(found);
  const settings = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS, { strict: false });
  return [
    ...(settings.enabled
      ? []
      : ['Note: kit.auth.enabled is false, so no request is checked. This is what applies when it is true.']),
    ...(calls.length === 0
      ? []
      : [
          `Note: main.js calls ${calls.join(' and ')}, which commands do not run: the paths and decisions shown may be wrong.\n` +
            'Move these calls to a function that main.js calls too, and name it in package.json:\n' +
            '  "kit-auth": { "setup": "dist/setup-app.js#setupApp" }',
        ]),
  ];
}
