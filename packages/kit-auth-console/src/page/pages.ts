import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { ConsoleApplication } from '../access/application.js';
import { tagOf } from '../config/catalogs.js';
import {
  consoleOptions,
  type ConsoleSettings,
  type ResolvedConsoleOptions,
} from '../config/console.options.js';
import { type Assets, readAssets } from '../files/assets.js';
import { FOREVER, type PlatformAnswer, secure } from './headers.js';
import { pageOf } from './html.js';
import { baseOf, segmentsBelow, wayTo } from './place.js';

const ASSETS = 'assets';
const HTML = 'text/html; charset=utf-8';

/** A request of Express or Fastify. */
export interface PlatformRequest {
  readonly url: string;
}

interface Prepared {
  /** Of the page, as it is registered. */
  readonly path: string;
  readonly assets: Assets;
  readonly page: (base: string) => string;
}

/** Answers requests for the page and its files from memory. */
@Injectable()
export class ConsolePages {
  private readonly settings: ConsoleSettings;
  private prepared: Prepared | undefined;

  constructor(
    @Inject(consoleOptions.token) { settings }: ResolvedConsoleOptions,
    private readonly application: ConsoleApplication,
  ) {
    this.settings = settings;
  }

  /** Reads the files. @throws IllegalStateException for a catalog of the application that cannot be used */
  prepare(path: string): void {
    const { title, home, languages } = this.settings;
    const hasPasskeys = this.application.has('login-passkey');
    const assets = readAssets(this.settings, hasPasskeys);
    const { hash, modules } = assets;
    const page = pageOf({
      title,
      home,
      languages: languages.map(tagOf),
      hash,
      modules,
      hasPasskeys,
      api: wayTo(this.application.root, path),
    });
    this.prepared = { path, assets, page };
  }

  /** @throws NotFoundException for a file that is not in the list, and for a URL that no link of the page leads to */
  answer({ url }: PlatformRequest, answer: PlatformAnswer): void {
    secure(answer);
    // Start-up has prepared it: routes answer 404 before this while `kit.auth.enabled` is false.
    const { path, assets, page } = this.prepared as Prepared;
    const segments = segmentsBelow(url, path);
    if (segments === undefined) {
      throw new NotFoundException();
    }
    if (segments[0] === ASSETS) {
      const [, hash, name = '', ...rest] = segments;
      const file = hash === assets.hash && rest.length === 0 ? assets.files.get(name) : undefined;
      if (file === undefined) {
        throw new NotFoundException();
      }
      answer.header('Cache-Control', FOREVER);
      answer.header('Content-Type', file.type);
      answer.send(file.content);
      return;
    }
    const base = baseOf(segments, path);
    // The page writes the dots of names in its URLs differently, so a dot means a file, which does not exist.
    if (base === undefined || segments.at(-1)?.includes('.') === true) {
      throw new NotFoundException();
    }
    answer.header('Content-Type', HTML);
    answer.send(page(base));
  }
}
