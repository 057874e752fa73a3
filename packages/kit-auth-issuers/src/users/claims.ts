import type { TokenClaims } from '../contract/issuer.options.js';

/** How many roles or scopes of a token are looked at. */
const MAX_NAMES = 1000;

/**
 * A claim by its name, such as `https://example.com/roles`, or by a path, such as `realm_access.roles`. Only own properties
 * count.
 */
export function claimAt(claims: TokenClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) {
    return claims[name];
  }
  return name
    .split('.')
    .reduce<unknown>((value, key) => (hasOwn(value, key) ? value[key] : undefined), claims);
}

/** The strings of a list. Nothing for any other value. */
export function namesIn(value: unknown): string[] {
  const names: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_NAMES) : [];
  return names.filter((name) => typeof name === 'string');
}

/** The scopes of a token (RFC 9068). Some issuers have a list, or the claim `scp`. */
export function scopesOf(claims: TokenClaims): string[] {
  return ['scope', 'scp'].flatMap((name) => {
    const value = claimAt(claims, name);
    return namesIn(typeof value === 'string' ? value.split(' ', MAX_NAMES) : value);
  });
}

function hasOwn(value: unknown, key: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}
