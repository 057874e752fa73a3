import { hash } from 'node:crypto';
import type { LoginUser, UserId } from 'kit-auth';
import { plainText } from 'kit-auth/tools';
import type { ClaimsMapping, TokenClaims } from '../issuer.js';
import type { TokenUsers } from '../tokens/issuer.credential.js';

/** Maximum number of roles or scopes that are read from a token. */
const MAX_NAMES = 1000;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** 130 bits. */
const ID_LENGTH = 26;

/** Makes users of claims, without a table. */
export class MappedUsers implements TokenUsers {
  private readonly users = new WeakMap<TokenClaims, LoginUser>();
  private readonly roles: ReadonlyMap<string, string>;
  private readonly permissions: ReadonlyMap<string, readonly string[]>;

  constructor(private readonly mapping: ClaimsMapping) {
    this.roles = new Map(Object.entries(mapping.roles?.map ?? {}));
    this.permissions = new Map(Object.entries(mapping.permissions?.fromScope ?? {}));
  }

  userOf(claims: TokenClaims): LoginUser {
    const user = this.users.get(claims) ?? this.userFrom(claims);
    this.users.set(claims, user);
    return user;
  }

  private userFrom(claims: TokenClaims): LoginUser {
    const {
      username: nameClaim = 'preferred_username',
      nickname: nicknameClaim = 'name',
      roles,
    } = this.mapping;
    const username = textAt(claims, nameClaim) ?? plainText(claims.sub);
    const given = roles === undefined ? [] : namesIn(claimAt(claims, roles.fromClaim));
    const codes = given.flatMap((name) => this.roles.get(name) ?? []);
    const permissions = scopesOf(claims).flatMap((scope) => this.permissions.get(scope) ?? []);
    return {
      userId: idOf(claims),
      username,
      nickname: textAt(claims, nicknameClaim) ?? username,
      superAdmin: false,
      roles: [...new Set(codes)],
      permissions: [...new Set(permissions)],
    };
  }
}

/** The id of the user of a subject: the same for all of its tokens, and another one at each issuer. */
function idOf({ iss, sub }: TokenClaims): UserId {
  const digest = hash('sha256', JSON.stringify([iss, sub]), 'buffer');
  const bits = [...digest].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = Array.from(
    { length: ID_LENGTH },
    (_, i) => BASE32[parseInt(bits.slice(i * 5, i * 5 + 5), 2)],
  );
  return `ext_${letters.join('')}` as unknown as UserId;
}

function textAt(claims: TokenClaims, name: string): string | undefined {
  const value = claimAt(claims, name);
  return typeof value === 'string' && value.trim() !== '' ? plainText(value) : undefined;
}

/**
 * A claim by its name, such as `https://example.com/roles`, or by a path, such as `realm_access.roles`. Only own properties
 * count.
 */
function claimAt(claims: TokenClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) {
    return claims[name];
  }
  return name
    .split('.')
    .reduce<unknown>((value, key) => (hasOwn(value, key) ? value[key] : undefined), claims);
}

/** The strings of a list. Nothing for any other value. */
function namesIn(value: unknown): string[] {
  const names: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_NAMES) : [];
  return names.filter((name) => typeof name === 'string');
}

/** The scopes of a token (RFC 9068). Some issuers have a list, or the claim `scp`. */
function scopesOf(claims: TokenClaims): string[] {
  return ['scope', 'scp'].flatMap((name) => {
    const value = claimAt(claims, name);
    return namesIn(typeof value === 'string' ? value.split(' ', MAX_NAMES) : value);
  });
}

function hasOwn(value: unknown, key: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}
