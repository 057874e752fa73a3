import { hasPermission, type LoginUser, type RequestedRoute } from 'kit-auth';
import { areKeysAllowed } from '../allow-keys.decorator.js';

/**
 * Whether any key can call a route: the route requires permissions or has `@AllowKeys()`, requires no role and no fresh
 * login, and is not an endpoint of our packages.
 */
export function isOpenToKeys({ controller, handler, requirements, ours }: RequestedRoute): boolean {
  const isForUsers = requirements.some(
    (requirement) =>
      requirement.kind === 'fresh' || (requirement.kind === 'role' && requirement.names.length > 0),
  );
  const asksForPermissions = requirements.some(({ kind }) => kind === 'permission');
  return !ours && !isForUsers && (asksForPermissions || areKeysAllowed(controller, handler));
}

/** The permissions that a route requires and a key lacks. Empty if the key may call the route. */
export function lackingPermissions(
  key: Pick<LoginUser, 'superAdmin' | 'permissions'>,
  { requirements }: Pick<RequestedRoute, 'requirements'>,
): string[] {
  return requirements.flatMap((requirement) => {
    if (requirement.kind !== 'permission') {
      return [];
    }
    const { names, mode } = requirement;
    const lacking = names.filter((name) => !hasPermission(key, name));
    return mode === 'any' && lacking.length < names.length ? [] : lacking;
  });
}
