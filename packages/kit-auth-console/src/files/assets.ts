import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tagOf } from '../config/catalogs.js';
import type { ConsoleSettings } from '../config/console.options.js';
import { languageFiles } from './languages.js';
import { PAGE, published } from './packages.js';

/** A file that the page loads. */
export interface Asset {
  readonly type: string;
  readonly content: string;
}

/** The files that the page loads, read once. A request is compared with their names, and opens no file. */
export interface Assets {
  /** Changes with every file, so that browsers may keep the files. */
  readonly hash: string;
  readonly files: ReadonlyMap<string, Asset>;
  /** The modules of the page. */
  readonly modules: readonly string[];
}

/** Characters of base64url, each with 6 bits. */
const HASH_LENGTH = 8;
const SCRIPT = 'text/javascript; charset=utf-8';

/** @param hasPasskeys whether the page logs in with passkeys */
export function readAssets({ languages }: Pick<ConsoleSettings, 'languages'>, hasPasskeys: boolean): Assets {
  const own = readdirSync(PAGE).filter((name) => name.endsWith('.js'));
  const modules = new Map([
    ...own.map((name) => [name, readFileSync(join(PAGE, name), 'utf8')] as const),
    ['client.js', clientOf('kit-auth-browser')],
    ['languages-client.js', clientOf('kit-auth-languages')],
    ...(hasPasskeys ? [['passkeys-client.js', clientOf('kit-auth-passkeys')] as const] : []),
  ]);
  const catalogs = languageFiles(languages);
  const files = new Map<string, Asset>([
    ...[...modules].map(([name, code]) => [name, { type: SCRIPT, content: code }] as const),
    ['page.css', { type: 'text/css; charset=utf-8', content: readFileSync(join(PAGE, 'page.css'), 'utf8') }],
    ...languages.map((language) => {
      const tag = tagOf(language);
      const content = catalogs.get(tag) as string;
      return [`${tag}.json`, { type: 'application/json; charset=utf-8', content }] as const;
    }),
  ]);
  const hash = createHash('sha256')
    .update(JSON.stringify([...files]))
    .digest('base64url');
  return { hash: hash.slice(0, HASH_LENGTH), files, modules: [...modules.keys()] };
}

/** The client of a package, without the address of its source map, which is not served. */
function clientOf(name: string): string {
  return published(name, './client').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
}
