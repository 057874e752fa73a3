import { hasPermission, isPermission, type LoginUser } from 'kit-auth';

const MAX_ABILITIES = 50;

type Grants = Pick<LoginUser, 'superAdmin' | 'permissions'>;

/**
 * The abilities of a new key, without duplicates.
 *
 * @returns undefined unless the value is a list of 1 to 50 permissions
 */
export function readAbilities(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ABILITIES) {
    return undefined;
  }
  return value.every(isPermission) ? [...new Set(value)] : undefined;
}

/** The abilities that a user cannot give to a key. */
export function abilitiesBeyond(owner: Grants, abilities: readonly string[]): string[] {
  return abilities.filter((ability) => !hasPermission(owner, ability));
}

/** The permissions of a key: those that both its abilities and its owner grant. */
export function permissionsOfKey(abilities: readonly string[], owner: Grants): string[] {
  if (owner.superAdmin) {
    return [...abilities];
  }
  const shared = abilities.flatMap((ability) =>
    hasPermission(owner, ability)
      ? [ability]
      : owner.permissions.flatMap((permission) => meet(ability, permission) ?? []),
  );
  return [...new Set(shared)];
}

/**
 * The permission that grants what two permissions have in common, for example `note:read` for `note:*` and `*:read`.
 *
 * @returns undefined when they have nothing in common
 */
export function meet(a: string, b: string): string | undefined {
  const [short, long] = [a.split(':'), b.split(':')].sort((x, y) => x.length - y.length) as [
    string[],
    string[],
  ];
  if (short.length < long.length && short.at(-1) !== '*') {
    return undefined;
  }
  const segments: string[] = [];
  for (const [i, segment] of long.entries()) {
    const other = short[i] ?? '*';
    if (segment !== other && segment !== '*' && other !== '*') {
      return undefined;
    }
    segments.push(segment === '*' ? other : segment);
  }
  return segments.join(':');
}
