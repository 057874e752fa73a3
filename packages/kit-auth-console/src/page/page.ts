import { Inject, Injectable } from '@nestjs/common';
import { ConsoleApplication } from '../access/application.js';
import { tagOf } from '../config/catalogs.js';
import {
  consoleOptions,
  type ConsoleSettings,
  type ResolvedConsoleOptions,
} from '../config/console.options.js';
import { type Asset, type Assets, readAssets } from '../files/assets.js';
import { pageOf } from './html.js';

/** The folder of the files, below the page. */
export const ASSETS = 'assets';

interface Prepared {
  readonly assets: Assets;
  readonly html: (base: string) => string;
  /** The last segment of the path of the page. */
  readonly name: string;
}

/** The page and its files, in memory. */
@Injectable()
export class ConsolePage {
  private readonly settings: ConsoleSettings;
  /** Start-up sets it: routes answer 404 before they need it while `kit.auth.enabled` is false. */
  private prepared!: Prepared;

  constructor(
    @Inject(consoleOptions.token) { settings }: ResolvedConsoleOptions,
    private readonly application: ConsoleApplication,
  ) {
    this.settings = settings;
  }

  /**
   * Reads the files.
   *
   * @param path of the page, with the global prefix
   * @throws IllegalStateException for a catalog of the application that cannot be used
   */
  prepare(path: string): void {
    const { title, home, languages } = this.settings;
    const hasPasskeys = this.application.has('POST login/passkey');
    const assets = readAssets(this.settings, hasPasskeys);
    const { hash, modules } = assets;
    const api = wayTo(this.application.root, path);
    const tags = languages.map(tagOf);
    const html = pageOf({ title, home, languages: tags, hash, modules, hasPasskeys, api });
    this.prepared = { assets, html, name: path.slice(path.lastIndexOf('/') + 1) };
  }

  /** @param url of the request. Loose routing also finds the page with a slash at the end of its path */
  html(url: string): string {
    const { html, name } = this.prepared;
    return html(pathOf(url).endsWith('/') ? './' : `${name}/`);
  }

  /** @returns undefined unless the page links to this URL */
  file(url: string): Asset | undefined {
    const { hash, files } = this.prepared.assets;
    const [folder, given, name = ''] = pathOf(url).split('/').slice(-3);
    return folder === ASSETS && given === hash ? files.get(name) : undefined;
  }
}

/** Undecoded: routers decode. */
function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] as string;
}

/**
 * The way from the base of the page to a folder of the same application. Browsers may know both below another path: a proxy may take
 * off the beginning, or add it.
 *
 * @param path of the page
 * @param folder with a slash at both ends
 */
export function wayTo(folder: string, path: string): string {
  const [from, to] = [path.split('/').slice(1), folder.split('/').slice(1, -1)];
  const shared = from.findIndex((segment, i) => segment !== to[i]);
  const common = shared === -1 ? from.length : shared;
  const down = to.slice(common).map((segment) => `${segment}/`);
  return `${'../'.repeat(from.length - common)}${down.join('')}` || './';
}
