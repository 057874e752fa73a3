import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings, RouteAccessReport } from 'kit-auth';
import type { DecidedRoute } from 'kit-auth/tools';
import { Ports } from 'kit-auth/feature';
import { ConsoleApplication } from './access/application.js';
import {
  consoleOptions,
  type ConsoleSettings,
  type ResolvedConsoleOptions,
} from './config/console.options.js';
import { KitAuthConsolePageController } from './page/page.controller.js';
import { ConsolePage } from './page/page.js';

/** Checks whether the application can have the page, and prepares it. */
@Injectable()
export class ConsoleStart implements OnApplicationBootstrap {
  private readonly settings: ConsoleSettings;

  constructor(
    @Inject(consoleOptions.token) { settings }: ResolvedConsoleOptions,
    private readonly ports: Ports,
    private readonly report: RouteAccessReport,
    private readonly application: ConsoleApplication,
    private readonly page: ConsolePage,
    private readonly adapterHost: HttpAdapterHost,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {
    this.settings = settings;
  }

  /** All instances exist, and the application has set its prefix. An application without a server has no page. */
  onApplicationBootstrap(): void {
    const { httpAdapter } = this.adapterHost as { httpAdapter?: object | null };
    if (this.core.enabled && httpAdapter) {
      this.run();
    }
  }

  /**
   * @throws IllegalStateException without `kit-auth-browser`, without administrative endpoints, for a path that a route of
   * the application has, for `requireSecondFactor` without second factors, and for catalogs that cannot be used
   */
  private run(): void {
    if (this.ports.filled().transport === undefined) {
      throw new IllegalStateException(
        'KitAuthConsoleModule needs KitAuthBrowserModule of kit-auth-browser, which keeps the tokens of the page in cookies. ' +
          'Import it too.',
      );
    }
    const sections = this.application.sectionsOf(this.application.features);
    if (!Object.values(sections).some((verbs) => verbs.includes('read'))) {
      throw new IllegalStateException(
        'KitAuthConsoleModule found no administrative endpoints. Import a module that has some, such as ' +
          'KitAuthAdminModule of kit-auth-admin.',
      );
    }
    const { requireSecondFactor } = this.settings;
    if (
      requireSecondFactor &&
      !this.application.has('POST login/factor') &&
      !this.application.has('POST login/passkey')
    ) {
      throw new IllegalStateException(
        'kit.auth.console.requireSecondFactor is true, but users cannot have a second factor. Import KitAuthFactorsModule ' +
          'of kit-auth-factors or KitAuthPasskeysModule of kit-auth-passkeys, or remove the option.',
      );
    }
    const routes = this.report.decided();
    const path = this.pathIn(routes);
    const other = routes.find(
      (route) => route.controller !== KitAuthConsolePageController && isAt(route, path),
    );
    if (other !== undefined) {
      throw new IllegalStateException(
        `kit.auth.console.path is ${this.settings.path}, where the application has the route ${other.method} ${other.path}. ` +
          'Choose another path.',
      );
    }
    this.page.prepare(path);
  }

  /** @returns the path of the page, with the global prefix unless the application excludes it */
  private pathIn(routes: readonly DecidedRoute[]): string {
    const [path, below] = routes
      .filter(({ controller }) => controller === KitAuthConsolePageController)
      .map((route) => route.path)
      .sort((a, b) => a.length - b.length) as [string, string];
    if (!below.startsWith(`${path}/`)) {
      throw new IllegalStateException(
        `The page of KitAuthConsoleModule is at ${path}, but its files are at ${below}. Exclude both from the global ` +
          `prefix: '${path.slice(1)}' and what is below it.`,
      );
    }
    return path;
  }
}

/** Routers may ignore case. A route with a parameter in place of the path is none of its own. */
function isAt({ path }: DecidedRoute, own: string): boolean {
  return `${path}/`.toLowerCase().startsWith(`${own}/`.toLowerCase());
}
