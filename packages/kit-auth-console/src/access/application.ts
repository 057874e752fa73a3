import { Injectable } from '@nestjs/common';
import { type Grants, hasPermission, RouteAccessReport } from 'kit-auth';
import { ActiveLogins, NewPasswords } from 'kit-auth/login';
import type { DecidedRoute } from 'kit-auth/tools';
import { type EndpointDeclaration, handledBy } from 'kit-auth/feature';
import { type Section, SECTIONS, type Verb, VERBS } from './console.api.js';

/** Endpoints that answer 50100 if the implementation does not know its live logins. */
const OF_LIVE_LOGINS = /^[A-Z]+ (?:users\/\{id\}\/)?sessions(?:\/|$)/;
const ADMIN_RESET = 'POST users/{id}/password';
/** Endpoints of `kit-auth-admin` that need a fresh login unless `freshAdmin` is false. */
const DANGEROUS = ['DELETE users/{id}', 'DELETE users/{id}/sessions'];

interface Endpoint {
  readonly declaration: EndpointDeclaration;
  readonly route: DecidedRoute;
}

/** The endpoints of the application, as their packages declare them. */
@Injectable()
export class ConsoleApplication {
  private found: ReadonlyMap<string, Endpoint> | undefined;

  constructor(
    private readonly report: RouteAccessReport,
    private readonly logins: ActiveLogins,
    private readonly passwords: NewPasswords,
  ) {}

  /** The folder of `v1/api/auth/`, with a slash at both ends: `/`, or the global prefix. */
  get root(): string {
    const path = this.endpoints.get('GET console')?.route.path ?? '/';
    return path.replace(/v1\/api\/auth\/console$/, '');
  }

  /** The keys of the endpoints that can be used. */
  get features(): readonly string[] {
    return [...this.endpoints.keys()].filter((key) => this.isUsable(key));
  }

  /** Dangerous changes need a fresh login: see `freshAdmin` of `kit-auth-admin`. */
  get freshAdmin(): boolean {
    return DANGEROUS.some((key) =>
      this.endpoints.get(key)?.route.rule.requirements.some(({ kind }) => kind === 'fresh'),
    );
  }

  has(key: string): boolean {
    return this.endpoints.has(key) && this.isUsable(key);
  }

  /** The endpoints that a user has the permission for. */
  allowedFor(grants: Grants): readonly string[] {
    return this.features.filter((key) => {
      const permission = this.endpoints.get(key)?.declaration.permission;
      return permission === undefined || hasPermission(grants, permission);
    });
  }

  /** The rights that some of the endpoints give in each section. */
  sectionsOf(keys: readonly string[]): Record<Section, Verb[]> {
    const verbsIn = (section: Section) => {
      const own = keys.filter((key) => this.endpoints.get(key)?.declaration.section === section);
      return VERBS.filter((verb) => own.some((key) => this.verbOf(key) === verb));
    };
    return Object.fromEntries(SECTIONS.map((it) => [it, verbsIn(it)])) as Record<Section, Verb[]>;
  }

  /** The verb of the permission. `GET` reads, whatever the permission is: administrators who invite see the invitations. */
  private verbOf(key: string): string | undefined {
    return key.startsWith('GET ')
      ? 'read'
      : this.endpoints.get(key)?.declaration.permission?.split(':').at(-1);
  }

  private isUsable(key: string): boolean {
    return (
      (!OF_LIVE_LOGINS.test(key) || this.logins.areKnown()) &&
      (key !== ADMIN_RESET || this.passwords.allowAdminResets())
    );
  }

  /** Lazy: the application sets its prefix after it creates this object. */
  private get endpoints(): ReadonlyMap<string, Endpoint> {
    this.found ??= new Map(
      this.report.decided().flatMap((route) => {
        const handled = handledBy(route.controller, route.handler);
        return handled === undefined ? [] : [[handled.key, { declaration: handled.declaration, route }]];
      }),
    );
    return this.found;
  }
}
