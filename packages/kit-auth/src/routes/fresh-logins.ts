import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { AUTH_PROVIDER, type AuthProvider } from '../contract/auth-provider.js';

/** Whether the application can require fresh logins, and which endpoints of packages do without. */
@Injectable()
export class FreshLogins {
  private readonly exempt = new Set<object>();

  constructor(private readonly modules: ModulesContainer) {}

  /**
   * Switches `@RequireFresh()` off for controllers of a package. Call it in a constructor, so that every list of routes
   * knows.
   *
   * @example
   * if (!settings.freshAdmin) {
   *   fresh.switchOffFor(KitAuthUserController);
   * }
   */
  switchOffFor(...controllers: readonly object[]): void {
    controllers.forEach((it) => this.exempt.add(it));
  }

  /** Whether tokens tell how the user logged in. Without that, no login is ever fresh. */
  arePossible(): boolean {
    return [...this.modules.values()].some(({ providers }) => {
      const provider = providers.get(AUTH_PROVIDER)?.instance as AuthProvider | undefined;
      return provider?.keepsProof === true;
    });
  }

  /** Whether the requirement applies to a controller of the core or of a package. */
  applyTo(controller: object): boolean {
    return !this.exempt.has(controller) && this.arePossible();
  }
}
