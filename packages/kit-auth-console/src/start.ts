import { Inject, Injectable } from '@nestjs/common';
import { IllegalStateException, RouteAccessReport } from 'kit-auth';
import { type DecidedRoute, Ports } from 'kit-auth/extend';
import { ConsoleApplication } from './access/application.js';
import { ADMINISTRATIVE } from './access/endpoints.js';
import {
  consoleOptions,
  type ConsoleSettings,
  type ResolvedConsoleOptions,
} from './config/console.options.js';
import { KitAuthConsoleExpressController, KitAuthConsoleFastifyController } from './page/page.controllers.js';
import { ConsolePages } from './page/pages.js';

const CONTROLLERS: readonly object[] = [KitAuthConsoleExpressController, KitAuthConsoleFastifyController];

/** Checks whether the application can have the page, and prepares it. */
@Injectable()
export class ConsoleStart {
  private readonly settings: ConsoleSettings;

  constructor(
    @Inject(consoleOptions.token) { settings }: ResolvedConsoleOptions,
    private readonly ports: Ports,
    private readonly report: RouteAccessReport,
    private readonly application: ConsoleApplication,
    private readonly pages: ConsolePages,
  ) {
    this.settings = settings;
  }

  /**
   * @throws IllegalStateException without `kit-auth-browser`, without administrative endpoints, for a path that a route of
   * the application has, for `requireSecondFactor` without second factors, for catalogs that cannot be used, and when the
   * module is imported twice
   */
  run(): void {
    if (this.ports.filled().transport === undefined) {
      throw new IllegalStateException(
        'KitAuthConsoleModule needs KitAuthBrowserModule of kit-auth-browser, which keeps the tokens of the page in cookies. ' +
          'Import it too.',
      );
    }
    if (!this.application.features.some((feature) => ADMINISTRATIVE[feature]?.verb === 'read')) {
      throw new IllegalStateException(
        'KitAuthConsoleModule found no administrative endpoints. Import a module that has some, such as ' +
          'KitAuthAdminModule of kit-auth-admin.',
      );
    }
    const { requireSecondFactor } = this.settings;
    if (
      requireSecondFactor &&
      !this.application.has('login-factor') &&
      !this.application.has('login-passkey')
    ) {
      throw new IllegalStateException(
        'kit.auth.console.requireSecondFactor is true, but users cannot have a second factor. Import KitAuthFactorsModule ' +
          'of kit-auth-factors or KitAuthPasskeysModule of kit-auth-passkeys, or remove the option.',
      );
    }
    const routes = this.report.decided();
    const path = this.pathIn(routes);
    const other = routes.find((route) => !CONTROLLERS.includes(route.controller) && isAt(route, path));
    if (other !== undefined) {
      throw new IllegalStateException(
        `kit.auth.console.path is ${this.settings.path}, where the application has the route ${other.method} ${other.path}. ` +
          'Choose another path.',
      );
    }
    this.pages.prepare(path);
  }

  /** With the global prefix, unless the application excludes the path from it. */
  private pathIn(routes: readonly DecidedRoute[]): string {
    const own = routes.filter(({ controller }) => CONTROLLERS.includes(controller)).map(({ path }) => path);
    const [path, below] = own.sort((a, b) => a.length - b.length) as [string, string];
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
