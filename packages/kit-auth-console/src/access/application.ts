import { Injectable } from '@nestjs/common';
import { RouteAccessReport } from 'kit-auth';
import { ActiveLogins, type DecidedRoute, NewPasswords } from 'kit-auth/extend';
import { ADMINISTRATIVE, OF_LIVE_LOGINS, OWN } from './endpoints.js';

const API = '/v1/api/auth/';
const CONSOLE = `${API}console`;

/** Features of `kit-auth-admin` whose endpoints `freshAdmin` decides about. */
const DANGEROUS = ['user-delete', 'sessions-end'];

/** What the application can do, as its routes say. Any package may bring an endpoint. */
@Injectable()
export class ConsoleApplication {
  private found: Found | undefined;

  constructor(
    private readonly report: RouteAccessReport,
    private readonly logins: ActiveLogins,
    private readonly passwords: NewPasswords,
  ) {}

  /** Where `v1/api/auth/` begins, with a slash at both ends: `/`, or the global prefix. */
  get root(): string {
    return this.routes.root;
  }

  /** In the order of the tables. */
  get features(): readonly string[] {
    return [...this.routes.byFeature.keys()].filter((feature) => this.isUsable(feature));
  }

  /** Whether dangerous changes need a fresh login: see `freshAdmin` of `kit-auth-admin`. */
  get freshAdmin(): boolean {
    return DANGEROUS.some((feature) =>
      this.ofFeature(feature)?.rule.requirements.some(({ kind }) => kind === 'fresh'),
    );
  }

  has(feature: string): boolean {
    return this.routes.byFeature.has(feature) && this.isUsable(feature);
  }

  /** The permissions that an endpoint needs. None for those of the page's own user. */
  needsOf(feature: string): readonly string[] {
    const route = this.ofFeature(feature);
    return route === undefined ? [] : permissionsOf(route);
  }

  private isUsable(feature: string): boolean {
    return (
      (!OF_LIVE_LOGINS.has(feature) || this.logins.areKnown()) &&
      (feature !== 'user-password' || this.passwords.allowAdminResets())
    );
  }

  private ofFeature(feature: string): DecidedRoute | undefined {
    return this.routes.byFeature.get(feature);
  }

  /** Read when they are needed: an application sets its prefix after this object is made. */
  private get routes(): Found {
    this.found ??= find(this.report.decided().filter(({ ours }) => ours));
    return this.found;
  }
}

interface Found {
  readonly root: string;
  readonly byFeature: ReadonlyMap<string, DecidedRoute>;
}

function find(routes: readonly DecidedRoute[]): Found {
  const own = routes.find(({ path }) => path.endsWith(CONSOLE));
  const root = own === undefined ? '/' : own.path.slice(0, -CONSOLE.length + 1);
  const start = `${root}${API.slice(1)}`;
  const byEndpoint = new Map(
    routes
      .filter(({ path }) => path.startsWith(start))
      .map((route) => [
        `${route.method} ${route.path.slice(start.length).replace(/:\w+/g, '{}').replace(/\/$/, '')}`,
        route,
      ]),
  );
  const administrative = Object.entries(ADMINISTRATIVE).map(
    ([feature, { path }]) => [feature, path] as const,
  );
  const byFeature = new Map(
    [...administrative, ...Object.entries(OWN)].flatMap(([feature, endpoint]) => {
      const route = byEndpoint.get(endpoint);
      return route === undefined ? [] : [[feature, route] as const];
    }),
  );
  return { root, byFeature };
}

function permissionsOf({ rule: { requirements } }: DecidedRoute): string[] {
  return requirements.flatMap((requirement) => (requirement.kind === 'permission' ? requirement.names : []));
}
