import { hasPermission, type LoginUser, type RouteAccess } from 'kit-auth';

type Requirement = NonNullable<RouteAccess['requires']>[number];

/** A route to try, and whether the user has the roles and permissions that it requires. */
export interface TriedRoute extends Omit<RouteAccess, 'requires'> {
  /** `isMet` is undefined for what only a request shows: policies, and the age of a login. */
  requires: (Requirement & { isMet: boolean | undefined })[];
}

/** The API of the demo, without that of kit-auth and without what the page itself consists of. */
const API = /^\/v\d+\/(?!api\/auth\/|this-login\/)/;

/** The routes that a click can try: they change nothing, and need no parameters. */
export function triedRoutes(routes: readonly RouteAccess[], user: LoginUser): TriedRoute[] {
  return routes
    .filter(({ method, path }) => method === 'GET' && API.test(path) && !path.includes(':'))
    .map((route) => ({
      ...route,
      requires: (route.requires ?? []).map((required) => ({ ...required, isMet: isMet(required, user) })),
    }));
}

function isMet(required: Requirement, user: LoginUser): boolean | undefined {
  switch (required.kind) {
    case 'role':
      return user.superAdmin || hasEnough(required, (name) => user.roles.includes(name));
    case 'permission':
      return hasEnough(required, (name) => hasPermission(user, name));
    default:
      return undefined;
  }
}

function hasEnough(
  { names, mode }: { names: string[]; mode: 'all' | 'any' },
  has: (name: string) => boolean,
): boolean {
  return mode === 'any' ? names.some(has) : names.every(has);
}
