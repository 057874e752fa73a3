import type { LoginUser, UserId } from 'kit-auth';
import type { SignatureAlgorithm } from 'kit-auth/tools';

/** The claims of a token. Its signature, issuer, audience and times are right. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/** Maps claims to a user, without a table. */
export interface ClaimsMapping {
  /** The claim with the username. Default: `preferred_username`. Without the claim, the username is `sub`. */
  readonly username?: string | undefined;
  /** The claim with the name that people see. Default: `name`. Without the claim, it is the username. */
  readonly nickname?: string | undefined;
  /** Roles. Roles that the map does not name are dropped. Default: none. */
  readonly roles?:
    | {
        /** The claim with a list of roles. A path has dots, such as `realm_access.roles`. */
        readonly fromClaim: string;
        /** Your role codes by roles of the issuer. */
        readonly map: Readonly<Record<string, string>>;
      }
    | undefined;
  /** Permissions. Scopes that are not named here grant nothing. Default: none. */
  readonly permissions?:
    | {
        /** Your permissions by the scopes of the issuer, in the claims `scope` or `scp`. */
        readonly fromScope: Readonly<Record<string, readonly string[]>>;
      }
    | undefined;
}

/**
 * Finds the user of a token. Return `undefined` to refuse the token. For a token with an actor (`act`), it is called again
 * with the claims of the actor and the `iss` of the token.
 */
export type UserOfClaims = (
  claims: TokenClaims,
) => UserId | LoginUser | undefined | Promise<UserId | LoginUser | undefined>;

/** Keys in the form of RFC 7517. */
export interface JsonWebKeySet {
  readonly keys: readonly object[];
}

/**
 * An issuer whose access tokens are accepted.
 *
 * @example
 * const company: Issuer = {
 *   issuer: 'https://login.example.com/realms/company',
 *   audience: 'notes-api',
 *   user: {
 *     claims: {
 *       roles: { fromClaim: 'realm_access.roles', map: { 'app-editor': 'editor' } },
 *       permissions: { fromScope: { 'notes.read': ['note:read'] } },
 *     },
 *   },
 * };
 */
export interface Issuer {
  /** The exact `iss` of its tokens, an https URL. */
  readonly issuer: string;
  /** The `aud` of tokens for your application. With a list, one of them is enough. */
  readonly audience: string | readonly string[];
  /**
   * The user of a token: mapped from its claims, linked with `kit-auth-oidc` (`'linked'`), or found by your function.
   */
  readonly user: 'linked' | { readonly claims: ClaimsMapping } | UserOfClaims;
  /** 1 to 32 characters of `a-z0-9-`, for `Principal.scheme`. Default: the issuer without `https://`. */
  readonly name?: string | undefined;
  /** The URL of its keys, or the keys. Default: found by discovery. */
  readonly jwks?: string | JsonWebKeySet | undefined;
  /** The algorithms of its tokens. Default: RS256, PS256, ES256 and EdDSA. */
  readonly algorithms?: readonly SignatureAlgorithm[] | undefined;
  /**
   * With `'at+jwt'`, only access tokens in the form of RFC 9068 are accepted. Default: `'any'`, except tokens that declare
   * another type: ID tokens, refresh tokens and logout tokens.
   */
  readonly typ?: 'any' | 'at+jwt' | undefined;
  /**
   * Tokens that are bound to a key or certificate of the client by `cnf` (DPoP, mutual TLS). The binding is not checked
   * here, so they are refused by default. `'ignore'` accepts them as bearer tokens: use it behind a gateway that checks the
   * binding.
   */
  readonly bound?: 'refuse' | 'ignore' | undefined;
  /** Maximum lifetime of its tokens in minutes, 1 to 525600. Default: 720. */
  readonly maxAgeMinutes?: number | undefined;
  /** Tolerated clock difference in seconds, 0 to 60. Default: 5. */
  readonly clockSkewSeconds?: number | undefined;
  /** Required values of claims, for example `{ azp: 'web' }`. Default: none. */
  readonly claims?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Whether `auth_time` counts as the factor `oidc`, for `@RequireFresh()`. Default: false. */
  readonly fresh?: boolean | undefined;
  /**
   * Values of `acr` or `amr` that prove a second factor, for example `['mfa']`. Tokens with one of them have the factor
   * `mfa`, with the time of `auth_time` if `fresh` is true. Users who need a second factor (`kit.auth.factors.requiredFor`)
   * get 40303 with other tokens. Default: none.
   */
  readonly mfa?: readonly string[] | undefined;
  /** Seconds for which the user of `'linked'` or of a function is cached, 0 to 3600. Default: 5. */
  readonly cacheSeconds?: number | undefined;
}

export const ALGORITHMS: readonly SignatureAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** The options that have defaults. */
type DefaultedKey = Exclude<keyof Issuer, 'issuer' | 'audience' | 'user' | 'jwks'>;

/** An issuer, with the defaults of its options. */
export type IssuerSettings = Pick<Issuer, 'issuer' | 'user' | 'jwks'> & {
  readonly [Key in DefaultedKey]-?: NonNullable<Issuer[Key]>;
} & { readonly audience: readonly string[] };

export function settingsOf(issuer: Issuer): IssuerSettings {
  return {
    ...issuer,
    audience: [issuer.audience].flat(),
    name: nameOf(issuer),
    algorithms: issuer.algorithms ?? ALGORITHMS,
    typ: issuer.typ ?? 'any',
    bound: issuer.bound ?? 'refuse',
    maxAgeMinutes: issuer.maxAgeMinutes ?? 720,
    clockSkewSeconds: issuer.clockSkewSeconds ?? 5,
    claims: issuer.claims ?? {},
    fresh: issuer.fresh ?? false,
    mfa: issuer.mfa ?? [],
    cacheSeconds: issuer.cacheSeconds ?? 5,
  };
}

export function nameOf({ name, issuer }: Pick<Issuer, 'name' | 'issuer'>): string {
  return name ?? issuer.replace(/^https?:\/\//, '');
}
