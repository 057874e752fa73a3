import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundApplication } from '../application/find-application.js';
import { entryFileOf } from '../application/entry-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Files in which PM2 looks for applications. */
const PM2_FILES = ['ecosystem.config', 'pm2.config', 'process', 'pm2'].flatMap((name) =>
  ['js', 'cjs', 'mjs', 'json'].map((ending) => `${name}.${ending}`),
);

export interface SeveralProcesses {
  /** The second half of a sentence. */
  readonly because: string;
  /** Whether the reason comes from a file that doctor only reads. */
  readonly isAssumed: boolean;
}

/**
 * Why the application probably runs in several processes: `WEB_CONCURRENCY`, PM2, the scripts of package.json or
 * `node:cluster`. Undefined if none of them says so. It cannot detect several containers or servers.
 */
export function severalProcesses(found: FoundApplication, env: Environment): SeveralProcesses | undefined {
  const because = configured(found, env);
  if (because !== undefined) {
    return { because, isAssumed: false };
  }
  const { shown, source = '' } = entryFileOf(found);
  return /cluster\w*(?:\.default)?\.fork\(/.test(source)
    ? { because: `${shown} may start workers with node:cluster`, isAssumed: true }
    : undefined;
}

function configured(found: FoundApplication, env: Environment): string | undefined {
  if (Number(env['WEB_CONCURRENCY']) > 1) {
    return `WEB_CONCURRENCY is ${env['WEB_CONCURRENCY']}`;
  }
  const file = PM2_FILES.find((name) => {
    const path = join(found.root, name);
    return existsSync(path) && /\binstances['"]?\s*:(?!\s*['"]?1\b)/.test(readFileSync(path, 'utf8'));
  });
  if (file !== undefined) {
    return `${file} asks PM2 for several instances`;
  }
  const scripts = Object.entries(found.manifest.scripts ?? {});
  const script = scripts.find(([, text]) => /\bpm2\b.*\s(?:-i|--instances)\b(?![ =]*1\b)/.test(text));
  return script && `the script ${script[0]} of package.json asks PM2 for several instances`;
}
