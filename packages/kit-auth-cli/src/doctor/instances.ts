import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundApplication } from '../application/find-application.js';
import { mainSource } from '../application/main-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Files in which PM2 looks for applications. */
const PM2_FILES = ['ecosystem.config', 'pm2.config', 'process', 'pm2'].flatMap((name) =>
  ['js', 'cjs', 'mjs', 'json'].map((ending) => `${name}.${ending}`),
);

/**
 * Why the application probably runs in several processes: what PM2, `WEB_CONCURRENCY`, the scripts of package.json or
 * `node:cluster` say. Undefined where nothing says so, as with several containers or servers, which nobody can see from
 * here.
 */
export function severalProcesses(found: FoundApplication, env: Environment): string | undefined {
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
  if (script !== undefined) {
    return `the script ${script[0]} of package.json asks PM2 for several instances`;
  }
  return /cluster\w*(?:\.default)?\.fork\(/.test(mainSource(found) ?? '')
    ? 'main.js starts workers with node:cluster'
    : undefined;
}
