import type { INestApplication } from '@nestjs/common';
import type { CliProcess, LoadOptions } from '../cli-command.js';
import { findApplication, type FoundApplication } from './find-application.js';
import type { LoadedApplication } from './load-application.js';

/** The application of a command, found and loaded when the command asks for it. */
export class Application {
  private found: FoundApplication | undefined;
  private loading: Promise<LoadedApplication> | undefined;

  /** @param named the names in the common options */
  constructor(
    private readonly cwd: CliProcess['cwd'],
    private readonly named: { readonly module?: string; readonly setup?: string },
  ) {}

  /** @throws CliError that says what was looked for */
  find(): FoundApplication {
    this.found ??= findApplication(this.cwd, this.named);
    return this.found;
  }

  exists(): boolean {
    try {
      this.find();
      return true;
    } catch {
      return false;
    }
  }

  /** @throws CliError when there is none, or it cannot be loaded */
  async load(how: LoadOptions = {}): Promise<INestApplication> {
    const found = this.find();
    this.loading ??= import('./load-application.js').then((loader) => loader.LoadedApplication.load(found));
    const loaded = await this.loading;
    await loaded.start(how);
    return loaded.app;
  }

  /** Hooks that kit-auth needs and that have not run, for example `Database.onModuleInit()`. */
  async hooksLeft(): Promise<string[]> {
    return (await this.loading)?.hooksLeft() ?? [];
  }

  async close(): Promise<void> {
    const loaded = await this.loading?.catch(() => undefined);
    await loaded?.close();
  }
}
