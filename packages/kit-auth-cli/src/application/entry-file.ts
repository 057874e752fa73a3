import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import type { FoundApplication } from './find-application.js';

/** The file that starts the application. Commands read it as text, and do not run it. */
export interface EntryFile {
  /** Relative to the folder of package.json. */
  readonly shown: string;
  /** The source of the name, such as `the script start:prod`. Undefined for the default of Nest. */
  readonly namedBy: string | undefined;
  /** Undefined if there is no such file. */
  readonly source: string | undefined;
}

interface NestCli {
  readonly entryFile?: string;
  readonly sourceRoot?: string;
  readonly monorepo?: boolean;
}

interface Candidate {
  readonly files: readonly string[];
  readonly namedBy: string | undefined;
}

const BUILT = /^(?:\.\/)?(?:dist|build|out)\//;
const CALLS_THAT_CHANGE_PATHS = ['setGlobalPrefix', 'enableVersioning'] as const;

/**
 * The entry file of the application: the first existing candidate; otherwise the first one that a script or setting
 * names.
 */
export function entryFileOf(found: FoundApplication): EntryFile {
  const candidates = candidatesOf(found);
  const shown = (file: string) => relative(found.root, file);
  for (const { files, namedBy } of candidates) {
    const file = files.find((path) => existsSync(path) && statSync(path).isFile());
    if (file !== undefined) {
      return { shown: shown(file), namedBy, source: readFileSync(file, 'utf8') };
    }
  }
  const [{ files, namedBy }] = candidates as [Candidate];
  return { shown: shown(files[0] as string), namedBy, source: undefined };
}

/** In the order of precedence. The last one is the default of Nest. */
function candidatesOf({ root, manifest, module }: FoundApplication): Candidate[] {
  const { entryFile, sourceRoot = 'src', monorepo = false } = nestCliOf(root);
  const dist = join(root, 'dist');
  const folders = [dirname(module.file), dirname(dirname(module.file)), dist, join(dist, sourceRoot)];
  const builtAs = (name: string) => [
    join(dist, `${name}.js`),
    ...folders.map((folder) => join(folder, `${name}.js`)),
  ];
  const { scripts = {}, main } = manifest;
  // The scripts of a monorepo start one of its applications, perhaps another one.
  const started = (monorepo ? [] : ['start:prod', 'start']).flatMap((name) => {
    const path = startedBy(scripts[name]);
    return path === undefined ? [] : { files: filesOf(root, path), namedBy: `the script ${name}` };
  });
  return [
    ...started,
    ...(entryFile === undefined ? [] : [{ files: builtAs(entryFile), namedBy: 'nest-cli.json' }]),
    ...(main !== undefined && BUILT.test(main)
      ? [{ files: filesOf(root, main), namedBy: '"main" of package.json' }]
      : []),
    { files: [...folders.map((folder) => join(folder, 'main.js'))], namedBy: undefined },
  ];
}

/** The built file that a script passes to Node, as in `node --enable-source-maps dist/main`. */
function startedBy(script = ''): string | undefined {
  const [, args = ''] = /\bnode\s+(.*)/.exec(script) ?? [];
  return args.split(/\s+/).find((arg) => BUILT.test(arg));
}

/** The files that Node tries for a path. */
function filesOf(root: string, path: string): string[] {
  const file = join(root, path);
  return /\.[cm]?js$/.test(file) ? [file] : [`${file}.js`, join(file, 'index.js')];
}

function nestCliOf(root: string): NestCli {
  try {
    return JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8')) as NestCli;
  } catch {
    return {};
  }
}

/**
 * Calls in the entry file that change the paths of routes. Commands do not run this file, so without a setup function
 * they may see other paths than requests do.
 */
export function pathChangesIn(found: FoundApplication): { file: EntryFile; calls: string[] } {
  const file = entryFileOf(found);
  const source = found.setup === undefined ? file.source : undefined;
  const names = CALLS_THAT_CHANGE_PATHS.filter((name) => source?.includes(`.${name}(`));
  return { file, calls: names.map((name) => `app.${name}()`) };
}

/** Notes for commands that show access. They say why requests may get other answers. */
export function accessNotes(found: FoundApplication, app: INestApplication): string[] {
  const settings = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS, { strict: false });
  const notes = settings.enabled
    ? []
    : ['Note: kit.auth.enabled is false, so no request is checked. This is what applies when it is true.'];
  const { file, calls } = pathChangesIn(found);
  if (calls.length > 0) {
    notes.push(
      `Note: ${file.shown} may call ${calls.join(' and ')}, which commands do not run: the paths and decisions shown may be wrong.\n` +
        `Move these calls to a function that ${file.shown} calls too, and name it in package.json:\n` +
        '  "kit-auth": { "setup": "dist/setup-app.js#setupApp" }',
    );
  } else if (found.setup === undefined && file.source === undefined && file.namedBy !== undefined) {
    notes.push(
      `Note: there is no file ${file.shown}, which ${file.namedBy} names. If the file that starts the application calls ` +
        'app.setGlobalPrefix() or app.enableVersioning(), the paths and decisions shown may be wrong.',
    );
  }
  return notes;
}
